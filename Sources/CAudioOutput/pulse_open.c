// Connecting to a server and making a stream, on the caller's thread before the device's thread
// exists. Nothing waits for a server longer than a few seconds.

#include "pulse.h"

#include <stdlib.h>

// Seconds within which a server must answer while a stream is opened.
static const int answer_seconds = 3;
// Samples rendered at once where they are then converted: they stay in the processor's cache.
enum { scratch_samples = 8192 };

void pulse_unref(pa_operation *operation) {
  if (operation) pa_operation_unref(operation);
}

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
  pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, request->role ? request->role : "music");
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
  // PipeWire makes node.dont-reconnect of it.
  p->guarded = request->guard == SOTTO_GUARD_ON ||
               (request->guard == SOTTO_GUARD_AUTO && p->guardable);
  if (p->guarded) flags |= PA_STREAM_DONT_MOVE;
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

bool pulse_make_stream(pulse *p, const sotto_output_request *request, bool *timed_out,
                       sotto_output_error *error) {
  pulse_ask_early(p, request->device);
  if (!hear_early(p, timed_out, error)) return false;
  for (bool first = true;; first = false) {
    if (!choose_format(p, request, first)) {
      shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
      return false;
    }
    if (!open_stream(p, request, timed_out, error)) return false;
    // A server may remember another device for us. What was learned early does not hold there.
    uint32_t index = pa_stream_get_device_index(p->stream);
    if (first) p->sink_known = p->sink_known && index == p->sink_index;
    if (index != p->sink_index) p->guardable = false;
    p->sink_index = index;
    if (p->sink_known || !p->scratch) return true;
    pa_stream_disconnect(p->stream);
    pa_stream_unref(p->stream);
    p->stream = NULL;
  }
}
