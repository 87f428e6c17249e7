// A microphone of PulseAudio or PipeWire. It has no thread of its own: whoever reads runs libpulse's
// main loop, and what comes meanwhile waits in the server.

#include "pulse.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The server sends this much at a time.
static const int fragment_ms = 50;
static const int wait_ms = 50;

typedef struct capture {
  pa_mainloop *loop;
  pa_context *context;
  pa_stream *stream;
  int channels;
  size_t taken;  ///< bytes of the server's piece that were read already
  // The source, asked for before the stream is made.
  bool answered;
  bool found;
  pa_sample_spec format;
  char description[256];
} capture;

static void free_capture(capture *c) {
  if (c->stream) pa_stream_unref(c->stream);
  if (c->context) {
    pa_context_disconnect(c->context);
    pa_context_unref(c->context);
  }
  if (c->loop) pa_mainloop_free(c->loop);
  free(c);
}

static void source_answer(pa_context *context, const pa_source_info *info, int end, void *data) {
  (void)context;
  capture *c = data;
  if (end != 0 || !info) {
    c->answered = true;
    return;
  }
  c->found = true;
  c->format = info->sample_spec;
  snprintf(c->description, sizeof c->description, "%s",
           info->description ? info->description : info->name);
}

static bool failed(capture *c, bool timed_out, sotto_output_error *error) {
  int number = timed_out ? PA_ERR_TIMEOUT : pa_context_errno(c->context);
  int code = SOTTO_FAILURE_OTHER;
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(c->context))) code = SOTTO_FAILURE_SERVER_LOST;
  if (number == PA_ERR_NOENTITY) code = SOTTO_FAILURE_NO_DEVICE;
  if (number == PA_ERR_BUSY) code = SOTTO_FAILURE_BUSY;
  if (timed_out) code = SOTTO_FAILURE_NO_ANSWER;
  shared_fail(error, code, number, pa_strerror(number));
  return false;
}

// Runs the loop until `*done`.
static bool wait_for(capture *c, const bool *done, const bool *timed_out,
                     sotto_output_error *error) {
  while (!*done) {
    if (*timed_out) return failed(c, true, error);
    if (pa_mainloop_iterate(c->loop, 1, NULL) < 0 ||
        !PA_CONTEXT_IS_GOOD(pa_context_get_state(c->context))) {
      return failed(c, false, error);
    }
  }
  return true;
}

static bool open_stream(capture *c, const sotto_capture_request *request, const bool *timed_out,
                        sotto_output_error *error) {
  pa_sample_spec format = {.format = PA_SAMPLE_FLOAT32NE,
                           .rate = c->format.rate,
                           .channels = c->format.channels == 1 ? 1 : 2};
  c->channels = format.channels;
  c->stream =
      pa_stream_new(c->context, request->name ? request->name : "sotto", &format, NULL);
  if (!c->stream) return failed(c, false, error);
  pa_buffer_attr size;
  memset(&size, 0xFF, sizeof size);
  size.fragsize = (uint32_t)(pa_usec_to_bytes((pa_usec_t)fragment_ms * 1000, &format));
  if (pa_stream_connect_record(c->stream, request->device, &size, PA_STREAM_ADJUST_LATENCY) < 0) {
    return failed(c, false, error);
  }
  while (true) {
    pa_stream_state_t state = pa_stream_get_state(c->stream);
    if (state == PA_STREAM_READY) return true;
    if (!PA_STREAM_IS_GOOD(state)) return failed(c, false, error);
    if (*timed_out) return failed(c, true, error);
    if (pa_mainloop_iterate(c->loop, 1, NULL) < 0) return failed(c, false, error);
  }
}

static bool connect(capture *c, const sotto_capture_request *request, bool *timed_out,
                    sotto_output_error *error) {
  if (!pulse_connect(c->loop, c->context, request->server, timed_out, error)) return false;
  const char *name = request->device ? request->device : "@DEFAULT_SOURCE@";
  pa_operation *asked = pa_context_get_source_info_by_name(c->context, name, source_answer, c);
  // A name that is none is not even asked for.
  if (!asked) c->answered = true;
  pulse_unref(asked);
  if (!wait_for(c, &c->answered, timed_out, error)) return false;
  if (!c->found) {
    shared_fail(error, SOTTO_FAILURE_NO_DEVICE, PA_ERR_NOENTITY, pa_strerror(PA_ERR_NOENTITY));
    return false;
  }
  return open_stream(c, request, timed_out, error);
}

static sotto_capture *capture_open(const sotto_capture_request *request,
                                   sotto_capture_facts *facts, sotto_output_error *error) {
  shared_fail(error, SOTTO_FAILURE_NONE, 0, "");
  capture *c = calloc(1, sizeof *c);
  if (!c) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory");
    return NULL;
  }
  c->loop = pa_mainloop_new();
  c->context = c->loop ? pulse_context(c->loop) : NULL;
  if (!c->context) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory or file descriptors");
    free_capture(c);
    return NULL;
  }
  bool timed_out = false;
  pa_time_event *deadline = pulse_deadline(c->loop, &timed_out);
  bool ok = connect(c, request, &timed_out, error);
  pa_mainloop_get_api(c->loop)->time_free(deadline);
  if (!ok) {
    free_capture(c);
    return NULL;
  }
  *facts = (sotto_capture_facts){.rate = (int)c->format.rate, .channels = c->channels};
  snprintf(facts->device, sizeof facts->device, "%s", c->description);
  return (sotto_capture *)c;
}

// What the server has sent, up to `most` frames; a hole in it is silence.
static int64_t take(capture *c, float *out, int64_t most) {
  size_t frame_bytes = (size_t)c->channels * sizeof(float);
  int64_t frames = 0;
  while (frames < most) {
    const void *piece = NULL;
    size_t bytes = 0;
    if (pa_stream_peek(c->stream, &piece, &bytes) < 0 || bytes == 0) break;
    size_t rest = bytes - c->taken, room = (size_t)(most - frames) * frame_bytes;
    size_t size = rest < room ? rest : room;
    size -= size % frame_bytes;
    char *to = (char *)(out + frames * c->channels);
    if (piece) {
      memcpy(to, (const char *)piece + c->taken, size);
    } else {
      memset(to, 0, size);
    }
    frames += (int64_t)(size / frame_bytes);
    c->taken += size;
    if (bytes - c->taken >= frame_bytes) break;
    pa_stream_drop(c->stream);
    c->taken = 0;
  }
  return frames;
}

static int64_t capture_read(sotto_capture *capture_, float *out, int64_t most,
                            sotto_output_error *error) {
  capture *c = (capture *)capture_;
  int64_t until = sotto_monotonic_ns() + (int64_t)wait_ms * 1000000;
  while (true) {
    if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(c->context)) ||
        !PA_STREAM_IS_GOOD(pa_stream_get_state(c->stream))) {
      bool served = PA_CONTEXT_IS_GOOD(pa_context_get_state(c->context));
      int number = pa_context_errno(c->context);
      shared_fail(error, served ? SOTTO_FAILURE_DEVICE_LOST : SOTTO_FAILURE_SERVER_LOST, number,
                  pa_strerror(number));
      return -1;
    }
    int64_t frames = take(c, out, most);
    if (frames > 0) return frames;
    int64_t left = until - sotto_monotonic_ns();
    if (left <= 0) return 0;
    if (pa_mainloop_prepare(c->loop, (int)(left / 1000) + 1) >= 0 && pa_mainloop_poll(c->loop) >= 0) {
      pa_mainloop_dispatch(c->loop);
      continue;
    }
    shared_fail(error, SOTTO_FAILURE_SERVER_LOST, 0, "the main loop ended");
    return -1;
  }
}

static void capture_close(sotto_capture *capture_) { free_capture((capture *)capture_); }

const sotto_capture_backend *sotto_pulse_capture(void) {
  static const sotto_capture_backend backend = {
      .open = capture_open, .read = capture_read, .close = capture_close};
  return &backend;
}
