// A PulseAudio stream as a backend: its thread, what the server tells it, and what other threads ask
// of it.

#include "pulse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: the device's thread

void pulse_lose(pulse *p, int code) {
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
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) pulse_lose(p, SOTTO_FAILURE_SERVER_LOST);
}

static void stream_changed(pa_stream *stream, void *data) {
  pulse *p = data;
  if (PA_STREAM_IS_GOOD(pa_stream_get_state(stream))) return;
  bool served = PA_CONTEXT_IS_GOOD(pa_context_get_state(p->context));
  pulse_lose(p, served ? SOTTO_FAILURE_DEVICE_LOST : SOTTO_FAILURE_SERVER_LOST);
}

static void write_wanted(pa_stream *stream, size_t bytes, void *data) {
  (void)stream, (void)bytes;
  pulse_alive(data);
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
  p->guardable = false;
  pthread_mutex_lock(&p->facts_lock);
  p->place.route = -1;
  pthread_mutex_unlock(&p->facts_lock);
  p->rewinds_device = false;
  p->anchored = false;
  pulse_ask_sink(p);
  pulse_refresh_clock(p);
}

static void suspended(pa_stream *stream, void *data) {
  (void)stream;
  pulse_refresh_clock(data);
}

// module-role-cork asks; with a call over it takes that back. Whether to obey is the session's.
static void requested(pa_stream *stream, const char *name, pa_proplist *list, void *data) {
  (void)stream, (void)list;
  pulse *p = data;
  bool wanted = strcmp(name, PA_STREAM_EVENT_REQUEST_CORK) == 0;
  if (!wanted && strcmp(name, PA_STREAM_EVENT_REQUEST_UNCORK) != 0) return;
  atomic_store(&p->silence_wanted, wanted);
  p->renderer.event(p->renderer.context, SOTTO_EVENT_REQUEST);
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
  if (wishes & WISH_RINGER) pulse_step_ringer(p);
  if (wishes & WISH_UNMUTE) {
    uint32_t index = pa_stream_get_index(p->stream);
    pulse_unref(pa_context_set_sink_input_mute(p->context, index, 0, NULL, NULL));
  }
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

// MARK: opening (on the caller's thread)

static void watch(pulse *p) {
  pa_context_set_state_callback(p->context, context_changed, p);
  pa_stream_set_state_callback(p->stream, stream_changed, p);
  pa_stream_set_write_callback(p->stream, write_wanted, p);
  pa_stream_set_underflow_callback(p->stream, underflowed, p);
  pa_stream_set_started_callback(p->stream, started, p);
  pa_stream_set_moved_callback(p->stream, moved, p);
  pa_stream_set_suspended_callback(p->stream, suspended, p);
  pa_stream_set_event_callback(p->stream, requested, p);
  p->wake_event = p->api->io_new(p->api, p->wake, PA_IO_EVENT_INPUT, woken, p);
  p->facts_timer =
      pa_context_rttime_new(p->context, pa_rtclock_now() + 200000, facts_due, p);
  p->fill_event = pa_context_rttime_new(p->context, PA_USEC_INVALID, pulse_fill_due, p);
  p->stop_timer = pa_context_rttime_new(p->context, PA_USEC_INVALID, pulse_stop_due, p);
  p->alive_timer = pa_context_rttime_new(p->context, PA_USEC_INVALID, pulse_alive_due, p);
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
  p->guard_mode = request->guard;
  p->stop_at = -1;
  p->still_frame = -1;
  p->corked = true;
  p->exact = true;
  atomic_store(&p->volume, -1);
  atomic_store(&p->ringer, -1);
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
  ok = ok && pulse_make_stream(p, request, &timed_out, error);
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
  // What was learned early is of the same device, or of none.
  strncpy(p->place.name, device ? device : "", sizeof p->place.name - 1);
  if (!p->sink_known) p->place.route = -1;
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

static sotto_output_volume unpacked(int64_t packed) {
  if (packed < 0) return (sotto_output_volume){.known = false};
  return (sotto_output_volume){
      .known = true, .percent = (int)(packed / 2), .muted = packed % 2 == 1};
}

static sotto_output_volume pulse_volume(sotto_output *output) {
  return unpacked(atomic_load(&((pulse *)output)->volume));
}

static sotto_output_volume pulse_ringer(sotto_output *output) {
  return unpacked(atomic_load(&((pulse *)output)->ringer));
}

static void pulse_wish_ringer(sotto_output *output, int percent) {
  pulse *p = (pulse *)output;
  if (percent == 0) {
    atomic_fetch_add(&p->ringer_mutes, 1);
  } else {
    atomic_fetch_add(&p->ringer_steps, percent);
  }
  wish(p, WISH_RINGER);
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

static void pulse_place(sotto_output *output, sotto_output_place *place) {
  pulse *p = (pulse *)output;
  pthread_mutex_lock(&p->facts_lock);
  *place = p->place;
  pthread_mutex_unlock(&p->facts_lock);
}

static sotto_output_guard pulse_guard(sotto_output *output) {
  pulse *p = (pulse *)output;
  return (sotto_output_guard){.guarded = p->guarded, .wanted = atomic_load(&p->guard_wanted)};
}

static sotto_output_error pulse_failure(sotto_output *output) {
  pulse *p = (pulse *)output;
  pthread_mutex_lock(&p->facts_lock);
  sotto_output_error failure = p->failure;
  pthread_mutex_unlock(&p->facts_lock);
  return failure;
}

static bool pulse_silence_wanted(sotto_output *output) {
  return atomic_load(&((pulse *)output)->silence_wanted);
}

static void pulse_unmute_stream(sotto_output *output) { wish((pulse *)output, WISH_UNMUTE); }

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
      .ringer = pulse_ringer,
      .step_ringer = pulse_wish_ringer,
      .device = pulse_device,
      .place = pulse_place,
      .guard = pulse_guard,
      .failure = pulse_failure,
      .rewinds = pulse_rewinds,
      .silence_wanted = pulse_silence_wanted,
      .unmute_stream = pulse_unmute_stream,
      .close = pulse_close,
      .survey = pulse_survey,
  };
  return &backend;
}
