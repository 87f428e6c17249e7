// The device behind a PulseAudio stream (name, port, volume) and the survey of all devices.

#include "pulse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: the stream's own device (on the device's thread)

static int percent_of(const pa_cvolume *volume) {
  return (int)(((uint64_t)pa_cvolume_max(volume) * 100 + PA_VOLUME_NORM / 2) / PA_VOLUME_NORM);
}

// What the server takes back of what its device holds: PulseAudio only from devices that it fills
// by timer, PipeWire from none (its graph has already consumed it). PulseAudio would also take it
// back from a null sink, but there whoever listens is a recorder, and it has got it already. Behind
// a filter there may be hardware.
static bool takes_back(const pulse *p, const pa_sink_info *info) {
  if (p->is_pipewire || (info->flags & PA_SINK_DYNAMIC_LATENCY) == 0) return false;
  if (info->flags & (PA_SINK_HARDWARE | PA_SINK_NETWORK)) return true;
  const char *class = pa_proplist_gets(info->proplist, PA_PROP_DEVICE_CLASS);
  return class && strcmp(class, "filter") == 0;
}

static bool has(const char *text, const char *part) { return text && strstr(text, part) != NULL; }

// Whether it is, or may be, private and is a device of its own, that can be pulled or lost: not a port
// of a card that stays, where only the port changes and a guard would protect nothing.
static bool is_guardable(const pa_sink_info *info) {
  const char *bus = pa_proplist_gets(info->proplist, PA_PROP_DEVICE_BUS);
  const char *api = pa_proplist_gets(info->proplist, PA_PROP_DEVICE_API);
  int route = pulse_route(info, info->active_port);
  // udev knows a headset only by a name that says so: most USB headsets tell of no form at all, and
  // call their output a speaker.
  if (route == SOTTO_ROUTE_SPEAKER && has(bus, "usb")) {
    return pa_proplist_gets(info->proplist, PA_PROP_DEVICE_FORM_FACTOR) == NULL;
  }
  if (route != SOTTO_ROUTE_PRIVATE) return false;
  return has(bus, "usb") || has(bus, "bluetooth") || has(api, "bluez") || info->n_ports == 0;
}

static void note_place(sotto_output_place *place, const pa_sink_info *info) {
  const char *address = pulse_address(info->proplist);
  snprintf(place->name, sizeof place->name, "%s", info->name);
  snprintf(place->address, sizeof place->address, "%s", address ? address : "");
  place->route = pulse_route(info, info->active_port);
}

// What turns and starts need to know of the sink.
static void note_sink(pulse *p, const pa_sink_info *info) {
  p->sink_known = true;
  p->rewinds_device = takes_back(p, info);
  p->simulated = (info->flags & PA_SINK_HARDWARE) == 0;
  p->guardable = is_guardable(info);
  p->block_us = 0;
  if (p->simulated && !p->rewinds_device && !p->is_pipewire) {
    p->block_us = (int64_t)info->configured_latency;
  }
}

static void early_sink(pa_context *context, const pa_sink_info *info, int end, void *data) {
  (void)context;
  pulse *p = data;
  if (end != 0 || !info) {
    p->early_answers--;
    return;
  }
  p->sink_index = info->index;
  p->sink_format = info->sample_spec;
  p->sink_map = info->channel_map;
  note_sink(p, info);
  note_place(&p->place, info);
}

static void early_server(pa_context *context, const pa_server_info *info, void *data) {
  (void)context;
  pulse *p = data;
  p->early_answers--;
  if (!info) return;
  p->is_pipewire = info->server_name && strstr(info->server_name, "PipeWire") != NULL;
}

void pulse_ask_early(pulse *p, const char *device) {
  pa_operation *server = pa_context_get_server_info(p->context, early_server, p);
  pa_operation *sink = pa_context_get_sink_info_by_name(p->context, device, early_sink, p);
  // What libpulse does not even ask, as a name that is none, nobody will answer.
  p->early_answers = (server != NULL) + (sink != NULL);
  pulse_unref(server);
  pulse_unref(sink);
}

static void sink_answer(pa_context *context, const pa_sink_info *info, int end, void *data) {
  (void)context;
  pulse *p = data;
  if (end != 0 || !info || info->index != p->sink_index) return;
  note_sink(p, info);
  if (p->is_pipewire && p->step == 0) pulse_refresh_clock(p);
  if (p->rewinds_device != p->deep) {
    p->deep = p->rewinds_device;
    pa_buffer_attr size;
    pulse_queue_size(&size, p->rate, p->frame_bytes, p->deep);
    pulse_unref(pa_stream_set_buffer_attr(p->stream, &size, NULL, NULL));
  }
  p->sink_volume = info->volume;
  int64_t packed = (int64_t)percent_of(&info->volume) * 2 + (info->mute ? 1 : 0);
  bool volume_changed = atomic_exchange(&p->volume, packed) != packed;
  const char *description = info->description ? info->description : info->name;
  const char *port = info->active_port ? info->active_port->name : "";
  pthread_mutex_lock(&p->facts_lock);
  bool device_changed = strncmp(p->description, description, sizeof p->description - 1) != 0;
  snprintf(p->description, sizeof p->description, "%s", description);
  if (strcmp(p->place.name, info->name) != 0) device_changed = true;
  note_place(&p->place, info);
  pthread_mutex_unlock(&p->facts_lock);
  if (strncmp(p->sink_port, port, sizeof p->sink_port - 1) != 0) device_changed = true;
  snprintf(p->sink_port, sizeof p->sink_port, "%s", port);
  bool wanted = p->guard_mode == SOTTO_GUARD_AUTO && p->guardable && !p->guarded;
  if (atomic_exchange(&p->guard_wanted, wanted) != wanted) device_changed = true;
  uint32_t events = 0;
  if (volume_changed) events |= SOTTO_EVENT_VOLUME;
  if (device_changed) events |= SOTTO_EVENT_DEVICE;
  if (events) p->renderer.event(p->renderer.context, events);
}

void pulse_ask_sink(pulse *p) {
  pulse_unref(
      pa_context_get_sink_info_by_index(p->context, p->sink_index, sink_answer, p));
}

static void subscribed_event(pa_context *context, pa_subscription_event_type_t type,
                             uint32_t index, void *data) {
  (void)context;
  pulse *p = data;
  if ((type & PA_SUBSCRIPTION_EVENT_FACILITY_MASK) != PA_SUBSCRIPTION_EVENT_SINK) return;
  if ((type & PA_SUBSCRIPTION_EVENT_TYPE_MASK) != PA_SUBSCRIPTION_EVENT_CHANGE) return;
  if (index == p->sink_index) pulse_ask_sink(p);
}

static void server_answer(pa_context *context, const pa_server_info *info, void *data) {
  (void)context;
  pulse *p = data;
  if (!info) return;
  p->is_pipewire = info->server_name && strstr(info->server_name, "PipeWire") != NULL;
  pulse_ask_sink(p);
}

// What nobody needs before the first sound.
void pulse_ask_facts(pulse *p) {
  if (p->facts_asked || p->lost) return;
  p->facts_asked = true;
  p->api->time_free(p->facts_timer);
  p->facts_timer = NULL;
  pulse_unref(pa_context_get_server_info(p->context, server_answer, p));
  pa_context_set_subscribe_callback(p->context, subscribed_event, p);
  pulse_unref(pa_context_subscribe(p->context, PA_SUBSCRIPTION_MASK_SINK, NULL, NULL));
}

void pulse_apply_volume(pulse *p) {
  if (p->sink_volume.channels == 0) return;
  pa_volume_t wanted =
      (pa_volume_t)((uint64_t)atomic_load(&p->wished_volume) * PA_VOLUME_NORM / 100);
  // Scaling keeps the balance; from silence there is none to keep.
  if (pa_cvolume_is_muted(&p->sink_volume)) {
    pa_cvolume_set(&p->sink_volume, p->sink_volume.channels, wanted);
  } else {
    pa_cvolume_scale(&p->sink_volume, wanted);
  }
  pulse_unref(pa_context_set_sink_volume_by_index(p->context, p->sink_index, &p->sink_volume,
                                                  NULL, NULL));
}

void pulse_apply_mute(pulse *p) {
  pulse_unref(pa_context_set_sink_mute_by_index(p->context, p->sink_index,
                                                atomic_load(&p->wished_mute), NULL, NULL));
}

// MARK: survey (on the caller's thread)

typedef struct surveyor {
  sotto_survey *survey;
  char *default_sink;
  size_t room;
  int open;  ///< answers still to come
  bool failed;
} surveyor;

static char *copy(const char *text) { return strdup(text ? text : ""); }

static void note_ports(sotto_device *device, const pa_sink_info *info) {
  device->ports = calloc(info->n_ports ? info->n_ports : 1, sizeof *device->ports);
  if (!device->ports) return;
  for (uint32_t i = 0; i < info->n_ports; i++) {
    const pa_sink_port_info *port = info->ports[i];
    int available = SOTTO_PORT_UNKNOWN;
    if (port->available == PA_PORT_AVAILABLE_YES) available = SOTTO_PORT_YES;
    if (port->available == PA_PORT_AVAILABLE_NO) available = SOTTO_PORT_NO;
    device->ports[device->port_count++] = (sotto_port){.name = copy(port->name),
                                                       .description = copy(port->description),
                                                       .available = available,
                                                       .active = port == info->active_port};
  }
}

static void survey_sink(pa_context *context, const pa_sink_info *info, int end, void *data) {
  (void)context;
  surveyor *s = data;
  if (end != 0) {
    s->open--;
    if (end < 0) s->failed = true;
    return;
  }
  sotto_survey *survey = s->survey;
  if (survey->device_count == s->room) {
    size_t room = s->room ? 2 * s->room : 8;
    sotto_device *devices = realloc(survey->devices, room * sizeof *devices);
    if (!devices) return;
    survey->devices = devices;
    s->room = room;
  }
  sotto_device *device = &survey->devices[survey->device_count++];
  *device = (sotto_device){
      .name = copy(info->name),
      .description = copy(info->description),
      .route = pulse_route(info, info->active_port),
      .rate = (int)info->sample_spec.rate,
      .channels = info->sample_spec.channels,
      .volume = {.known = true, .percent = percent_of(&info->volume), .muted = info->mute != 0}};
  note_ports(device, info);
}

static void survey_server(pa_context *context, const pa_server_info *info, void *data) {
  (void)context;
  surveyor *s = data;
  s->open--;
  if (!info) {
    s->failed = true;
    return;
  }
  // PulseAudio calls itself "pulseaudio"; pipewire-pulse "PulseAudio (on PipeWire 0.3.65)".
  const char *name = info->server_name ? info->server_name : "";
  if (strcmp(name, "pulseaudio") == 0) name = "PulseAudio";
  char text[200];
  snprintf(text, sizeof text, "%s %s", name, info->server_version ? info->server_version : "");
  free(s->survey->server);
  s->survey->server = copy(text);
  s->default_sink = info->default_sink_name ? copy(info->default_sink_name) : NULL;
}

static void collect(pa_mainloop *loop, pa_context *context, surveyor *s, const bool *timed_out,
                    sotto_output_error *error) {
  s->open = 2;
  pulse_unref(pa_context_get_server_info(context, survey_server, s));
  pulse_unref(pa_context_get_sink_info_list(context, survey_sink, s));
  while (s->open > 0 && !s->failed && !*timed_out) {
    if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) break;
    if (pa_mainloop_iterate(loop, 1, NULL) < 0) break;
  }
  if (s->open == 0 && !s->failed) return;
  int number = *timed_out ? PA_ERR_TIMEOUT : pa_context_errno(context);
  shared_fail(error, *timed_out ? SOTTO_FAILURE_NO_ANSWER : SOTTO_FAILURE_SERVER_LOST, number,
              pa_strerror(number));
}

sotto_survey *pulse_survey(const char *server, sotto_output_error *error) {
  shared_fail(error, SOTTO_FAILURE_NONE, 0, "");
  surveyor s = {.survey = calloc(1, sizeof(sotto_survey))};
  pa_mainloop *loop = pa_mainloop_new();
  pa_context *context = loop ? pulse_context(loop) : NULL;
  if (!s.survey || !context) {
    shared_fail(error, SOTTO_FAILURE_OTHER, 0, "out of memory or file descriptors");
  } else {
    bool timed_out = false;
    pa_time_event *deadline = pulse_deadline(loop, &timed_out);
    if (pulse_connect(loop, context, server, &timed_out, error)) {
      collect(loop, context, &s, &timed_out, error);
    }
    pa_mainloop_get_api(loop)->time_free(deadline);
  }
  if (context) {
    pa_context_disconnect(context);
    pa_context_unref(context);
  }
  if (loop) pa_mainloop_free(loop);
  if (error->code != SOTTO_FAILURE_NONE) {
    sotto_survey_free(s.survey);
    s.survey = NULL;
  }
  for (size_t i = 0; s.survey && i < s.survey->device_count; i++) {
    sotto_device *device = &s.survey->devices[i];
    device->is_default = s.default_sink && strcmp(device->name, s.default_sink) == 0;
  }
  free(s.default_sink);
  return s.survey;
}
