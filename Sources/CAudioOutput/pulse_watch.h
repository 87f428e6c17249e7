/// The watch's state. Everything without "any thread" beside it belongs to the watch's own thread.
#ifndef SOTTO_PULSE_WATCH_H
#define SOTTO_PULSE_WATCH_H

#include "pulse.h"

#pragma GCC visibility push(hidden)

/// A piece of memory for strings and arrays of one picture.
typedef struct seen_chunk {
  struct seen_chunk *next;
  size_t used;
  size_t size;
  char bytes[];
} seen_chunk;

/// A list that grows.
typedef struct seen_list {
  void *items;
  size_t count;
  size_t room;
} seen_list;

/// A picture with what it is made of. The picture comes first: its address is the whole's.
typedef struct seen_draft {
  sotto_seen seen;
  seen_chunk *chunks;
  seen_list sinks, cards, sources, clients, playbacks, captures, modules;
} seen_draft;

/// One stream that is measured.
typedef struct watch_meter {
  uint32_t stream;
  pa_stream *record;
  int state;         ///< SOTTO_LEVEL_…
  bool wanted;
  int64_t since_ns;  ///< CLOCK_MONOTONIC: the last sound, or when it began
  int64_t heard;     ///< values that came
} watch_meter;

struct sotto_watch {
  pa_mainloop *loop;
  pa_mainloop_api *api;
  pa_context *context;
  pthread_t thread;
  char *server;
  int wake;                        ///< eventfd; any thread
  int told;                        ///< eventfd; any thread
  _Atomic uint32_t wishes;         ///< any thread
  _Atomic(seen_draft *) newest;    ///< any thread; whoever takes it owns it

  pthread_mutex_t lock;            ///< guards the four that follow
  uint32_t wanted[SOTTO_LEVEL_MOST];
  size_t wanted_count;
  sotto_level levels[SOTTO_LEVEL_MOST];
  size_t level_count;

  seen_draft *draft;               ///< while the server answers
  int open;                        ///< answers still to come
  bool dirty;                      ///< something changed since the server was asked
  bool settling;                   ///< `timer` waits for the end of a burst
  int64_t asked_ns, answered_ns;   ///< CLOCK_MONOTONIC
  int64_t rest_ns;                 ///< how long the server is left alone after an answer
  int64_t retry_us;
  int state;                       ///< what was published last
  pa_time_event *timer;            ///< the end of a burst, or the next attempt to connect
  pa_time_event *deadline;         ///< by when the server must have answered
  pa_time_event *silence;          ///< by when a meter must have heard something
  watch_meter meters[SOTTO_LEVEL_MOST];
  size_t meter_count;
};

// pulse_look.c

seen_draft *seen_draft_new(void);
void seen_draft_free(seen_draft *draft);
/// Text of a picture, cut and never NULL.
const char *seen_text(seen_draft *draft, const char *text);
/// Asks the server for everything. `watch_answered` is called when the last answer is there.
void watch_look(sotto_watch *watch);

// pulse_watch.c

void watch_answered(sotto_watch *watch);

// pulse_level.c

/// Begins and ends meters as it was wished.
void watch_set_meters(sotto_watch *watch);
/// The connection is gone, and the meters with it; they begin anew with the next one.
void watch_drop_meters(sotto_watch *watch);
void watch_silence_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                       void *data);

#pragma GCC visibility pop

#endif
