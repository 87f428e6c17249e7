// What the server reports of a stream, and the clock made of it.

#include "pulse.h"

#include <sys/time.h>

static int64_t microseconds(const struct timeval *at) {
  return (int64_t)at->tv_sec * 1000000 + at->tv_usec;
}

bool pulse_read_timing(pulse *p) {
  const pa_timing_info *info = pa_stream_get_timing_info(p->stream);
  if (!info || info->read_index_corrupt) return false;
  p->read_frame = info->read_index / (int64_t)p->frame_bytes - p->shift;
  p->sink_frames = frames_of_us(p, (int64_t)info->sink_usec);
  // PipeWire leaves out the quantum that it has read and is only about to play.
  if (p->is_pipewire) p->sink_frames += pulse_quantum_frames(p);
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

int64_t pulse_heard_at_report(const pulse *p) {
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

void pulse_set_clock(pulse *p) {
  if (!p->playing) {
    // Nothing moves, or the queue ran dry: all that was read is heard, or is about to be.
    p->anchored = false;
    shared_clock_set(&p->clock, p->read_frame, p->reported_ns, false);
    return;
  }
  int64_t heard = pulse_heard_at_report(p);
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

int64_t pulse_heard_now(pulse *p) {
  int64_t heard = shared_clock_frame(&p->clock, sotto_monotonic_ns());
  return heard < p->next ? heard : p->next;
}

void pulse_tell_heard(pulse *p) {
  // The clock is good to a few milliseconds, and exact while corked; history costs little.
  int64_t heard = pulse_heard_now(p);
  if (!p->corked || !p->exact) heard -= frames_of_ms(p, 100);
  if (heard > 0) p->renderer.heard(p->renderer.context, heard);
}

void pulse_ask(pulse *p, pa_stream_success_cb_t answer) {
  pulse_unref(pa_stream_update_timing_info(p->stream, answer, p));
}

static void clock_answer(pa_stream *stream, int ok, void *data) {
  (void)stream;
  pulse *p = data;
  if (ok && pulse_read_timing(p)) pulse_set_clock(p);
}

void pulse_refresh_clock(pulse *p) { pulse_ask(p, clock_answer); }
