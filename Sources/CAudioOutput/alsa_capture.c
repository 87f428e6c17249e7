// A microphone of ALSA, used by one thread.

#include "alsa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int wait_ms = 50;
// Milliseconds that the device holds while the reader is away: a slow disk.
static const int buffer_ms = 2000;

typedef struct capture {
  snd_pcm_t *pcm;
  int channels;
  bool is_float;
  int16_t *piece;
  int64_t piece_frames;
} capture;

static void free_capture(capture *c) {
  if (c->pcm) snd_pcm_close(c->pcm);
  free(c->piece);
  free(c);
}

static int configure(capture *c, sotto_capture_facts *facts) {
  snd_pcm_hw_params_t *hardware;
  snd_pcm_hw_params_alloca(&hardware);
  int failed = snd_pcm_hw_params_any(c->pcm, hardware);
  if (failed < 0) return failed;
  failed = snd_pcm_hw_params_set_access(c->pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED);
  if (failed < 0) return failed;
  c->is_float = snd_pcm_hw_params_set_format(c->pcm, hardware, SND_PCM_FORMAT_FLOAT) == 0;
  if (!c->is_float) {
    failed = snd_pcm_hw_params_set_format(c->pcm, hardware, SND_PCM_FORMAT_S16);
    if (failed < 0) return failed;
  }
  c->channels = snd_pcm_hw_params_test_channels(c->pcm, hardware, 1) == 0 ? 1 : 2;
  failed = snd_pcm_hw_params_set_channels(c->pcm, hardware, (unsigned)c->channels);
  if (failed < 0) return failed;
  unsigned rate = 48000;
  failed = snd_pcm_hw_params_set_rate_near(c->pcm, hardware, &rate, NULL);
  if (failed < 0) return failed;
  snd_pcm_uframes_t buffer = rate * (unsigned)buffer_ms / 1000, period = rate / 20;
  snd_pcm_hw_params_set_buffer_size_near(c->pcm, hardware, &buffer);
  snd_pcm_hw_params_set_period_size_near(c->pcm, hardware, &period, NULL);
  failed = snd_pcm_hw_params(c->pcm, hardware);
  if (failed < 0) return failed;
  facts->rate = (int)rate;
  facts->channels = c->channels;
  c->piece_frames = 4096;
  c->piece = calloc((size_t)(c->piece_frames * c->channels), sizeof(int16_t));
  return c->piece ? 0 : -ENOMEM;
}

static void describe(const capture *c, const char *name, sotto_capture_facts *facts) {
  snprintf(facts->device, sizeof facts->device, "%s", name);
  snd_pcm_info_t *info;
  snd_pcm_info_alloca(&info);
  if (snd_pcm_info(c->pcm, info) < 0) return;
  int card = snd_pcm_info_get_card(info);
  char *title = NULL;
  if (card < 0 || snd_card_get_name(card, &title) < 0) return;
  snprintf(facts->device, sizeof facts->device, "%s, %s", title, snd_pcm_info_get_name(info));
  free(title);
}

static sotto_capture *capture_open(const sotto_capture_request *request,
                                   sotto_capture_facts *facts, sotto_output_error *error) {
  shared_fail(error, SOTTO_FAILURE_NONE, 0, "");
  alsa_be_silent();
  capture *c = calloc(1, sizeof *c);
  if (!c) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
    return NULL;
  }
  const char *name = request->device ? request->device : "default";
  int failed = alsa_reach(&c->pcm, name, SND_PCM_STREAM_CAPTURE);
  int code = failed == -EINVAL ? SOTTO_FAILURE_NO_DEVICE : alsa_failure_code(failed);
  if (failed < 0) {
    c->pcm = NULL;
  } else {
    *facts = (sotto_capture_facts){0};
    failed = configure(c, facts);
    code = alsa_failure_code(failed);
    if (failed >= 0) {
      describe(c, name, facts);
      failed = snd_pcm_start(c->pcm);
      code = alsa_failure_code(failed);
    }
  }
  if (failed >= 0) return (sotto_capture *)c;
  shared_fail(error, code, failed, snd_strerror(failed));
  free_capture(c);
  return NULL;
}

static int64_t lose(int number, sotto_output_error *error) {
  shared_fail(error, SOTTO_FAILURE_DEVICE_LOST, number, snd_strerror(number));
  return -1;
}

static int64_t capture_read(sotto_capture *capture_, float *out, int64_t most,
                            sotto_output_error *error) {
  capture *c = (capture *)capture_;
  if (most > c->piece_frames) most = c->piece_frames;
  int ready = snd_pcm_wait(c->pcm, wait_ms);
  if (ready == 0) return 0;
  snd_pcm_sframes_t frames = ready;
  if (ready > 0) {
    void *to = c->is_float ? (void *)out : (void *)c->piece;
    frames = snd_pcm_readi(c->pcm, to, (snd_pcm_uframes_t)most);
  }
  if (frames == -EAGAIN || frames == -EINTR) return 0;
  if (frames < 0) {
    // An overrun: what the reader was too slow for is lost, and it goes on.
    int failed = snd_pcm_recover(c->pcm, (int)frames, 1);
    if (failed >= 0) failed = snd_pcm_start(c->pcm);
    return failed < 0 ? lose(failed, error) : 0;
  }
  if (!c->is_float) {
    for (int64_t i = 0; i < frames * c->channels; i++) out[i] = (float)c->piece[i] / 32768.0f;
  }
  return frames;
}

static void capture_close(sotto_capture *capture_) { free_capture((capture *)capture_); }

const sotto_capture_backend *sotto_alsa_capture(void) {
  static const sotto_capture_backend backend = {
      .open = capture_open, .read = capture_read, .close = capture_close};
  return &backend;
}
