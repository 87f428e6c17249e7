/// What the render path may call: the audited allow-list, and the contract between an output
/// (Swift or C) and the renderer of the engine. Every function declared here with SOTTO_REALTIME
/// neither locks nor allocates; that promise is what makes the header an audit list.
#ifndef SOTTO_CREALTIME_H
#define SOTTO_CREALTIME_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#if __has_attribute(swift_attr)
#define SOTTO_REALTIME                                                                             \
  __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#else
#define SOTTO_REALTIME
#endif

/// What a turn asks of the device. See sotto_renderer.
typedef struct sotto_turn {
  /// True when what was queued from the turn's frame on is no longer what should be heard: the
  /// output renders again from there (or, without rewind, simply goes on from its write position).
  bool rewrite;
  /// True when sound is wanted: a corked stream uncorks after the first write.
  bool sounding;
  /// When not negative, the frame from which only silence follows: the output corks once it has
  /// been heard, keeps the stream, and reports SOTTO_EVENT_HELD.
  int64_t hold_at;
} sotto_turn;

/// How far a render came.
typedef struct sotto_rendered {
  /// Frames written, from the first asked for. Fewer than asked means that the rest does not exist
  /// yet (a decoder is behind) or never will (`finished`).
  int64_t frames;
  /// True when nothing follows the frames written until the next turn.
  bool finished;
} sotto_rendered;

/// The face that the engine shows to an output. All three functions are called on the device's
/// own thread only, never at the same time, and neither lock, allocate nor block.
///
/// Frames are counted on the stream's own timeline: 0 is the first frame ever queued. An output
/// that rewinds asks for the same frames again and gets them with the newest gains.
typedef struct sotto_renderer {
  void *context;
  /// Takes every pending command so that it takes effect at `frame`, the earliest frame that can
  /// still be changed. `again` repeats the last turn at a later frame: its rewind came too late.
  sotto_turn (*turn)(void *context, int64_t frame, bool again);
  /// Renders `frames` interleaved float frames from `frame` on into `out`.
  sotto_rendered (*render)(void *context, int64_t frame, float *out, int64_t frames);
  /// Tells that everything before `frame` has been heard and will never be rendered again.
  void (*heard)(void *context, int64_t frame);
  /// Tells that something happened. Only sets a bit and wakes the control thread.
  void (*event)(void *context, uint32_t events);
} sotto_renderer;

enum {
  SOTTO_EVENT_HELD = 1 << 0,      ///< corked after a hold; the position stands still
  SOTTO_EVENT_FINISHED = 1 << 1,  ///< the last rendered frame has been heard
  SOTTO_EVENT_LOST = 1 << 2,      ///< the stream is gone: device removed or server ended
  SOTTO_EVENT_UNDERRUN = 1 << 3,  ///< the device ran dry although more was to come
  SOTTO_EVENT_VOLUME = 1 << 4,    ///< the device's volume or mute changed
  SOTTO_EVENT_DEVICE = 1 << 5,    ///< the stream's device or its port changed
  SOTTO_EVENT_STARTED = 1 << 6,   ///< sound runs again after open, cork or hold
  SOTTO_EVENT_TAKEN = 1 << 7,     ///< for the engine itself: a wish has been taken
  SOTTO_EVENT_RINGER = 1 << 8,    ///< the volume of event sounds was asked for, and is known or is none
  SOTTO_EVENT_STALLED = 1 << 9,   ///< the server has stopped answering while sound was to run
  SOTTO_EVENT_ANSWERS = 1 << 10,  ///< it answers again
  SOTTO_EVENT_REQUEST = 1 << 11,  ///< the server wants silence of this stream, or no longer
};

/// memcpy of `count` floats.
void sotto_rt_copy(float *to, const float *from, int64_t count) SOTTO_REALTIME;
/// Sets `count` floats to 0.
void sotto_rt_zero(float *to, int64_t count) SOTTO_REALTIME;
/// Adds 1 to an eventfd: the only way in which the device's thread wakes another. Never blocks.
void sotto_rt_signal(int eventfd) SOTTO_REALTIME;

/// Marks the beginning of a stretch that must neither lock nor allocate. Does something only in a
/// build that is linked with RealtimeSanitizer (Scripts/check-realtime): there a violation ends
/// the process with a report.
void sotto_rt_enter(void) SOTTO_REALTIME;
/// The end of that stretch.
void sotto_rt_leave(void) SOTTO_REALTIME;
/// True when RealtimeSanitizer is linked in and watches.
bool sotto_rt_is_watched(void);
/// Allocates inside a realtime stretch, on purpose: the twin that proves that the watch works.
void sotto_rt_planted_fault(void) SOTTO_REALTIME;

/// An eventfd for sotto_rt_signal, non-blocking on write; -1 with errno on failure.
int sotto_eventfd(void);
/// Waits until the eventfd is signalled or `timeout_ms` (-1: for ever) passes, and clears it.
/// True when it was signalled.
bool sotto_eventfd_wait(int eventfd, int timeout_ms);
/// Clears an eventfd without waiting.
void sotto_eventfd_clear(int eventfd);
/// CLOCK_MONOTONIC in nanoseconds.
int64_t sotto_monotonic_ns(void) SOTTO_REALTIME;

#pragma GCC visibility pop

#endif
