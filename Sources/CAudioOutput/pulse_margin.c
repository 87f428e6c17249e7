// How near a write may come to what the device is about to play, and what has to stand before a
// start: by the kind of server and device, and by how it went before.

#include "pulse.h"

// The quantum that the first queue size asks PipeWire for.
static const int quantum_ms = 22;
static const int most_margin_us = 60000;
// A real device cannot take back what is about to be fetched (PulseAudio keeps 1.33 ms).
static const int device_guard_us = 1500;
// A filter may stand before a simulated device, which has handed its monitor up to 5 ms that it
// would still take back itself.
static const int filter_guard_us = 5000;
// A write this near to a simulated device's next step might come after it.
static const int block_guard_us = 2000;
// A device without hardware has also handed a block of silence to its monitor before a start: what
// begins at once is not all recorded. So it gets a little silence first.
static const int least_lead_us = 6000;
static const int most_lead_us = 25000;
static const int least_way_us = 1000;
// A write this near to PipeWire's next step might come after it.
static const int step_guard_ms = 4;

int64_t pulse_quantum_frames(const pulse *p) { return frames_of_ms(p, quantum_ms); }

bool pulse_reads_blocks(const pulse *p) {
  return p->sink_known && p->simulated && !p->rewinds_device && !p->is_pipewire;
}

bool pulse_needs_lead(const pulse *p) {
  return !p->led && (!p->sink_known || (p->simulated && !p->is_pipewire));
}

int64_t pulse_lead_frames(const pulse *p) {
  int64_t us = p->sink_known ? p->block_us + 1000 : 0;
  // Another stream's wishes may have made the blocks longer than this one would have them.
  if (us > most_lead_us) us = most_lead_us;
  return frames_of_us(p, us > least_lead_us ? us : least_lead_us);
}

// How far behind PipeWire's read index a write is sure to come in time.
static int64_t step_margin(const pulse *p) {
  if (p->step <= 0 || !p->anchored) return frames_of_ms(p, quantum_ms);
  if (p->step < frames_of_ms(p, 12)) {
    int64_t least = frames_of_ms(p, 5);
    return (least + p->step - 1) / p->step * p->step;
  }
  // The phase tells when the read index made its last step.
  double now = (double)sotto_monotonic_ns() * 1e-9 * p->rate;
  double left = (double)(p->read_frame + p->step - p->sink_frames) - p->anchor - now;
  return left < (double)frames_of_ms(p, step_guard_ms) ? p->step : 0;
}

// How far behind a simulated device's read index a write is sure to come in time. The device reads
// its next block when it has played all that it holds, so the report tells the moment.
static int64_t block_margin(const pulse *p) {
  int64_t block = frames_of_us(p, p->block_us);
  if (block <= 0) block = pulse_quantum_frames(p);
  int64_t age_us = (sotto_monotonic_ns() - p->reported_ns) / 1000;
  int64_t missing = frames_of_us(p, atomic_load(&p->margin_us) + age_us) - p->sink_frames;
  if (missing <= 0) return 0;
  return (missing + block - 1) / block * block + frames_of_ms(p, 1);
}

int64_t pulse_earliest(pulse *p) {
  int64_t frame;
  if (p->corked || !p->playing) {
    frame = p->read_frame;
  } else if (p->rewinds_device) {
    int64_t late_ns = sotto_monotonic_ns() - p->reported_ns;
    frame = pulse_heard_at_report(p) + frames_of_us(p, late_ns / 1000 + atomic_load(&p->margin_us));
    // A device that holds less than the margin has not even read the frame.
    if (frame > p->read_frame + frames_of_us(p, most_margin_us)) frame = p->read_frame;
  } else {
    // What the server has read is gone. Its read index steps. With usual steps there is either
    // plenty of time or none; the check finds out, and the second try has plenty. Small steps are
    // over before the write arrives, and the report may be one behind.
    frame = p->read_frame;
    if (p->is_pipewire) {
      frame += step_margin(p);
    } else if (pulse_reads_blocks(p)) {
      frame += block_margin(p);
    }
  }
  return frame < p->queued_end ? frame : p->queued_end;
}

int64_t pulse_due_ns(const pulse *p, int64_t frame) {
  if (!p->playing) return INT64_MAX;
  if (pulse_reads_blocks(p)) {
    // The block at the read index is taken when what the device holds has been played.
    int64_t left = p->sink_frames + frame - p->read_frame;
    if (frame > p->read_frame) left -= frames_of_ms(p, 1);  // see block_margin
    return p->reported_ns + left * 1000000000 / p->rate;
  }
  if (p->is_pipewire && p->anchored && p->step > 0) {
    double due = (double)(frame + p->step - p->sink_frames) - p->anchor;  // see step_margin
    return (int64_t)(due / p->rate * 1e9);
  }
  return INT64_MAX;
}

int pulse_guard_us(const pulse *p) {
  if (pulse_reads_blocks(p)) return block_guard_us;
  return p->simulated ? filter_guard_us : device_guard_us;
}

void pulse_learn_margin(pulse *p, bool late) {
  int64_t way = p->reported_us - p->asked_us;
  if (way < 0) way = 0;
  if (way > most_margin_us) way = most_margin_us;
  if (way > atomic_load(&p->worst_us)) atomic_store(&p->worst_us, (int)way);
  int64_t margin = atomic_load(&p->margin_us);
  int64_t wanted = 2 * (way > least_way_us / 2 ? way : least_way_us / 2) + pulse_guard_us(p);
  if (late) {
    margin = 2 * margin > wanted ? 2 * margin : wanted;
  } else {
    margin = wanted > margin ? wanted : margin - (margin - wanted) / 8;
  }
  if (margin > most_margin_us) margin = most_margin_us;
  atomic_store(&p->margin_us, (int)margin);
}
