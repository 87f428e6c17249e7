#include "alsa.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ALSA would print on the terminal.
static void silent(const char *file, int line, const char *function, int number,
                   const char *format, ...) {
  (void)file, (void)line, (void)function, (void)number, (void)format;
}

void alsa_be_silent(void) { snd_lib_error_set_handler(silent); }

static void free_alsa(alsa *a) {
  if (a->pcm) {
    snd_pcm_drop(a->pcm);
    snd_pcm_close(a->pcm);
  }
  if (a->wake >= 0) close(a->wake);
  free(a->rendered);
  free(a->converted);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

static void describe(alsa *a, const char *name, sotto_output_facts *facts) {
  snprintf(a->description, sizeof a->description, "%s", name);
  snd_pcm_info_t *info;
  snd_pcm_info_alloca(&info);
  if (snd_pcm_info(a->pcm, info) < 0) return;
  int card = snd_pcm_info_get_card(info);
  char *title = NULL;
  if (card < 0) return;
  facts->on_card = true;
  facts->card = card;
  facts->card_device = (int)snd_pcm_info_get_device(info);
  if (snd_card_get_name(card, &title) < 0) return;
  snprintf(a->description, sizeof a->description, "%s, %s", title, snd_pcm_info_get_name(info));
  free(title);
}

static sotto_output *fail(alsa *a, sotto_output_error *error, int code, int number) {
  shared_fail(error, code, number, number < 0 ? snd_strerror(number) : "out of memory");
  free_alsa(a);
  return NULL;
}

static sotto_output *alsa_open(const sotto_output_request *request, sotto_output_facts *facts,
                               sotto_output_error *error) {
  shared_fail(error, SOTTO_FAILURE_NONE, 0, "");
  alsa_be_silent();
  alsa *a = calloc(1, sizeof *a);
  if (!a) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
    return NULL;
  }
  pthread_mutex_init(&a->lock, NULL);
  a->renderer = request->renderer;
  a->stop_at = -1;
  a->wake = sotto_eventfd();
  atomic_store(&a->margin_us, 5000);
  const char *name = request->device ? request->device : "default";
  int failed = alsa_reach(&a->pcm, name, SND_PCM_STREAM_PLAYBACK);
  if (failed < 0) {
    a->pcm = NULL;
    return fail(a, error, failed == -EINVAL ? SOTTO_FAILURE_NO_DEVICE : alsa_failure_code(failed),
                failed);
  }
  failed = alsa_configure(a, request);
  if (failed < 0) return fail(a, error, alsa_failure_code(failed), failed);
  *facts = (sotto_output_facts){.rate = a->rate,
                                .channels = a->channels,
                                .margin = a->rewinds ? a->rate / 200 : -1,
                                .has_volume = false};
  describe(a, name, facts);
  a->piece = a->rate / 20;
  a->rendered = calloc((size_t)(a->piece * a->channels), sizeof(float));
  a->converted = calloc((size_t)a->piece, a->frame_bytes);
  a->clock.rate = a->rate;
  if (!a->rendered || !a->converted || a->wake < 0 ||
      shared_thread(&a->thread, "sotto-alsa", alsa_thread, a) != 0) {
    return fail(a, error, SOTTO_FAILURE_OTHER, 0);
  }
  return (sotto_output *)a;
}

// MARK: any thread

static void alsa_kick(sotto_output *output) {
  alsa *a = (alsa *)output;
  atomic_store(&a->kicked, true);
  sotto_rt_signal(a->wake);
}

static sotto_output_clock alsa_clock(sotto_output *output) {
  return shared_clock_read(&((alsa *)output)->clock);
}

static sotto_output_volume alsa_volume(sotto_output *output) {
  (void)output;
  return (sotto_output_volume){.known = false};
}

static void alsa_set_volume(sotto_output *output, int percent) { (void)output, (void)percent; }
static void alsa_set_muted(sotto_output *output, bool muted) { (void)output, (void)muted; }
static void alsa_set_track(sotto_output *output, const char *name) { (void)output, (void)name; }

static void alsa_device(sotto_output *output, char *name, size_t size) {
  // Written once, before the stream was handed out.
  snprintf(name, size, "%s", ((alsa *)output)->description);
}

static sotto_output_error alsa_failure(sotto_output *output) {
  alsa *a = (alsa *)output;
  pthread_mutex_lock(&a->lock);
  sotto_output_error failure = a->failure;
  pthread_mutex_unlock(&a->lock);
  return failure;
}

static sotto_output_rewinds alsa_rewinds(sotto_output *output) {
  alsa *a = (alsa *)output;
  return (sotto_output_rewinds){.turns = atomic_load(&a->turns),
                                .late = atomic_load(&a->late),
                                .margin_us = atomic_load(&a->margin_us),
                                .worst_us = atomic_load(&a->worst_us)};
}

static void alsa_close(sotto_output *output) {
  alsa *a = (alsa *)output;
  atomic_store(&a->closing, true);
  sotto_rt_signal(a->wake);
  pthread_join(a->thread, NULL);
  free_alsa(a);
}

static sotto_survey *alsa_silent_survey(const char *server, sotto_output_error *error) {
  alsa_be_silent();
  return alsa_survey(server, error);
}

const sotto_output_backend *sotto_alsa_backend(void) {
  static const sotto_output_backend backend = {
      .open = alsa_open,
      .kick = alsa_kick,
      .clock = alsa_clock,
      .volume = alsa_volume,
      .set_volume = alsa_set_volume,
      .set_muted = alsa_set_muted,
      .set_track = alsa_set_track,
      .device = alsa_device,
      .failure = alsa_failure,
      .rewinds = alsa_rewinds,
      .close = alsa_close,
      .survey = alsa_silent_survey,
  };
  return &backend;
}
