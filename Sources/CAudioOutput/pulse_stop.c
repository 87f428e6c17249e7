// What happens when a frame has been heard: the cork after a hold or the end, and the report that
// the device ran dry. And what the server says about starting and running dry.

#include "pulse.h"

// The frame at which something is to happen: a cork, or the report that the device runs dry.
static int64_t due_frame(const pulse *p) {
  if (p->stop_at >= 0) return p->stop_at;
  return p->starved && !p->dry ? p->next : -1;
}

void pulse_arm_stop(pulse *p) {
  if (due_frame(p) < 0 || p->corked) return;
  int64_t left = due_frame(p) - pulse_heard_now(p);
  if (left < 0) left = 0;
  pa_usec_t wait = (pa_usec_t)(left * 1000000 / p->rate) + (p->is_pipewire ? 3000 : 1000);
  pa_context_rttime_restart(p->context, p->stop_timer, pa_rtclock_now() + wait);
}

static void held_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (!ok || p->lost || !p->corked || p->stop_at < 0 || !pulse_read_timing(p)) return;
  p->exact = true;
  if (p->read_frame > p->next) pulse_skip_padding(p, p->read_frame - p->next);
  pulse_set_clock(p);
  p->stop_at = -1;
  p->renderer.event(p->renderer.context, p->stop_event);
}

static void corked_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  // The device gives back what it held in the moment after the answer; ask where that leads.
  if (ok && !p->lost && p->corked) pulse_ask(p, held_answer);
}

static void stop_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (!ok || p->lost || p->corked || due_frame(p) < 0 || !pulse_read_timing(p)) return;
  pulse_set_clock(p);
  if (p->turn_phase != TURN_NONE || p->filling) return;  // their end arms the timer again
  // PipeWire's step may be later than the clock thinks; what it has not read, a cork would cut off.
  if (p->playing && (pulse_heard_now(p) < due_frame(p) || p->read_frame < due_frame(p))) {
    pulse_arm_stop(p);
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
  if (!p->lost && !p->corked && due_frame(p) >= 0) pulse_ask(p, stop_answer);
}

void pulse_started(pulse *p) {
  if (p->lost || !p->starting) return;
  p->starting = false;
  pulse_refresh_clock(p);
  p->renderer.event(p->renderer.context, SOTTO_EVENT_STARTED);
}

static void underflow_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (!ok || p->lost || !pulse_read_timing(p)) return;
  pulse_set_clock(p);
  // A device that reads ahead finds the end of the queue long before it is heard.
  if (p->corked || p->stop_at >= 0 || p->starved || p->filling) return;
  if (p->playing && pulse_heard_at_report(p) < p->next) return;
  atomic_fetch_add(&p->clock.underruns, 1);
  p->starting = true;
  p->renderer.event(p->renderer.context, SOTTO_EVENT_UNDERRUN);
}

void pulse_underflowed(pulse *p) {
  // Before the first frame and after a hold only silence was to come.
  if (p->lost || p->corked || p->stop_at >= 0 || p->queued_end == 0) return;
  pulse_ask(p, underflow_answer);
}
