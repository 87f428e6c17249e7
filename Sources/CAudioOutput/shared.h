/// What both backends share: the lock-free clock, the kept failure, and small helpers.
#ifndef SOTTO_OUTPUT_SHARED_H
#define SOTTO_OUTPUT_SHARED_H

#include "CAudioOutput.h"

#include <pthread.h>
#include <stdatomic.h>

// A library loaded later must not find these names: libasound's plug-in has a pulse_connect too.
#pragma GCC visibility push(hidden)

/// Where the stream stands, written by the device's thread and read by any. A sequence lock made
/// of atomics: the reader repeats when the writer came between.
typedef struct shared_clock {
  _Atomic uint32_t sequence;
  _Atomic int64_t frame;  ///< heard at `at_ns`
  _Atomic int64_t at_ns;  ///< CLOCK_MONOTONIC
  _Atomic int64_t end;    ///< first frame not queued
  _Atomic bool running;
  _Atomic int underruns;
  _Atomic int64_t shown;  ///< the latest frame told while running: the clock never steps back
  int rate;
} shared_clock;

/// Device's thread. `frame` was heard at `at_ns`.
void shared_clock_set(shared_clock *clock, int64_t frame, int64_t at_ns, bool running);
/// Device's thread. Nothing from `end` on is queued.
void shared_clock_set_end(shared_clock *clock, int64_t end);
/// Any thread.
sotto_output_clock shared_clock_read(shared_clock *clock);
/// Device's thread: the frame heard at `now_ns`, without the limits of `shared_clock_read`.
int64_t shared_clock_frame(shared_clock *clock, int64_t now_ns);

/// Converts `count` samples to 16 bits: the nearest step, and full scale where a sample is beyond it.
/// Not a number is silence.
void shared_to_s16(const float *from, int16_t *to, int64_t count);

/// Fills in an error.
void shared_fail(sotto_output_error *error, int code, int underlying, const char *text);
/// Starts a thread that takes no signals, named `name`.
int shared_thread(pthread_t *thread, const char *name, void *(*body)(void *), void *argument);

#pragma GCC visibility pop

#endif
