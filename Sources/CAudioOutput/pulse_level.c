// How loud streams of other programs are: a recording of nothing but peaks, five times a second. Not
// corked does not mean audible (T3): a browser's tab keeps its stream open while it is silent.

#include "pulse_watch.h"

#include <string.h>

// Peaks a second. Servers send each as soon as they have it.
enum { peak_rate = 5 };
static const float threshold = 0.001f;  // -60 dB
static const int64_t second_ns = 1000000000;
// A server that has let nothing be heard by then lets nobody measure.
static const int64_t patience_us = 1000000;

static void note(sotto_watch *watch) {
  pthread_mutex_lock(&watch->lock);
  watch->level_count = watch->meter_count;
  for (size_t i = 0; i < watch->meter_count; i++) {
    watch->levels[i] =
        (sotto_level){.stream = watch->meters[i].stream, .state = watch->meters[i].state};
  }
  pthread_mutex_unlock(&watch->lock);
  sotto_rt_signal(watch->told);
}

static void set_state(sotto_watch *watch, watch_meter *meter, int state) {
  if (meter->state == state) return;
  meter->state = state;
  note(watch);
}

static watch_meter *meter_of(sotto_watch *watch, const pa_stream *record) {
  for (size_t i = 0; i < watch->meter_count; i++) {
    if (watch->meters[i].record == record) return &watch->meters[i];
  }
  return NULL;
}

static void peaks_came(pa_stream *record, size_t bytes, void *data) {
  sotto_watch *watch = data;
  watch_meter *meter = meter_of(watch, record);
  float loudest = 0;
  while (pa_stream_readable_size(record) > 0) {
    const void *piece = NULL;
    if (pa_stream_peek(record, &piece, &bytes) < 0 || bytes == 0) break;
    for (size_t i = 0; piece && i + sizeof(float) <= bytes; i += sizeof(float)) {
      float peak;
      memcpy(&peak, (const char *)piece + i, sizeof peak);
      // Not a number is no sound.
      if (peak < 0) peak = -peak;
      if (peak > loudest) loudest = peak;
      if (meter) meter->heard++;
    }
    if (pa_stream_drop(record) < 0) break;
  }
  if (!meter || meter->heard == 0) return;
  int64_t now = sotto_monotonic_ns();
  if (loudest > threshold) {
    meter->since_ns = now;
    set_state(watch, meter, SOTTO_LEVEL_SOUNDING);
  } else if (now - meter->since_ns >= second_ns) {
    set_state(watch, meter, SOTTO_LEVEL_SILENT);
  }
}

static void record_changed(pa_stream *record, void *data) {
  if (PA_STREAM_IS_GOOD(pa_stream_get_state(record))) return;
  watch_meter *meter = meter_of(data, record);
  // The measured stream may have ended; then nobody asks any more.
  if (meter) set_state(data, meter, SOTTO_LEVEL_UNAVAILABLE);
}

static void begin(sotto_watch *watch, watch_meter *meter) {
  const pa_sample_spec format = {.format = PA_SAMPLE_FLOAT32NE, .rate = peak_rate, .channels = 1};
  const pa_buffer_attr size = {.maxlength = (uint32_t)-1,
                               .fragsize = sizeof(float)};
  meter->since_ns = sotto_monotonic_ns();
  pa_stream *record = pa_stream_new(watch->context, "Peak detect", &format, NULL);
  meter->record = record;
  bool ok = record != NULL && pa_stream_set_monitor_stream(record, meter->stream) >= 0;
  if (ok) {
    pa_stream_set_read_callback(record, peaks_came, watch);
    pa_stream_set_state_callback(record, record_changed, watch);
    // Measuring must not keep a device awake, nor follow the stream elsewhere.
    ok = pa_stream_connect_record(record, NULL, &size,
                                  PA_STREAM_PEAK_DETECT | PA_STREAM_DONT_MOVE |
                                      PA_STREAM_DONT_INHIBIT_AUTO_SUSPEND |
                                      PA_STREAM_ADJUST_LATENCY) >= 0;
  }
  if (!ok) meter->state = SOTTO_LEVEL_UNAVAILABLE;
  pa_context_rttime_restart(watch->context, watch->silence,
                            pa_rtclock_now() + (pa_usec_t)patience_us);
}

static void end(watch_meter *meter) {
  if (!meter->record) return;
  pa_stream_set_read_callback(meter->record, NULL, NULL);
  pa_stream_set_state_callback(meter->record, NULL, NULL);
  pa_stream_disconnect(meter->record);
  pa_stream_unref(meter->record);
  meter->record = NULL;
}

void watch_silence_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                       void *data) {
  (void)api, (void)event, (void)tv;
  sotto_watch *watch = data;
  int64_t now = sotto_monotonic_ns();
  for (size_t i = 0; i < watch->meter_count; i++) {
    watch_meter *meter = &watch->meters[i];
    if (meter->heard > 0 || meter->state != SOTTO_LEVEL_UNKNOWN) continue;
    int64_t left_us = patience_us - (now - meter->since_ns) / 1000;
    if (left_us > 0) {
      pa_context_rttime_restart(watch->context, watch->silence,
                                pa_rtclock_now() + (pa_usec_t)left_us);
    } else {
      set_state(watch, meter, SOTTO_LEVEL_UNAVAILABLE);
    }
  }
}

void watch_set_meters(sotto_watch *watch) {
  uint32_t wanted[SOTTO_LEVEL_MOST];
  pthread_mutex_lock(&watch->lock);
  size_t count = watch->wanted_count;
  memcpy(wanted, watch->wanted, count * sizeof *wanted);
  pthread_mutex_unlock(&watch->lock);
  if (count == 0 && watch->meter_count == 0) return;
  watch_meter old[SOTTO_LEVEL_MOST];
  size_t old_count = watch->meter_count;
  memcpy(old, watch->meters, old_count * sizeof *old);
  watch->meter_count = 0;
  for (size_t i = 0; i < count; i++) {
    watch_meter *meter = &watch->meters[watch->meter_count++];
    *meter = (watch_meter){.stream = wanted[i]};
    for (size_t j = 0; j < old_count; j++) {
      if (old[j].stream != wanted[i] || old[j].wanted) continue;
      old[j].wanted = true;
      *meter = old[j];
      meter->wanted = false;
    }
  }
  for (size_t j = 0; j < old_count; j++) {
    if (!old[j].wanted) end(&old[j]);
  }
  for (size_t i = 0; i < watch->meter_count; i++) {
    watch_meter *meter = &watch->meters[i];
    if (!meter->record && meter->state == SOTTO_LEVEL_UNKNOWN) begin(watch, meter);
  }
  note(watch);
}

void watch_drop_meters(sotto_watch *watch) {
  for (size_t i = 0; i < watch->meter_count; i++) end(&watch->meters[i]);
  watch->meter_count = 0;
}
