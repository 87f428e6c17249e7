// Filling a stream's queue: what is rendered, and silence where nothing is.
//
// The first piece of a turn is queued at once, the rest in later rounds of the main loop, since
// libpulse sends only between rounds.

#include "pulse.h"

#include <string.h>

// Milliseconds rendered in one round of the main loop after the first piece.
static const int fill_piece_ms = 250;
// Silence queued behind the last frame while nothing more is there: longer than any device reads
// ahead. PipeWire plays only whole quanta, and PulseAudio loses what the device holds of a stream
// whose queue ran dry when it is taken back.
static const int padding_ms = 250;

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

int64_t pulse_queue_rendered(pulse *p, int64_t frames, int64_t least) {
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

bool pulse_queue_silence(pulse *p, int64_t from, int64_t end) {
  while (from < end) {
    void *memory = NULL;
    size_t bytes = (size_t)(end - from) * p->frame_bytes;
    if (pa_stream_begin_write(p->stream, &memory, &bytes) < 0 || !memory) return false;
    int64_t frames = (int64_t)(bytes / p->frame_bytes);
    if (frames > end - from) frames = end - from;
    if (frames <= 0) {
      pa_stream_cancel_write(p->stream);
      return false;
    }
    bytes = (size_t)frames * p->frame_bytes;
    memset(memory, 0, bytes);
    pa_stream_write(p->stream, memory, bytes, NULL,
                    (from - p->queued_end) * (int64_t)p->frame_bytes, PA_SEEK_RELATIVE);
    from += frames;
    p->queued_end = from;
  }
  return true;
}

// Queues silence up to `end` without counting it as rendered: what is rendered later goes over it,
// and what is heard of it is taken out of the timeline (pulse_skip_padding). Up to `silent_end` the
// server still has the silence of last time, which one frame at its end brings back.
static void queue_padding(pulse *p, int64_t end) {
  int64_t at = p->queued_end;
  if (p->silent_end > at + 1) at = p->silent_end - 1;
  if (end < p->silent_end) end = p->silent_end;
  if (pulse_queue_silence(p, at, end)) p->silent_end = p->queued_end;
}

void pulse_skip_padding(pulse *p, int64_t frames) {
  p->shift += frames;
  p->read_frame -= frames;
  p->queued_end -= frames;
  p->silent_end -= frames;
  p->step_frame -= frames;
  p->anchor -= (double)frames;
  int64_t base = atomic_load(&p->clock.frame), at = atomic_load(&p->clock.at_ns);
  shared_clock_set(&p->clock, base - frames, at, atomic_load(&p->clock.running));
}

int64_t pulse_wanted_end(const pulse *p) {
  size_t room = pa_stream_writable_size(p->stream);
  if (room == (size_t)-1) return p->queued_end;
  return p->queued_end + (int64_t)(room / p->frame_bytes);
}

// Renders until `most` frames were queued, the target is reached, or nothing more comes.
static void fill(pulse *p, int64_t most) {
  // Whole blocks: the server hands back each one, and each time the thread wakes.
  int64_t piece = pulse_block_frames(p->frame_bytes);
  while (most > 0 && p->next < p->target && !p->finished && !p->starved) {
    int64_t frames = p->target - p->next;
    if (frames > piece) frames = piece;
    if (frames > most) frames = most;
    most -= pulse_queue_rendered(p, frames, 0);
  }
  if (p->next < p->target && !p->finished && !p->starved) return;
  p->filling = false;
  if (p->finished || p->starved) queue_padding(p, p->next + frames_of_ms(p, padding_ms));
  if (p->finished && p->stop_at < 0) {
    p->stop_at = p->next;
    p->stop_event = SOTTO_EVENT_FINISHED;
  }
  pulse_arm_stop(p);
}

void pulse_top_up(pulse *p) {
  if (p->lost || p->queued_end == 0) return;  // the first turn fills
  pulse_tell_heard(p);
  // The processor's clock and the device's drift apart by some 0.1 ms a second.
  if (++p->writes >= 8) pulse_refresh_clock(p);
  if (p->turn_phase != TURN_NONE || p->filling) return;
  if (p->finished || p->starved) {
    // Where the next frame may go only a turn can tell.
    queue_padding(p, pulse_wanted_end(p));
    return;
  }
  int64_t room = pulse_wanted_end(p) - p->next;
  int64_t block = pulse_block_frames(p->frame_bytes);
  // A block that is not full comes back like a full one: what does not fill one waits for the next
  // time, if it is little beside what is queued.
  if (room > block && room % block < p->rate / 2) room -= room % block;
  p->target = p->next + room;
  fill(p, room);
}

void pulse_fill_soon(pulse *p) {
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
    pulse_fill_soon(p);
  } else {
    pulse_turn_done(p);
  }
}
