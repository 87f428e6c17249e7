/// The ALSA stream's state. Everything without "any thread" beside it belongs to the device's
/// thread.
#ifndef SOTTO_ALSA_H
#define SOTTO_ALSA_H

#include "shared.h"

#include <alsa/asoundlib.h>

#pragma GCC visibility push(hidden)

typedef struct alsa {
  snd_pcm_t *pcm;
  pthread_t thread;
  sotto_renderer renderer;
  int rate;
  int channels;
  snd_pcm_format_t format;
  size_t frame_bytes;   ///< of the device's format
  int64_t buffer;       ///< frames the device holds at most
  int64_t target;       ///< frames to keep queued
  bool rewinds;         ///< type HW: what is queued can be taken back
  char description[256];

  int wake;                  ///< eventfd; any thread
  _Atomic bool kicked;       ///< any thread
  _Atomic bool closing;      ///< any thread
  shared_clock clock;        ///< any thread reads
  _Atomic int turns, late, margin_us, worst_us;  ///< any thread reads
  pthread_mutex_t lock;      ///< guards `failure`
  sotto_output_error failure;
  bool lost;

  float *rendered;      ///< one piece as it is rendered
  void *converted;      ///< the same in the device's format
  int64_t piece;        ///< frames of both

  // In frames of the stream's timeline.
  int64_t next;         ///< the next frame to render
  int64_t padding;      ///< silence in the device behind `next`
  int64_t stop_at;      ///< where the stream stops, -1: nowhere
  uint32_t stop_event;
  bool running;
  bool sounding;
  bool filling;
  bool finished;
  bool starved;
  bool dry;
  bool is_deaf;         ///< told of an error while silent: looks again after the next turn
} alsa;

/// alsa.c

/// Keeps the library from printing on the terminal.
void alsa_be_silent(void);

/// alsa_open.c
int alsa_configure(alsa *a, const sotto_output_request *request);
void alsa_convert(const alsa *a, const float *from, void *to, int64_t frames);
sotto_survey *alsa_survey(const char *server, sotto_output_error *error);
int alsa_failure_code(int number);

/// alsa_reach.c

/// `snd_pcm_open` without blocking, given up after some 3 seconds with -ETIMEDOUT.
int alsa_reach(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t direction);

/// alsa_turn.c
void *alsa_thread(void *data);

#pragma GCC visibility pop

#endif
