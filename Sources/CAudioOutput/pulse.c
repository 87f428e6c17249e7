#include "pulse.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Seconds within which a server must answer while a stream is opened.
static const int answer_seconds = 3;
// Samples rendered at once where they are then converted: they stay in the processor's cache.
enum { scratch_samples = 8192 };

void pulse_unref(pa_operation *operation) {
  if (operation) pa_operation_unref(operation);
}

// MARK: opening (on the caller's thread, before the device's thread exists)

pa_context *pulse_context(pa_mainloop *loop) {
  pa_proplist *properties = pa_proplist_new();
  pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, "sotto");
  pa_proplist_sets(properties, PA_PROP_APPLICATION_ID, "sotto");
  pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "multimedia-player");
  pa_context *context =
      pa_context_new_with_proplist(pa_mainloop_get_api(loop), "sotto", properties);
  pa_proplist_free(properties);
  return context;
}

static void deadline_passed(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                            void *data) {
  (void)api, (void)event, (void)tv;
  *(bool *)data = true;
}

pa_time_event *pulse_deadline(pa_mainloop *loop, bool *timed_out) {
  struct timeval at;
  pa_gettimeofday(&at);
  at.tv_sec += answer_seconds;
  pa_mainloop_api *api = pa_mainloop_get_api(loop);
  return api->time_new(api, &at, deadline_passed, timed_out);
}

bool pulse_connect(pa_mainloop *loop, pa_context *context, const char *server, bool *timed_out,
                   sotto_output_error *error) {
  bool ok = pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, NULL) >= 0;
  while (ok) {
    pa_context_state_t state = pa_context_get_state(context);
    if (state == PA_CONTEXT_READY) return true;
    if (!PA_CONTEXT_IS_GOOD(state)) break;
    if (*timed_out) {
      shared_fail(error, SOTTO_FAILURE_NO_ANSWER, PA_ERR_TIMEOUT, pa_strerror(PA_ERR_TIMEOUT));
      return false;
    }
    if (pa_mainloop_iterate(loop, 1, NULL) < 0) break;
  }
  int number = pa_context_errno(context);
  shared_fail(error, SOTTO_FAILURE_NO_SERVER, number, pa_strerror(number));
  return false;
}

// The place of a WAVE_EXTENSIBLE bit.
static pa_channel_position_t position(int place) {
  static const pa_channel_position_t places[] = {
      PA_CHANNEL_POSITION_FRONT_LEFT,       PA_CHANNEL_POSITION_FRONT_RIGHT,
      PA_CHANNEL_POSITION_FRONT_CENTER,     PA_CHANNEL_POSITION_LFE,
      PA_CHANNEL_POSITION_REAR_LEFT,        PA_CHANNEL_POSITION_REAR_RIGHT,
      PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER,
      PA_CHANNEL_POSITION_REAR_CENTER,      PA_CHANNEL_POSITION_SIDE_LEFT,
      PA_CHANNEL_POSITION_SIDE_RIGHT,       PA_CHANNEL_POSITION_TOP_CENTER,
      PA_CHANNEL_POSITION_TOP_FRONT_LEFT,   PA_CHANNEL_POSITION_TOP_FRONT_CENTER,
      PA_CHANNEL_POSITION_TOP_FRONT_RIGHT,  PA_CHANNEL_POSITION_TOP_REAR_LEFT,
      PA_CHANNEL_POSITION_TOP_REAR_CENTER,  PA_CHANNEL_POSITION_TOP_REAR_RIGHT,
  };
  if (place < 0 || place >= (int)(sizeof places / sizeof *places)) {
    return PA_CHANNEL_POSITION_INVALID;
  }
  return places[place];
}

static void channel_map(pa_channel_map *map, const sotto_output_request *request) {
  pa_channel_map_init(map);
  map->channels = (uint8_t)request->channels;
  for (int i = 0; i < request->channels; i++) {
    map->map[i] = request->places ? position(request->places[i]) : PA_CHANNEL_POSITION_INVALID;
  }
  if (request->channels == 1) map->map[0] = PA_CHANNEL_POSITION_MONO;
  if (!pa_channel_map_valid(map)) {
    pa_channel_map_init_extend(map, (unsigned)request->channels, PA_CHANNEL_MAP_WAVEEX);
  }
}

static void lose(pulse *p, int code) {
  if (p->lost) return;
  p->lost = true;
  int number = pa_context_errno(p->context);
  pthread_mutex_lock(&p->facts_lock);
  shared_fail(&p->failure, code, number, pa_strerror(number));
  pthread_mutex_unlock(&p->facts_lock);
  int64_t now = sotto_monotonic_ns();
  shared_clock_set(&p->clock, shared_clock_read(&p->clock).heard, now, false);
  p->renderer.event(p->renderer.context, SOTTO_EVENT_LOST);
}

static void context_changed(pa_context *context, void *data) {
  pulse *p = data;
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) lose(p, SOTTO_FAILURE_SERVER_LOST);
}

static void stream_changed(pa_stream *stream, void *data) {
  pulse *p = data;
  if (PA_STREAM_IS_GOOD(pa_stream_get_state(stream))) return;
  bool served = PA_CONTEXT_IS_GOOD(pa_context_get_state(p->context));
  lose(p, served ? SOTTO_FAILURE_DEVICE_LOST : SOTTO_FAILURE_SERVER_LOST);
}

static void write_wanted(pa_stream *stream, size_t bytes, void *data) {
  (void)stream, (void)bytes;
  pulse_top_up(data);
}

static void underflowed(pa_stream *stream, void *data) {
  (void)stream;
  pulse_underflowed(data);
}

static void started(pa_stream *stream, void *data) {
  (void)stream;
  pulse_started(data);
}

static void moved(pa_stream *stream, void *data) {
  pulse *p = data;
  p->sink_index = pa_stream_get_device_index(stream);
  p->sink_known = false;
  p->rewinds_device = false;
  p->anchored = false;
  pulse_ask_sink(p);
  pulse_refresh_clock(p);
}

static void suspended(pa_stream *stream, void *data) {
  (void)stream;
  pulse_refresh_clock(data);
}

static void facts_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                      void *data) {
  (void)api, (void)event, (void)tv;
  pulse_ask_facts(data);
}

static void woken(pa_mainloop_api *api, pa_io_event *event, int fd, pa_io_event_flags_t flags,
                  void *data) {
  (void)api, (void)event, (void)flags;
  pulse *p = data;
  sotto_eventfd_clear(fd);
  uint32_t wishes = atomic_exchange(&p->wishes, 0);
  if (wishes & WISH_CLOSE) {
    pa_mainloop_quit(p->loop, 0);
    return;
  }
  if (p->lost) return;
  if (wishes & WISH_KICK) pulse_begin_turn(p);
  if (wishes & WISH_VOLUME) pulse_apply_volume(p);
  if (wishes & WISH_MUTE) pulse_apply_mute(p);
  if (wishes & WISH_TRACK) {
    char *name = atomic_exchange(&p->wished_track, NULL);
    if (name) pulse_unref(pa_stream_set_name(p->stream, name, NULL, NULL));
    free(name);
  }
}

static void *device_thread(void *data) {
  pulse *p = data;
  pa_mainloop_run(p->loop, NULL);
  return NULL;
}

static void free_pulse(pulse *p) {
  if (p->stream) {
    pa_stream_set_state_callback(p->stream, NULL, NULL);
    pa_stream_unref(p->stream);
  }
  if (p->context) {
    pa_context_set_state_callback(p->context, NULL, NULL);
    pa_context_disconnect(p->context);
    pa_context_unref(p->context);
  }
  if (p->loop) pa_mainloop_free(p->loop);
  if (p->wake >= 0) close(p->wake);
  free(atomic_load(&p->wished_track));
  free(p->scratch);
  pthread_mutex_destroy(&p->facts_lock);
  free(p);
}

// libpulse cuts what is written into blocks of its memory pool (64 KB less a little).
int64_t pulse_block_frames(size_t frame_bytes) { return (int64_t)(65000 / frame_bytes); }

// The queue holds 2 s and is filled when almost half of it was heard. One frame is enough to start
// (and to go on after the queue ran dry), so a sound of a few milliseconds is heard too.
//
// ADJUST_LATENCY gives the device (tlength - 2 * minreq) / 2. That is first 22 ms, one usual
// PipeWire quantum. PulseAudio later gets more (`deep`), since it takes back what the device holds
// and then wakes less often; but never more than most of a block, see take_turn.
void pulse_queue_size(pa_buffer_attr *size, int rate, size_t frame_bytes, bool deep) {
  int64_t device = (int64_t)rate * (deep ? 110 : 22) / 1000;
  int64_t most = pulse_block_frames(frame_bytes) * 6 / 10;
  if (device > most) device = most;
  size->maxlength = (uint32_t)-1;
  size->tlength = (uint32_t)((size_t)rate * 2 * frame_bytes);
  size->minreq = (uint32_t)((size_t)(rate - device) * frame_bytes);
  size->prebuf = (uint32_t)frame_bytes;
  size->fragsize = (uint32_t)-1;
}

// Waits for what pulse_ask_early asked.
static bool hear_early(pulse *p, const bool *timed_out, sotto_output_error *error) {
  while (p->early_answers > 0) {
    if (*timed_out) {
      shared_fail(error, SOTTO_FAILURE_NO_ANSWER, PA_ERR_TIMEOUT, pa_strerror(PA_ERR_TIMEOUT));
      return false;
    }
    if (pa_mainloop_iterate(p->loop, 1, NULL) >= 0 &&
        PA_CONTEXT_IS_GOOD(pa_context_get_state(p->context))) {
      continue;
    }
    int number = pa_context_errno(p->context);
    shared_fail(error, SOTTO_FAILURE_SERVER_LOST, number, pa_strerror(number));
    return false;
  }
  return true;
}

// Where the server would only round to the sink's 16 bits, we do that: what is heard is the same,
// and half as many blocks go to the server and come back. PipeWire mixes in float in any case.
static bool choose_format(pulse *p, const sotto_output_request *request, bool known) {
  pa_channel_map map;
  channel_map(&map, request);
  bool narrow = known && p->sink_known && !p->is_pipewire &&
                p->sink_format.format == PA_SAMPLE_S16NE &&
                (request->rate <= 0 || (uint32_t)request->rate == p->sink_format.rate) &&
                pa_channel_map_equal(&map, &p->sink_map);
  p->frame_bytes = (size_t)p->channels * (narrow ? sizeof(int16_t) : sizeof(float));
  free(p->scratch);
  p->scratch = NULL;
  if (!narrow) return true;
  p->scratch_frames = scratch_samples / p->channels;
  p->scratch = calloc(scratch_samples, sizeof(float));
  return p->scratch != NULL;
}

static bool open_stream(pulse *p, const sotto_output_request *request, bool *timed_out,
                        sotto_output_error *error) {
  pa_sample_spec format = {
      .format = p->scratch ? PA_SAMPLE_S16NE : PA_SAMPLE_FLOAT32NE,
      .rate = request->rate > 0 ? (uint32_t)request->rate : 48000,
      .channels = (uint8_t)request->channels};
  pa_channel_map map;
  channel_map(&map, request);
  pa_proplist *properties = pa_proplist_new();
  pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music");
  p->stream = pa_stream_new_with_proplist(p->context, request->track ? request->track : "sotto",
                                          &format, &map, properties);
  pa_proplist_free(properties);
  if (!p->stream) {
    int number = pa_context_errno(p->context);
    shared_fail(error, SOTTO_FAILURE_FORMAT, number, pa_strerror(number));
    return false;
  }
  pa_buffer_attr size;
  pulse_queue_size(&size, (int)format.rate, p->frame_bytes, false);
  pa_stream_flags_t flags = PA_STREAM_START_CORKED | PA_STREAM_ADJUST_LATENCY;
  if (request->rate <= 0) flags |= PA_STREAM_FIX_RATE;
  bool ok =
      pa_stream_connect_playback(p->stream, request->device, &size, flags, NULL, NULL) >= 0;
  while (ok) {
    pa_stream_state_t state = pa_stream_get_state(p->stream);
    if (state == PA_STREAM_READY) return true;
    if (!PA_STREAM_IS_GOOD(state)) break;
    if (*timed_out) {
      shared_fail(error, SOTTO_FAILURE_NO_ANSWER, PA_ERR_TIMEOUT, pa_strerror(PA_ERR_TIMEOUT));
      return false;
    }
    if (pa_mainloop_iterate(p->loop, 1, NULL) < 0) break;
  }
  int number = pa_context_errno(p->context);
  int code = SOTTO_FAILURE_OTHER;
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(p->context))) code = SOTTO_FAILURE_SERVER_LOST;
  if (number == PA_ERR_NOENTITY) code = SOTTO_FAILURE_NO_DEVICE;
  if (number == PA_ERR_BUSY) code = SOTTO_FAILURE_BUSY;
  if (number == PA_ERR_NOTSUPPORTED || number == PA_ERR_INVALID) code = SOTTO_FAILURE_FORMAT;
  shared_fail(error, code, number, pa_strerror(number));
  return false;
}

// Opens the stream in the format of the device that it comes to.
static bool make_stream(pulse *p, const sotto_output_request *request, bool *timed_out,
                        sotto_output_error *error) {
  for (bool first = true;; first = false) {
    if (!choose_format(p, request, first)) {
      shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
      return false;
    }
    if (!open_stream(p, request, timed_out, error)) return false;
    // A server may remember another device for us. What was learned early does not hold there.
    uint32_t index = pa_stream_get_device_index(p->stream);
    if (first) p->sink_known = p->sink_known && index == p->sink_index;
    p->sink_index = index;
    if (p->sink_known || !p->scratch) return true;
    pa_stream_disconnect(p->stream);
    pa_stream_unref(p->stream);
    p->stream = NULL;
  }
}

static void watch(pulse *p) {
  pa_context_set_state_callback(p->context, context_changed, p);
  pa_stream_set_state_callback(p->stream, stream_changed, p);
  pa_stream_set_write_callback(p->stream, write_wanted, p);
  pa_stream_set_underflow_callback(p->stream, underflowed, p);
  pa_stream_set_started_callback(p->stream, started, p);
  pa_stream_set_moved_callback(p->stream, moved, p);
  pa_stream_set_suspended_callback(p->stream, suspended, p);
  p->wake_event = p->api->io_new(p->api, p->wake, PA_IO_EVENT_INPUT, woken, p);
  p->facts_timer =
      pa_context_rttime_new(p->context, pa_rtclock_now() + 200000, facts_due, p);
  p->fill_event = pa_context_rttime_new(p->context, PA_USEC_INVALID, pulse_fill_due, p);
  p->stop_timer = pa_context_rttime_new(p->context, PA_USEC_INVALID, pulse_stop_due, p);
}

static sotto_output *pulse_open(const sotto_output_request *request, sotto_output_facts *facts,
                                sotto_output_error *error) {
  shared_fail(error, SOTTO_FAILURE_NONE, 0, "");
  pulse *p = calloc(1, sizeof *p);
  if (!p) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
    return NULL;
  }
  pthread_mutex_init(&p->facts_lock, NULL);
  p->renderer = request->renderer;
  p->channels = request->channels;
  p->stop_at = -1;
  p->corked = true;
  p->exact = true;
  atomic_store(&p->volume, -1);
  atomic_store(&p->margin_us, 6500);
  p->wake = sotto_eventfd();
  p->loop = pa_mainloop_new();
  p->api = p->loop ? pa_mainloop_get_api(p->loop) : NULL;
  p->context = p->loop ? pulse_context(p->loop) : NULL;
  if (p->wake < 0 || !p->context) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory or file descriptors");
    free_pulse(p);
    return NULL;
  }
  bool timed_out = false;
  pa_time_event *deadline = pulse_deadline(p->loop, &timed_out);
  bool ok = pulse_connect(p->loop, p->context, request->server, &timed_out, error);
  if (ok) {
    pulse_ask_early(p, request->device);
    ok = hear_early(p, &timed_out, error) && make_stream(p, request, &timed_out, error);
  }
  p->api->time_free(deadline);
  if (!ok) {
    free_pulse(p);
    return NULL;
  }
  p->rate = (int)pa_stream_get_sample_spec(p->stream)->rate;
  p->clock.rate = p->rate;
  p->first_frames = pulse_block_frames(p->frame_bytes);
  if (p->first_frames > p->rate / 6) p->first_frames = p->rate / 6;
  const char *device = pa_stream_get_device_name(p->stream);
  strncpy(p->description, device ? device : "", sizeof p->description - 1);
  watch(p);
  if (shared_thread(&p->thread, "sotto-pulse", device_thread, p) != 0) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "no thread can be started");
    free_pulse(p);
    return NULL;
  }
  *facts = (sotto_output_facts){.rate = p->rate,
                                .channels = p->channels,
                                .margin = (int)((int64_t)p->rate * 65 / 10000),
                                .has_volume = true};
  return (sotto_output *)p;
}

// MARK: any thread

static void wish(pulse *p, uint32_t wishes) {
  atomic_fetch_or(&p->wishes, wishes);
  sotto_rt_signal(p->wake);
}

static void pulse_kick(sotto_output *output) { wish((pulse *)output, WISH_KICK); }

static sotto_output_clock pulse_clock(sotto_output *output) {
  return shared_clock_read(&((pulse *)output)->clock);
}

static sotto_output_volume pulse_volume(sotto_output *output) {
  int64_t packed = atomic_load(&((pulse *)output)->volume);
  if (packed < 0) return (sotto_output_volume){.known = false};
  return (sotto_output_volume){
      .known = true, .percent = (int)(packed / 2), .muted = packed % 2 == 1};
}

static void pulse_set_volume(sotto_output *output, int percent) {
  pulse *p = (pulse *)output;
  atomic_store(&p->wished_volume, percent < 0 ? 0 : percent > 150 ? 150 : percent);
  wish(p, WISH_VOLUME);
}

static void pulse_set_muted(sotto_output *output, bool muted) {
  pulse *p = (pulse *)output;
  atomic_store(&p->wished_mute, muted);
  wish(p, WISH_MUTE);
}

static void pulse_set_track(sotto_output *output, const char *name) {
  pulse *p = (pulse *)output;
  free(atomic_exchange(&p->wished_track, strdup(name)));
  wish(p, WISH_TRACK);
}

static void pulse_device(sotto_output *output, char *name, size_t size) {
  pulse *p = (pulse *)output;
  if (size == 0) return;
  pthread_mutex_lock(&p->facts_lock);
  strncpy(name, p->description, size - 1);
  name[size - 1] = 0;
  pthread_mutex_unlock(&p->facts_lock);
}

static sotto_output_error pulse_failure(sotto_output *output) {
  pulse *p = (pulse *)output;
  pthread_mutex_lock(&p->facts_lock);
  sotto_output_error failure = p->failure;
  pthread_mutex_unlock(&p->facts_lock);
  return failure;
}

static sotto_output_rewinds pulse_rewinds(sotto_output *output) {
  pulse *p = (pulse *)output;
  return (sotto_output_rewinds){.turns = atomic_load(&p->turns),
                                .late = atomic_load(&p->late),
                                .margin_us = atomic_load(&p->margin_us),
                                .worst_us = atomic_load(&p->worst_us)};
}

// libpulse never blocks on the server's socket, so the thread comes out even of a hung server, and
// disconnecting only closes the socket.
static void pulse_close(sotto_output *output) {
  pulse *p = (pulse *)output;
  wish(p, WISH_CLOSE);
  pthread_join(p->thread, NULL);
  free_pulse(p);
}

const sotto_output_backend *sotto_pulse_backend(void) {
  static const sotto_output_backend backend = {
      .open = pulse_open,
      .kick = pulse_kick,
      .clock = pulse_clock,
      .volume = pulse_volume,
      .set_volume = pulse_set_volume,
      .set_muted = pulse_set_muted,
      .set_track = pulse_set_track,
      .device = pulse_device,
      .failure = pulse_failure,
      .rewinds = pulse_rewinds,
      .close = pulse_close,
      .survey = pulse_survey,
  };
  return &backend;
}
