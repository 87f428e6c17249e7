// Whether the server is alive. A server that hangs closes no connection: what tells is that it asks
// for nothing although sound runs. While it is well nothing here wakes the thread: the timer is
// moved on each time that the server is heard of.

#include "pulse.h"

// Longer than the server ever lets pass between two requests while it plays.
static const int64_t patience_ms = 2200;
// A server that is alive answers a question within this, also on a busy machine.
static const int64_t answer_ms = 800;

static void arm(pulse *p, int64_t ms) {
  if (p->alive_timer) {
    pa_context_rttime_restart(p->context, p->alive_timer, pa_rtclock_now() + (pa_usec_t)ms * 1000);
  }
}

static void rest(pulse *p) {
  if (p->alive_timer) pa_context_rttime_restart(p->context, p->alive_timer, PA_USEC_INVALID);
}

static void heard_of(pulse *p) {
  if (p->lost) return;
  p->pinged = false;
  if (p->stalled) {
    p->stalled = false;
    pulse_refresh_clock(p);
    p->renderer.event(p->renderer.context, SOTTO_EVENT_ANSWERS);
  }
  if (p->corked && !p->starting) {
    rest(p);
  } else {
    arm(p, patience_ms);
  }
}

void pulse_alive(pulse *p) {
  p->still_frame = -1;
  heard_of(p);
}

// It answers, and asks for nothing: a PulseAudio server in front of a PipeWire that hangs does. What
// is not read twice, with sound there to be read, nobody plays. A suspended device is known as such.
static void answered(pa_stream *stream, int ok, void *data) {
  pulse *p = data;
  bool could_read = ok && !p->lost && !p->corked && pa_stream_is_suspended(stream) == 0 &&
                    pulse_read_timing(p) && p->queued_end > p->read_frame;
  if (!could_read) {
    pulse_alive(p);
  } else if (p->still_frame == p->read_frame) {
    pulse_lose(p, SOTTO_FAILURE_NO_ANSWER);
  } else {
    heard_of(p);
    p->still_frame = p->read_frame;
  }
}

void pulse_alive_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                     void *data) {
  (void)api, (void)event, (void)tv;
  pulse *p = data;
  if (p->lost || p->stalled) return;
  if (!p->pinged) {
    if (p->corked && !p->starting) return;
    p->pinged = true;
    pulse_ask(p, answered);
    arm(p, answer_ms);
    return;
  }
  // What was told since the last news is a guess: the device has stood still since then, or soon
  // after.
  p->stalled = true;
  int64_t heard = shared_clock_read(&p->clock).heard;
  shared_clock_set(&p->clock, heard, sotto_monotonic_ns(), false);
  p->renderer.event(p->renderer.context, SOTTO_EVENT_STALLED);
}
