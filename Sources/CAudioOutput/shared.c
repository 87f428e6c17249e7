#define _GNU_SOURCE  // pthread_setname_np

#include "shared.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shared_clock_set(shared_clock *clock, int64_t frame, int64_t at_ns, bool running) {
  uint32_t sequence = atomic_load_explicit(&clock->sequence, memory_order_relaxed);
  atomic_store(&clock->sequence, sequence + 1);
  atomic_store_explicit(&clock->frame, frame, memory_order_release);
  atomic_store_explicit(&clock->at_ns, at_ns, memory_order_release);
  atomic_store_explicit(&clock->running, running, memory_order_release);
  // Standing still is exact, so what was told before no longer binds.
  if (!running) atomic_store_explicit(&clock->shown, frame, memory_order_release);
  atomic_store(&clock->sequence, sequence + 2);
}

void shared_clock_set_end(shared_clock *clock, int64_t end) {
  atomic_store_explicit(&clock->end, end, memory_order_release);
}

static int64_t advanced(int64_t frame, int64_t from_ns, int64_t to_ns, int rate) {
  int64_t ns = to_ns - from_ns;
  return frame + (ns / 1000) * rate / 1000000;
}

int64_t shared_clock_frame(shared_clock *clock, int64_t now_ns) {
  int64_t frame = atomic_load_explicit(&clock->frame, memory_order_relaxed);
  if (!atomic_load_explicit(&clock->running, memory_order_relaxed)) return frame;
  int64_t at_ns = atomic_load_explicit(&clock->at_ns, memory_order_relaxed);
  return advanced(frame, at_ns, now_ns, clock->rate);
}

sotto_output_clock shared_clock_read(shared_clock *clock) {
  int64_t frame, at_ns;
  bool running;
  uint32_t before, after;
  do {
    before = atomic_load(&clock->sequence);
    frame = atomic_load_explicit(&clock->frame, memory_order_acquire);
    at_ns = atomic_load_explicit(&clock->at_ns, memory_order_acquire);
    running = atomic_load_explicit(&clock->running, memory_order_acquire);
    after = atomic_load(&clock->sequence);
  } while (before != after || before % 2 == 1);
  if (running) {
    frame = advanced(frame, at_ns, sotto_monotonic_ns(), clock->rate);
    int64_t end = atomic_load_explicit(&clock->end, memory_order_acquire);
    if (frame > end) frame = end;
    int64_t shown = atomic_load(&clock->shown);
    while (frame > shown && !atomic_compare_exchange_weak(&clock->shown, &shown, frame)) {}
    if (frame < shown) frame = shown;
  }
  if (frame < 0) frame = 0;
  return (sotto_output_clock){
      .heard = frame,
      .running = running,
      .underruns = atomic_load_explicit(&clock->underruns, memory_order_relaxed)};
}

void shared_to_s16(const float *from, int16_t *to, int64_t count) {
  // Added to this, a small number comes out as its nearest whole number in the low bits, ties to
  // even, as rint has it; so written, the compiler makes vector instructions of it.
  const float whole = 0x1.8p23f;
  for (int64_t i = 0; i < count; i++) {
    float value = from[i] * 32768.0f;
    value = value == value ? value : 0;
    value = value < 32767.0f ? value : 32767.0f;
    value = value > -32768.0f ? value : -32768.0f;
    union {
      float real;
      int32_t bits;
    } rounded = {.real = value + whole}, zero = {.real = whole};
    to[i] = (int16_t)(rounded.bits - zero.bits);
  }
}

void shared_fail(sotto_output_error *error, int code, int underlying, const char *text) {
  error->code = code;
  error->underlying = underlying;
  snprintf(error->text, sizeof error->text, "%s", text ? text : "");
}

int shared_thread(pthread_t *thread, const char *name, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  // Signals belong to the control thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(thread, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!failed) pthread_setname_np(*thread, name);
  return failed;
}

void sotto_survey_free(sotto_survey *survey) {
  if (!survey) return;
  for (size_t i = 0; i < survey->device_count; i++) {
    sotto_device *device = &survey->devices[i];
    for (size_t j = 0; j < device->port_count; j++) {
      free(device->ports[j].name);
      free(device->ports[j].description);
    }
    free(device->ports);
    free(device->name);
    free(device->description);
  }
  free(survey->devices);
  free(survey->server);
  free(survey);
}
