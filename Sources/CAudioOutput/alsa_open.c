// Configuring an ALSA device, converting samples for it, and the list of devices.

#include "alsa.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int alsa_failure_code(int number) {
  switch (-number) {
    case EBUSY: return SOTTO_FAILURE_BUSY;
    case ENOENT:
    case ENODEV:
    case ENXIO: return SOTTO_FAILURE_NO_DEVICE;
    case EINVAL: return SOTTO_FAILURE_FORMAT;
    case ETIMEDOUT: return SOTTO_FAILURE_NO_ANSWER;
    default: return SOTTO_FAILURE_OTHER;
  }
}

// The device's own rate is not told; nearly every device is at home at one of these.
static unsigned own_rate(snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware) {
  static const unsigned rates[] = {48000, 44100, 96000, 192000};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    if (snd_pcm_hw_params_test_rate(pcm, hardware, rates[i], 0) == 0) return rates[i];
  }
  return 48000;
}

static int set_format(alsa *a, snd_pcm_hw_params_t *hardware) {
  static const snd_pcm_format_t formats[] = {SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32,
                                             SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S16};
  int failed = -EINVAL;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    failed = snd_pcm_hw_params_set_format(a->pcm, hardware, formats[i]);
    if (failed == 0) {
      a->format = formats[i];
      return 0;
    }
  }
  return failed;
}

// A real device holds 2 s and wakes us once or twice a second. What cannot be taken back from
// anything else must be short.
static int set_hardware(alsa *a, const sotto_output_request *request) {
  snd_pcm_hw_params_t *hardware;
  snd_pcm_hw_params_alloca(&hardware);
  int failed = snd_pcm_hw_params_any(a->pcm, hardware);
  if (failed < 0) return failed;
  failed = snd_pcm_hw_params_set_access(a->pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED);
  if (failed < 0) return failed;
  failed = set_format(a, hardware);
  if (failed < 0) return failed;
  failed = snd_pcm_hw_params_set_channels(a->pcm, hardware, (unsigned)request->channels);
  if (failed < 0) return failed;
  unsigned rate = request->rate > 0 ? (unsigned)request->rate : own_rate(a->pcm, hardware);
  failed = snd_pcm_hw_params_set_rate_near(a->pcm, hardware, &rate, NULL);
  if (failed < 0) return failed;
  snd_pcm_uframes_t buffer = a->rewinds ? rate * 2 : rate * 60 / 1000;
  snd_pcm_uframes_t period = a->rewinds ? rate / 2 : rate * 10 / 1000;
  failed = snd_pcm_hw_params_set_buffer_size_near(a->pcm, hardware, &buffer);
  if (failed < 0) return failed;
  failed = snd_pcm_hw_params_set_period_size_near(a->pcm, hardware, &period, NULL);
  if (failed < 0) return failed;
  failed = snd_pcm_hw_params(a->pcm, hardware);
  if (failed < 0) return failed;
  snd_pcm_hw_params_get_buffer_size(hardware, &buffer);
  snd_pcm_hw_params_get_period_size(hardware, &period, NULL);
  a->rate = (int)rate;
  a->channels = request->channels;
  a->buffer = (int64_t)buffer;
  a->frame_bytes =
      (size_t)a->channels * (size_t)snd_pcm_format_physical_width(a->format) / 8;
  int64_t most = (int64_t)rate * 55 / 1000;
  a->target = a->rewinds || a->buffer < most ? a->buffer : most;
  return 0;
}

static int set_software(alsa *a) {
  snd_pcm_sw_params_t *software;
  snd_pcm_sw_params_alloca(&software);
  int failed = snd_pcm_sw_params_current(a->pcm, software);
  if (failed < 0) return failed;
  // A real device is started by hand. The pulse plug-in takes the threshold for its prebuffer and
  // would wait for it after a start by hand.
  int64_t threshold = a->rewinds ? a->buffer * 4 : a->target / 4;
  snd_pcm_sw_params_set_start_threshold(a->pcm, software, (snd_pcm_uframes_t)threshold);
  // We are woken when half of 2 s was heard, or a quarter of 55 ms.
  int64_t left = a->rewinds ? a->target / 2 : a->target * 3 / 4;
  snd_pcm_sw_params_set_avail_min(a->pcm, software, (snd_pcm_uframes_t)(a->buffer - left));
  return snd_pcm_sw_params(a->pcm, software);
}

int alsa_configure(alsa *a, const sotto_output_request *request) {
  a->rewinds = snd_pcm_type(a->pcm) == SND_PCM_TYPE_HW;
  int failed = set_hardware(a, request);
  if (failed < 0) return failed;
  return set_software(a);
}

static int32_t scaled(float sample, double scale) {
  // What is no number is silence, as in every other format.
  if (sample != sample) return 0;
  double value = rint((double)sample * scale);
  if (value > scale - 1) value = scale - 1;
  if (value < -scale) value = -scale;
  return (int32_t)value;
}

void alsa_convert(const alsa *a, const float *from, void *to, int64_t frames) {
  int64_t count = frames * a->channels;
  if (a->format == SND_PCM_FORMAT_FLOAT) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else if (a->format == SND_PCM_FORMAT_S32) {
    int32_t *out = to;
    for (int64_t i = 0; i < count; i++) out[i] = scaled(from[i], 2147483648.0);
  } else if (a->format == SND_PCM_FORMAT_S16) {
    shared_to_s16(from, to, count);
  } else {
    uint8_t *out = to;
    for (int64_t i = 0; i < count; i++) {
      uint32_t value = (uint32_t)scaled(from[i], 8388608.0);
      out[3 * i] = (uint8_t)value;
      out[3 * i + 1] = (uint8_t)(value >> 8);
      out[3 * i + 2] = (uint8_t)(value >> 16);
    }
  }
}

// MARK: survey

static sotto_device *add_device(sotto_survey *survey) {
  sotto_device *devices =
      realloc(survey->devices, (survey->device_count + 1) * sizeof *survey->devices);
  if (!devices) return NULL;
  survey->devices = devices;
  sotto_device *device = &devices[survey->device_count++];
  *device = (sotto_device){.route = SOTTO_ROUTE_SPEAKER};
  return device;
}

static void add_card(sotto_survey *survey, int card) {
  char name[32];
  snprintf(name, sizeof name, "hw:%d", card);
  snd_ctl_t *control;
  if (snd_ctl_open(&control, name, SND_CTL_NONBLOCK) < 0) return;
  snd_ctl_card_info_t *info;
  snd_ctl_card_info_alloca(&info);
  const char *title = snd_ctl_card_info(control, info) == 0 ? snd_ctl_card_info_get_name(info) : "";
  snd_pcm_info_t *pcm;
  snd_pcm_info_alloca(&pcm);
  int number = -1;
  while (snd_ctl_pcm_next_device(control, &number) == 0 && number >= 0) {
    snd_pcm_info_set_device(pcm, (unsigned)number);
    snd_pcm_info_set_subdevice(pcm, 0);
    snd_pcm_info_set_stream(pcm, SND_PCM_STREAM_PLAYBACK);
    if (snd_ctl_pcm_info(control, pcm) < 0) continue;
    sotto_device *device = add_device(survey);
    if (!device) break;
    char text[256];
    snprintf(text, sizeof text, "hw:%d,%d", card, number);
    device->name = strdup(text);
    snprintf(text, sizeof text, "%s, %s", title, snd_pcm_info_get_name(pcm));
    device->description = strdup(text);
    if (strstr(text, "HDMI")) device->route = SOTTO_ROUTE_EXTERNAL;
    if (strstr(text, "eadphone") || strstr(text, "eadset")) device->route = SOTTO_ROUTE_PRIVATE;
  }
  snd_ctl_close(control);
}

// 0 where there is one, also one that is in use.
static int find_default(void) {
  snd_pcm_t *pcm;
  int failed = alsa_reach(&pcm, "default", SND_PCM_STREAM_PLAYBACK);
  if (failed == 0) snd_pcm_close(pcm);
  return failed == -EBUSY ? 0 : failed;
}

sotto_survey *alsa_survey(const char *server, sotto_output_error *error) {
  (void)server;
  shared_fail(error, SOTTO_FAILURE_NONE, 0, "");
  sotto_survey *survey = calloc(1, sizeof *survey);
  if (!survey) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
    return NULL;
  }
  survey->server = strdup("ALSA");
  int missing = find_default();
  if (missing == 0) {
    sotto_device *device = add_device(survey);
    if (device) {
      device->name = strdup("default");
      device->description = strdup("ALSA's default device");
      device->is_default = true;
    }
  }
  int card = -1;
  while (snd_card_next(&card) == 0 && card >= 0) add_card(survey, card);
  if (missing == -ETIMEDOUT && survey->device_count == 0) {
    sotto_survey_free(survey);
    shared_fail(error, SOTTO_FAILURE_NO_ANSWER, missing, snd_strerror(missing));
    return NULL;
  }
  return survey;
}
