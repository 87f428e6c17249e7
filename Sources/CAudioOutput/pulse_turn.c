// Turns, filling and the clock of a PulseAudio stream. Everything here runs on the device's thread.
//
// A turn asks the server where the device stands, tells the renderer the first frame that can still
// be changed, and queues again from there: one short piece at once, the rest in later rounds of the
// main loop, since libpulse sends only between rounds. Behind the first piece goes a second
// question; its answer tells whether the piece arrived before its first frame was due.

#include "pulse.h"

#include <string.h>
#include <sys/time.h>

// Milliseconds rendered in one round of the main loop after the first piece.
static const int fill_piece_ms = 250;
// Silence queued behind the last frame while nothing more is there: longer than any device reads
// ahead. PipeWire plays only whole quanta, and PulseAudio loses what the device holds of a stream
// whose queue ran dry when it is taken back.
static const int padding_ms = 250;
// The quantum that the first queue size asks PipeWire for.
static const int quantum_ms = 22;
// Milliseconds of distance at which sound goes on after a gap; nothing is waited for then.
static const int gap_margin_ms = 20;
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
static const int most_repeats = 4;

static int64_t frames_of_us(const pulse *p, int64_t us) { return us * p->rate / 1000000; }
static int64_t frames_of_ms(const pulse *p, int64_t ms) { return ms * p->rate / 1000; }

// MARK: timing reports

static int64_t microseconds(const struct timeval *at) {
  return (int64_t)at->tv_sec * 1000000 + at->tv_usec;
}

static int64_t quantum_frames(const pulse *p) { return frames_of_ms(p, quantum_ms); }

// Takes over the report that has just come; false when there is none.
static bool read_timing(pulse *p) {
  const pa_timing_info *info = pa_stream_get_timing_info(p->stream);
  if (!info || info->read_index_corrupt) return false;
  p->read_frame = info->read_index / (int64_t)p->frame_bytes - p->shift;
  p->sink_frames = frames_of_us(p, (int64_t)info->sink_usec);
  // PipeWire leaves out the quantum that it has read and is only about to play.
  if (p->is_pipewire) p->sink_frames += quantum_frames(p);
  p->reported_us = microseconds(&info->timestamp);
  struct timeval now;
  gettimeofday(&now, NULL);
  int64_t age_us = microseconds(&now) - p->reported_us;
  if (age_us < 0) age_us = 0;
  if (age_us > 1000000) age_us = 1000000;
  p->reported_ns = sotto_monotonic_ns() - age_us * 1000;
  p->playing = info->playing && !p->corked;
  p->writes = 0;
  return true;
}

// The frame heard when the report was made.
static int64_t heard_at_report(const pulse *p) {
  int64_t heard = p->read_frame - p->sink_frames;
  return heard < 0 ? 0 : heard;
}

// Learns PipeWire's quantum: the largest step that explains how far its read index came.
static void learn_step(pulse *p) {
  int64_t a = p->read_frame - p->step_frame, b = p->step;
  p->step_frame = p->read_frame;
  if (!p->anchored || a <= 0) return;
  while (b > 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  p->step = a;
}

// Sets the clock by the report.
static void set_clock(pulse *p) {
  if (!p->playing) {
    // Nothing moves, or the queue ran dry: all that was read is heard, or is about to be.
    p->anchored = false;
    shared_clock_set(&p->clock, p->read_frame, p->reported_ns, false);
    return;
  }
  int64_t heard = heard_at_report(p);
  if (p->is_pipewire) {
    // PipeWire's indices step once a quantum, and a report says how things were at the last step,
    // however long ago. The report with the latest phase was the nearest to its step.
    double phase = (double)heard - (double)p->reported_ns * 1e-9 * p->rate;
    learn_step(p);
    // The device's clock may be slower than the processor's by 0.1 ms a second.
    p->anchor -= (double)(p->reported_ns - p->anchor_ns) * 1e-13 * p->rate;
    p->anchor_ns = p->reported_ns;
    if (!p->anchored || phase > p->anchor || p->anchor - phase > p->rate * 0.2) p->anchor = phase;
    p->anchored = true;
    heard = (int64_t)(p->anchor + (double)p->reported_ns * 1e-9 * p->rate);
    if (heard < 0) heard = 0;
  }
  shared_clock_set(&p->clock, heard, p->reported_ns, true);
}

static int64_t heard_now(pulse *p) {
  int64_t heard = shared_clock_frame(&p->clock, sotto_monotonic_ns());
  return heard < p->next ? heard : p->next;
}

static void tell_heard(pulse *p) {
  // The clock is good to a few milliseconds, and exact while corked; history costs little.
  int64_t heard = heard_now(p);
  if (!p->corked || !p->exact) heard -= frames_of_ms(p, 100);
  if (heard > 0) p->renderer.heard(p->renderer.context, heard);
}

static void ask(pulse *p, pa_stream_success_cb_t answer) {
  pulse_unref(pa_stream_update_timing_info(p->stream, answer, p));
}

static void clock_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (ok && read_timing(p)) set_clock(p);
}

void pulse_refresh_clock(pulse *p) { ask(p, clock_answer); }

// MARK: queueing

// Renders from `next` on in the stream's format.
static sotto_rendered render(pulse *p, void *memory, int64_t frames) {
  sotto_rendered all = {.frames = 0, .finished = false};
  if (!p->scratch) return p->renderer.render(p->renderer.context, p->next, memory, frames);
  while (all.frames < frames && !all.finished) {
    int64_t piece = frames - all.frames;
    if (piece > p->scratch_frames) piece = p->scratch_frames;
    sotto_rendered some =
        p->renderer.render(p->renderer.context, p->next + all.frames, p->scratch, piece);
    shared_to_s16(p->scratch, (int16_t *)memory + all.frames * p->channels,
                  some.frames * p->channels);
    all.frames += some.frames;
    all.finished = some.finished;
    if (some.frames < piece) break;
  }
  return all;
}

// Renders up to `frames` from `next` on straight into the server's memory and queues them in one
// block. When fewer come, silence fills the block up to `least` frames. Returns the frames rendered;
// why fewer came is noted in `finished` and `starved`.
static int64_t queue_rendered(pulse *p, int64_t frames, int64_t least) {
  void *memory = NULL;
  size_t bytes = (size_t)(frames > least ? frames : least) * p->frame_bytes;
  if (pa_stream_begin_write(p->stream, &memory, &bytes) < 0 || !memory) return 0;
  int64_t room = (int64_t)(bytes / p->frame_bytes);
  if (frames > room) frames = room;
  if (least > room) least = room;
  sotto_rendered rendered = {.frames = 0, .finished = false};
  if (frames > 0) {
    rendered = render(p, memory, frames);
    p->finished = rendered.finished;
    p->starved = !rendered.finished && rendered.frames < frames;
  }
  int64_t came = rendered.frames;
  int64_t queued = came > least ? came : least;
  if (queued <= 0) {
    pa_stream_cancel_write(p->stream);
    return 0;
  }
  memset((char *)memory + (size_t)came * p->frame_bytes, 0,
         (size_t)(queued - came) * p->frame_bytes);
  pa_stream_write(p->stream, memory, (size_t)queued * p->frame_bytes, NULL,
                  (p->next - p->queued_end) * (int64_t)p->frame_bytes, PA_SEEK_RELATIVE);
  p->queued_end = p->next + queued;
  p->next += came;
  if (came > 0) p->dry = false;
  shared_clock_set_end(&p->clock, p->next);
  return came;
}

// Queues silence up to `end` without counting it as rendered: what is rendered later goes over it,
// and what is heard of it is taken out of the timeline (skip_padding). Up to `silent_end` the
// server still has the silence of last time, which one frame at its end brings back.
static void queue_padding(pulse *p, int64_t end) {
  int64_t at = p->queued_end;
  if (p->silent_end > at + 1) at = p->silent_end - 1;
  if (end < p->silent_end) end = p->silent_end;
  while (at < end) {
    void *memory = NULL;
    size_t bytes = (size_t)(end - at) * p->frame_bytes;
    if (pa_stream_begin_write(p->stream, &memory, &bytes) < 0 || !memory) return;
    int64_t frames = (int64_t)(bytes / p->frame_bytes);
    if (frames > end - at) frames = end - at;
    if (frames <= 0) {
      pa_stream_cancel_write(p->stream);
      return;
    }
    bytes = (size_t)frames * p->frame_bytes;
    memset(memory, 0, bytes);
    pa_stream_write(p->stream, memory, bytes, NULL, (at - p->queued_end) * (int64_t)p->frame_bytes,
                    PA_SEEK_RELATIVE);
    at += frames;
    p->queued_end = at;
  }
  p->silent_end = p->queued_end;
}

// Takes `frames` of padding that were heard out of the timeline: `next` comes right after what was
// last heard, and nobody above learns that the server counted on.
static void skip_padding(pulse *p, int64_t frames) {
  p->shift += frames;
  p->read_frame -= frames;
  p->queued_end -= frames;
  p->silent_end -= frames;
  p->step_frame -= frames;
  p->anchor -= (double)frames;
  int64_t base = atomic_load(&p->clock.frame), at = atomic_load(&p->clock.at_ns);
  shared_clock_set(&p->clock, base - frames, at, atomic_load(&p->clock.running));
}

// Where the queue should reach, by what the server says it has room for.
static int64_t wanted_end(const pulse *p) {
  size_t room = pa_stream_writable_size(p->stream);
  if (room == (size_t)-1) return p->queued_end;
  return p->queued_end + (int64_t)(room / p->frame_bytes);
}

// True of PulseAudio's null sinks.
static bool reads_blocks(const pulse *p) {
  return p->sink_known && p->simulated && !p->rewinds_device && !p->is_pipewire;
}

// True where a start needs silence first. The first start is made before the device is known.
static bool needs_lead(const pulse *p) {
  return !p->led && (!p->sink_known || (p->simulated && !p->is_pipewire));
}

// A block of silence and a little more.
static int64_t lead_frames(const pulse *p) {
  int64_t us = p->sink_known ? p->block_us + 1000 : 0;
  // Another stream's wishes may have made the blocks longer than this one would have them.
  if (us > most_lead_us) us = most_lead_us;
  return frames_of_us(p, us > least_lead_us ? us : least_lead_us);
}

// Queues silence over [from, end) of the timeline, wherever the write index stands.
static void queue_lead(pulse *p, int64_t from, int64_t end) {
  while (from < end) {
    void *memory = NULL;
    size_t bytes = (size_t)(end - from) * p->frame_bytes;
    if (pa_stream_begin_write(p->stream, &memory, &bytes) < 0 || !memory) return;
    int64_t frames = (int64_t)(bytes / p->frame_bytes);
    if (frames > end - from) frames = end - from;
    if (frames <= 0) {
      pa_stream_cancel_write(p->stream);
      return;
    }
    bytes = (size_t)frames * p->frame_bytes;
    memset(memory, 0, bytes);
    pa_stream_write(p->stream, memory, bytes, NULL,
                    (from - p->queued_end) * (int64_t)p->frame_bytes, PA_SEEK_RELATIVE);
    from += frames;
    p->queued_end = from;
  }
}

static void arm_stop(pulse *p);
static void turn_done(pulse *p);

// Renders until `most` frames were queued, the target is reached, or nothing more comes.
static void fill(pulse *p, int64_t most) {
  // Whole blocks: the server hands back each one, and each time the thread wakes.
  int64_t piece = pulse_block_frames(p->frame_bytes);
  while (most > 0 && p->next < p->target && !p->finished && !p->starved) {
    int64_t frames = p->target - p->next;
    if (frames > piece) frames = piece;
    if (frames > most) frames = most;
    most -= queue_rendered(p, frames, 0);
  }
  if (p->next < p->target && !p->finished && !p->starved) return;
  p->filling = false;
  if (p->finished || p->starved) queue_padding(p, p->next + frames_of_ms(p, padding_ms));
  if (p->finished && p->stop_at < 0) {
    p->stop_at = p->next;
    p->stop_event = SOTTO_EVENT_FINISHED;
  }
  arm_stop(p);
}

void pulse_top_up(pulse *p) {
  if (p->lost || p->queued_end == 0) return;  // the first turn fills
  tell_heard(p);
  // The processor's clock and the device's drift apart by some 0.1 ms a second.
  if (++p->writes >= 8) pulse_refresh_clock(p);
  if (p->turn_phase != TURN_NONE || p->filling) return;
  if (p->finished || p->starved) {
    // Where the next frame may go only a turn can tell.
    queue_padding(p, wanted_end(p));
    return;
  }
  int64_t room = wanted_end(p) - p->next;
  int64_t block = pulse_block_frames(p->frame_bytes);
  // A block that is not full comes back like a full one: what does not fill one waits for the next
  // time, if it is little beside what is queued.
  if (room > block && room % block < p->rate / 2) room -= room % block;
  p->target = p->next + room;
  fill(p, room);
}

static void fill_soon(pulse *p) {
  pa_context_rttime_restart(p->context, p->fill_event, pa_rtclock_now());
}

void pulse_fill_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                    void *data) {
  (void)api, (void)event, (void)tv;
  pulse *p = data;
  if (p->lost || !p->filling) return;
  if (!p->facts_asked) pulse_ask_facts(p);
  fill(p, frames_of_ms(p, fill_piece_ms));
  if (p->filling) {
    fill_soon(p);
  } else {
    turn_done(p);
  }
}

// MARK: turns

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
  if (block <= 0) block = quantum_frames(p);
  int64_t age_us = (sotto_monotonic_ns() - p->reported_ns) / 1000;
  int64_t missing = frames_of_us(p, atomic_load(&p->margin_us) + age_us) - p->sink_frames;
  if (missing <= 0) return 0;
  return (missing + block - 1) / block * block + frames_of_ms(p, 1);
}

// The first frame that can still be changed.
static int64_t earliest(pulse *p) {
  int64_t frame;
  if (p->corked || !p->playing) {
    frame = p->read_frame;
  } else if (p->rewinds_device) {
    int64_t late_ns = sotto_monotonic_ns() - p->reported_ns;
    frame = heard_at_report(p) + frames_of_us(p, late_ns / 1000 + atomic_load(&p->margin_us));
    // A device that holds less than the margin has not even read the frame.
    if (frame > p->read_frame + frames_of_us(p, most_margin_us)) frame = p->read_frame;
  } else {
    // What the server has read is gone. Its read index steps. With usual steps there is either
    // plenty of time or none; the check finds out, and the second try has plenty. Small steps are
    // over before the write arrives, and the report may be one behind.
    frame = p->read_frame;
    if (p->is_pipewire) {
      frame += step_margin(p);
    } else if (reads_blocks(p)) {
      frame += block_margin(p);
    }
  }
  return frame < p->queued_end ? frame : p->queued_end;
}

static void uncork(pulse *p) {
  p->corked = false;
  p->exact = false;
  p->anchored = false;
  p->starting = true;
  pulse_unref(pa_stream_cork(p->stream, 0, NULL, NULL));
}

static void check_answer(pa_stream *stream, int ok, void *data);

static void take_turn(pulse *p, int64_t frame, bool again) {
  p->turn_phase = TURN_NONE;
  if (frame > p->next) {
    if (p->playing) frame += frames_of_ms(p, gap_margin_ms);
    if (frame > p->queued_end) frame = p->queued_end;
    skip_padding(p, frame - p->next);
    frame = p->next;
  }
  p->turn_frame = frame;
  p->asked_us = p->reported_us;
  atomic_fetch_add(&p->turns, 1);
  tell_heard(p);
  sotto_turn turn = p->renderer.turn(p->renderer.context, frame, again);
  int64_t end = wanted_end(p);
  if (turn.rewrite) {
    p->next = frame;
    p->silent_end = frame;
  }
  p->finished = false;
  p->starved = false;
  p->stop_at = turn.hold_at;
  p->stop_event = SOTTO_EVENT_HELD;
  p->target = end;
  bool was_corked = p->corked;
  if (was_corked && turn.sounding && needs_lead(p)) {
    int64_t lead = lead_frames(p);
    skip_padding(p, lead);
    p->target -= lead;
    p->led = true;
    queue_lead(p, p->next - lead, p->next);
  }
  int64_t first = p->next;
  // One block, longer than the device reads ahead. Were there less behind its first frame, even for
  // the moment until the next block, the device would find the end of the queue.
  int64_t room = p->target - p->next;
  if (room > p->first_frames) room = p->first_frames;
  if (was_corked || p->queued_end != p->next || p->queued_end == 0) {
    queue_rendered(p, room, p->first_frames);
  }
  bool starts = was_corked && turn.sounding && p->queued_end > p->read_frame &&
                (p->next > first || p->finished);
  if (starts) uncork(p);
  if (turn.rewrite && !was_corked && p->playing) {
    p->turn_phase = TURN_CHECKING;
    ask(p, check_answer);
  } else if (starts) {
    ask(p, clock_answer);
  }
  p->filling = true;
  fill_soon(p);
}

static void turn_done(pulse *p) {
  if (p->turn_phase != TURN_NONE || p->filling || !p->kicked_again) return;
  p->kicked_again = false;
  pulse_begin_turn(p);
}

static void turn_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  p->turn_phase = TURN_NONE;
  if (!ok || p->lost || !read_timing(p)) return;
  set_clock(p);
  p->repeats = 0;
  take_turn(p, earliest(p), false);
}

void pulse_begin_turn(pulse *p) {
  if (p->turn_phase != TURN_NONE || p->filling) {
    p->kicked_again = true;
    return;
  }
  if (p->corked && p->exact) {
    // Nothing moves and nobody needs to be asked. This is the way of the first sound.
    p->repeats = 0;
    take_turn(p, p->read_frame, false);
    return;
  }
  p->turn_phase = TURN_ASKING;
  // The blocks are as the quickest of all listeners wants them; the answer comes before the report.
  if (reads_blocks(p)) pulse_ask_sink(p);
  ask(p, turn_answer);
}

static int guard_us(const pulse *p) {
  if (reads_blocks(p)) return block_guard_us;
  return p->simulated ? filter_guard_us : device_guard_us;
}

// Learns how long the way to the server is from one that went well or ill.
static void learn_margin(pulse *p, bool late) {
  int64_t way = p->reported_us - p->asked_us;
  if (way < 0) way = 0;
  if (way > most_margin_us) way = most_margin_us;
  if (way > atomic_load(&p->worst_us)) atomic_store(&p->worst_us, (int)way);
  int64_t margin = atomic_load(&p->margin_us);
  int64_t wanted = 2 * (way > least_way_us / 2 ? way : least_way_us / 2) + guard_us(p);
  if (late) {
    margin = 2 * margin > wanted ? 2 * margin : wanted;
  } else {
    margin = wanted > margin ? wanted : margin - (margin - wanted) / 8;
  }
  if (margin > most_margin_us) margin = most_margin_us;
  atomic_store(&p->margin_us, (int)margin);
}

static void check_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  p->turn_phase = TURN_NONE;
  if (!ok || p->lost || !read_timing(p)) return;
  set_clock(p);
  int64_t fixed = p->rewinds_device ? heard_at_report(p) + frames_of_us(p, guard_us(p))
                                    : p->read_frame;
  bool late = p->playing && p->turn_frame < p->queued_end && fixed > p->turn_frame;
  if (p->rewinds_device || reads_blocks(p)) learn_margin(p, late);
  if (!late || p->repeats >= most_repeats) {
    turn_done(p);
    return;
  }
  p->repeats++;
  atomic_fetch_add(&p->late, 1);
  take_turn(p, earliest(p), true);
}

// MARK: stopping

// The frame at which something is to happen: a cork, or the report that the device runs dry.
static int64_t due_frame(const pulse *p) {
  if (p->stop_at >= 0) return p->stop_at;
  return p->starved && !p->dry ? p->next : -1;
}

static void arm_stop(pulse *p) {
  if (due_frame(p) < 0 || p->corked) return;
  int64_t left = due_frame(p) - heard_now(p);
  if (left < 0) left = 0;
  pa_usec_t wait = (pa_usec_t)(left * 1000000 / p->rate) + (p->is_pipewire ? 3000 : 1000);
  pa_context_rttime_restart(p->context, p->stop_timer, pa_rtclock_now() + wait);
}

static void held_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (!ok || p->lost || !p->corked || p->stop_at < 0 || !read_timing(p)) return;
  p->exact = true;
  if (p->read_frame > p->next) skip_padding(p, p->read_frame - p->next);
  set_clock(p);
  p->stop_at = -1;
  p->renderer.event(p->renderer.context, p->stop_event);
}

static void corked_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  // The device gives back what it held in the moment after the answer; ask where that leads.
  if (ok && !p->lost && p->corked) ask(p, held_answer);
}

static void stop_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (!ok || p->lost || p->corked || due_frame(p) < 0 || !read_timing(p)) return;
  set_clock(p);
  if (p->turn_phase != TURN_NONE || p->filling) return;  // their end arms the timer again
  // PipeWire's step may be later than the clock thinks; what it has not read, a cork would cut off.
  if (p->playing && (heard_now(p) < due_frame(p) || p->read_frame < due_frame(p))) {
    arm_stop(p);
    return;
  }
  if (p->stop_at < 0) {
    p->dry = true;
    atomic_fetch_add(&p->clock.underruns, 1);
    p->renderer.event(p->renderer.context, SOTTO_EVENT_UNDERRUN);
    return;
  }
  p->corked = true;
  p->exact = false;
  p->led = false;
  pulse_unref(pa_stream_cork(p->stream, 1, corked_answer, p));
}

void pulse_stop_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                    void *data) {
  (void)api, (void)event, (void)tv;
  pulse *p = data;
  if (!p->lost && !p->corked && due_frame(p) >= 0) ask(p, stop_answer);
}

// The server also says so when it went on after a queue that ran dry before the device did.
void pulse_started(pulse *p) {
  if (p->lost || !p->starting) return;
  p->starting = false;
  pulse_refresh_clock(p);
  p->renderer.event(p->renderer.context, SOTTO_EVENT_STARTED);
}

static void underflow_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (!ok || p->lost || !read_timing(p)) return;
  set_clock(p);
  // A device that reads ahead finds the end of the queue long before it is heard.
  if (p->corked || p->stop_at >= 0 || p->starved || p->filling) return;
  if (p->playing && heard_at_report(p) < p->next) return;
  atomic_fetch_add(&p->clock.underruns, 1);
  p->starting = true;
  p->renderer.event(p->renderer.context, SOTTO_EVENT_UNDERRUN);
}

void pulse_underflowed(pulse *p) {
  // Before the first frame and after a hold only silence was to come.
  if (p->lost || p->corked || p->stop_at >= 0 || p->queued_end == 0) return;
  ask(p, underflow_answer);
}
