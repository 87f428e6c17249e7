// Turns of a PulseAudio stream.
//
// A turn asks the server where the device stands, tells the renderer the first frame that can still
// be changed, and queues again from there: one short piece at once, the rest in later rounds of the
// main loop, since libpulse sends only between rounds. Behind the first piece goes a second
// question; its answer tells whether the piece arrived before its first frame was due.

#include "pulse.h"

// Milliseconds of distance at which sound goes on after a gap; nothing is waited for then.
static const int gap_margin_ms = 20;
static const int most_repeats = 4;

static void check_answer(pa_stream *stream, int ok, void *data);

static void uncork(pulse *p) {
  p->corked = false;
  p->exact = false;
  p->anchored = false;
  p->starting = true;
  pulse_unref(pa_stream_cork(p->stream, 0, NULL, NULL));
  pulse_alive(p);
}

static void take_turn(pulse *p, int64_t frame, bool again) {
  p->turn_phase = TURN_NONE;
  if (frame > p->next) {
    if (p->playing) frame += frames_of_ms(p, gap_margin_ms);
    if (frame > p->queued_end) frame = p->queued_end;
    pulse_skip_padding(p, frame - p->next);
    frame = p->next;
  }
  p->turn_frame = frame;
  p->turn_due_ns = pulse_due_ns(p, frame);
  p->asked_us = p->reported_us;
  atomic_fetch_add(&p->turns, 1);
  pulse_tell_heard(p);
  sotto_turn turn = p->renderer.turn(p->renderer.context, frame, again);
  int64_t end = pulse_wanted_end(p);
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
  if (was_corked && turn.sounding && pulse_needs_lead(p)) {
    int64_t lead = pulse_lead_frames(p);
    pulse_skip_padding(p, lead);
    p->target -= lead;
    p->led = true;
    pulse_queue_silence(p, p->next - lead, p->next);
  }
  int64_t first = p->next;
  // One block, longer than the device reads ahead. Were there less behind its first frame, even for
  // the moment until the next block, the device would find the end of the queue.
  int64_t room = p->target - p->next;
  if (room > p->first_frames) room = p->first_frames;
  if (was_corked || p->queued_end != p->next || p->queued_end == 0) {
    pulse_queue_rendered(p, room, p->first_frames);
  }
  bool starts = was_corked && turn.sounding && p->queued_end > p->read_frame &&
                (p->next > first || p->finished);
  if (starts) uncork(p);
  if (turn.rewrite && !was_corked && p->playing) {
    p->turn_phase = TURN_CHECKING;
    pulse_ask(p, check_answer);
  } else if (starts) {
    pulse_refresh_clock(p);
  }
  p->filling = true;
  pulse_fill_soon(p);
}

void pulse_turn_done(pulse *p) {
  if (p->turn_phase != TURN_NONE || p->filling || !p->kicked_again) return;
  p->kicked_again = false;
  pulse_begin_turn(p);
}

static void turn_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  p->turn_phase = TURN_NONE;
  if (!ok || p->lost || !pulse_read_timing(p)) return;
  pulse_set_clock(p);
  p->repeats = 0;
  take_turn(p, pulse_earliest(p), false);
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
  if (pulse_reads_blocks(p)) pulse_ask_sink(p);
  pulse_ask(p, turn_answer);
}

static void check_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  p->turn_phase = TURN_NONE;
  if (!ok || p->lost || !pulse_read_timing(p)) return;
  pulse_set_clock(p);
  int64_t fixed = p->rewinds_device ? pulse_heard_at_report(p) + frames_of_us(p, pulse_guard_us(p))
                                    : p->read_frame;
  // The read index alone does not tell: PulseAudio takes a block back from a null sink for the write,
  // but not from who records it, and PipeWire says only later that it has read on.
  bool is_over = fixed > p->turn_frame || p->reported_ns > p->turn_due_ns;
  bool late = p->playing && p->turn_frame < p->queued_end && is_over;
  if (p->rewinds_device || pulse_reads_blocks(p)) pulse_learn_margin(p, late);
  if (!late || p->repeats >= most_repeats) {
    pulse_turn_done(p);
    return;
  }
  p->repeats++;
  atomic_fetch_add(&p->late, 1);
  take_turn(p, pulse_earliest(p), true);
}
