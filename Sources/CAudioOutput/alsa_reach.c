// Opening a PCM with a limit. The pulse plug-in, which "default" often is, waits for its server
// without one, and nothing of the library's can end that wait.

#include "alsa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int answer_seconds = 3;

/// Shared by the one who waits and the thread that opens; the last of them frees it.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t done;
  char *name;
  snd_pcm_stream_t direction;
  bool is_done;
  bool is_given_up;
  int result;
  snd_pcm_t *pcm;
} attempt;

static void free_attempt(attempt *t) {
  pthread_cond_destroy(&t->done);
  pthread_mutex_destroy(&t->lock);
  free(t->name);
  free(t);
}

static void *open_thread(void *data) {
  attempt *t = data;
  snd_pcm_t *pcm = NULL;
  int result = snd_pcm_open(&pcm, t->name, t->direction, SND_PCM_NONBLOCK);
  pthread_mutex_lock(&t->lock);
  t->result = result;
  t->pcm = pcm;
  t->is_done = true;
  bool is_mine = t->is_given_up;
  pthread_cond_signal(&t->done);
  pthread_mutex_unlock(&t->lock);
  if (is_mine) {
    // It answers after all, and nobody waits any more.
    if (result >= 0) snd_pcm_close(pcm);
    free_attempt(t);
  }
  return NULL;
}

static attempt *make_attempt(const char *name, snd_pcm_stream_t direction) {
  attempt *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->name = strdup(name);
  t->direction = direction;
  pthread_mutex_init(&t->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&t->done, &attributes);
  pthread_condattr_destroy(&attributes);
  if (t->name) return t;
  free_attempt(t);
  return NULL;
}

int alsa_reach(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t direction) {
  attempt *t = make_attempt(name, direction);
  if (!t) return -ENOMEM;
  pthread_t thread;
  int failed = pthread_create(&thread, NULL, open_thread, t);
  if (failed) {
    free_attempt(t);
    return -failed;
  }
  pthread_detach(thread);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += answer_seconds;
  pthread_mutex_lock(&t->lock);
  int waited = 0;
  while (!t->is_done && waited == 0) waited = pthread_cond_timedwait(&t->done, &t->lock, &until);
  bool is_done = t->is_done;
  t->is_given_up = !is_done;
  pthread_mutex_unlock(&t->lock);
  if (!is_done) return -ETIMEDOUT;
  int result = t->result;
  if (result >= 0) *pcm = t->pcm;
  free_attempt(t);
  return result;
}
