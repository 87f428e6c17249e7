// One picture of a server: it is asked for all that it has, and what it answers is kept in bounds.
// Another program chooses its texts; they are cut here and made safe to print where they are shown.

#include "pulse_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_text = 256, chunk_bytes = 16 * 1024, most_streams = 4096, most_devices = 1024, most_ports = 64 };

// MARK: memory

seen_draft *seen_draft_new(void) { return calloc(1, sizeof(seen_draft)); }

void seen_draft_free(seen_draft *draft) {
  if (!draft) return;
  for (seen_chunk *chunk = draft->chunks; chunk;) {
    seen_chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  seen_list *lists[] = {&draft->sinks,     &draft->cards,    &draft->sources, &draft->clients,
                        &draft->playbacks, &draft->captures, &draft->modules};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->items);
  free(draft);
}

void sotto_seen_free(sotto_seen *seen) { seen_draft_free((seen_draft *)seen); }

// Memory that lives as long as the picture; NULL when there is none.
static void *keep(seen_draft *draft, size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  seen_chunk *chunk = draft->chunks;
  if (!chunk || chunk->size - chunk->used < bytes) {
    size_t size = bytes > chunk_bytes ? bytes : chunk_bytes;
    chunk = malloc(sizeof *chunk + size);
    if (!chunk) return NULL;
    *chunk = (seen_chunk){.next = draft->chunks, .size = size};
    draft->chunks = chunk;
  }
  void *memory = chunk->bytes + chunk->used;
  chunk->used += bytes;
  return memory;
}

// The next item of a list, zeroed; NULL when it is full.
static void *add(seen_list *list, size_t bytes, size_t most) {
  if (list->count == list->room) {
    if (list->count >= most) return NULL;
    size_t room = list->room ? 2 * list->room : 16;
    void *items = realloc(list->items, room * bytes);
    if (!items) return NULL;
    list->items = items;
    list->room = room;
  }
  void *item = (char *)list->items + bytes * list->count++;
  memset(item, 0, bytes);
  return item;
}

// MARK: texts

static const char *kept_bytes(seen_draft *draft, const char *bytes, size_t size) {
  size_t length = strnlen(bytes, size);
  if (length > most_text) {
    length = most_text;
    // Not in the middle of a character.
    while (length > 0 && ((unsigned char)bytes[length] & 0xC0) == 0x80) length--;
  }
  if (length == 0) return "";
  char *text = keep(draft, length + 1);
  if (!text) return "";
  memcpy(text, bytes, length);
  text[length] = 0;
  return text;
}

const char *seen_text(seen_draft *draft, const char *text) {
  return text ? kept_bytes(draft, text, strlen(text)) : "";
}

// libpulse gives no text of a property that is not UTF-8; its bytes it does give.
static const char *property(seen_draft *draft, const pa_proplist *list, const char *key) {
  const void *bytes = NULL;
  size_t size = 0;
  if (!list || pa_proplist_get(list, key, &bytes, &size) < 0 || !bytes) return "";
  return kept_bytes(draft, bytes, size);
}

static int64_t pid_of(const pa_proplist *list) {
  const char *text = list ? pa_proplist_gets(list, PA_PROP_APPLICATION_PROCESS_ID) : NULL;
  if (!text) return 0;
  char *end;
  long long pid = strtoll(text, &end, 10);
  return *end == 0 && pid > 0 && pid <= INT32_MAX ? pid : 0;
}

static bool is_true(const pa_proplist *list, const char *key) {
  const char *text = list ? pa_proplist_gets(list, key) : NULL;
  return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static bool is_set(const pa_proplist *list, const char *key) {
  return list && pa_proplist_contains(list, key) > 0;
}

// MARK: answers

static int availability(int available) {
  if (available == PA_PORT_AVAILABLE_YES) return SOTTO_PORT_YES;
  return available == PA_PORT_AVAILABLE_NO ? SOTTO_PORT_NO : SOTTO_PORT_UNKNOWN;
}

// True while an item comes; at the end of a list the answer is counted.
static bool is_item(sotto_watch *watch, int end) {
  if (end == 0) return watch->draft != NULL;
  if (--watch->open == 0) watch_answered(watch);
  return false;
}

static void on_sink(pa_context *context, const pa_sink_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  seen_draft *draft = watch->draft;
  sotto_seen_sink *sink = add(&draft->sinks, sizeof *sink, most_devices);
  if (!sink) return;
  size_t count = info->n_ports < most_ports ? info->n_ports : most_ports;
  sotto_seen_port *ports = count > 0 ? keep(draft, count * sizeof *ports) : NULL;
  if (!ports) count = 0;
  sink->active_port = -1;
  for (size_t i = 0; i < count; i++) {
    const pa_sink_port_info *port = info->ports[i];
    ports[i] = (sotto_seen_port){.name = seen_text(draft, port->name),
                                 .description = seen_text(draft, port->description),
                                 .available = availability(port->available),
                                 .route = pulse_route(info, port)};
    if (port == info->active_port) sink->active_port = (int)i;
  }
  sink->index = info->index;
  sink->card = info->card;
  sink->name = seen_text(draft, info->name);
  sink->description = seen_text(draft, info->description);
  sink->address = seen_text(draft, pulse_address(info->proplist));
  sink->route = pulse_route(info, info->active_port);
  sink->ports = ports;
  sink->port_count = count;
  sink->suspended = info->state == PA_SINK_SUSPENDED;
}

static void on_card(pa_context *context, const pa_card_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  seen_draft *draft = watch->draft;
  sotto_seen_card *card = add(&draft->cards, sizeof *card, most_devices);
  if (!card) return;
  size_t count = info->n_ports < most_ports ? info->n_ports : most_ports;
  sotto_seen_port *ports = count > 0 ? keep(draft, count * sizeof *ports) : NULL;
  if (!ports) count = 0;
  for (size_t i = 0; i < count; i++) {
    const pa_card_port_info *port = info->ports[i];
    ports[i] = (sotto_seen_port){.name = seen_text(draft, port->name),
                                 .description = seen_text(draft, port->description),
                                 .available = availability(port->available),
                                 .route = SOTTO_ROUTE_SPEAKER};
  }
  card->index = info->index;
  card->name = seen_text(draft, info->name);
  card->address = seen_text(draft, pulse_address(info->proplist));
  card->ports = ports;
  card->port_count = count;
}

static void on_source(pa_context *context, const pa_source_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  seen_draft *draft = watch->draft;
  sotto_seen_source *source = add(&draft->sources, sizeof *source, most_devices);
  if (!source) return;
  source->index = info->index;
  source->name = seen_text(draft, info->name);
  source->address = seen_text(draft, pulse_address(info->proplist));
  source->monitor = info->monitor_of_sink != PA_INVALID_INDEX;
}

static void on_client(pa_context *context, const pa_client_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  seen_draft *draft = watch->draft;
  sotto_seen_client *client = add(&draft->clients, sizeof *client, most_streams);
  if (!client) return;
  client->index = info->index;
  client->pid = pid_of(info->proplist);
  client->application = property(draft, info->proplist, PA_PROP_APPLICATION_NAME);
  client->binary = property(draft, info->proplist, PA_PROP_APPLICATION_PROCESS_BINARY);
  client->role = property(draft, info->proplist, PA_PROP_MEDIA_ROLE);
}

static void note_stream(seen_draft *draft, sotto_seen_stream *stream, const pa_proplist *list,
                        const char *name, const char *method) {
  stream->pid = pid_of(list);
  stream->application = property(draft, list, PA_PROP_APPLICATION_NAME);
  stream->binary = property(draft, list, PA_PROP_APPLICATION_PROCESS_BINARY);
  stream->role = property(draft, list, PA_PROP_MEDIA_ROLE);
  stream->name = seen_text(draft, name);
  stream->meter = is_true(list, "stream.monitor") || is_true(list, "resample.peaks") ||
                  (method && strcmp(method, "peaks") == 0);
  stream->passes_on = is_set(list, "node.link-group");
}

static void on_playback(pa_context *context, const pa_sink_input_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  sotto_seen_stream *stream = add(&watch->draft->playbacks, sizeof *stream, most_streams);
  if (!stream) return;
  note_stream(watch->draft, stream, info->proplist, info->name, NULL);
  stream->index = info->index;
  stream->client = info->client;
  stream->device = info->sink;
  stream->corked = info->corked != 0;
  stream->muted = info->mute != 0;
  stream->passes_on |= info->client == PA_INVALID_INDEX && info->owner_module != PA_INVALID_INDEX;
}

static void on_capture(pa_context *context, const pa_source_output_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  sotto_seen_stream *stream = add(&watch->draft->captures, sizeof *stream, most_streams);
  if (!stream) return;
  note_stream(watch->draft, stream, info->proplist, info->name, info->resample_method);
  stream->index = info->index;
  stream->client = info->client;
  stream->device = info->source;
  stream->corked = info->corked != 0;
  stream->muted = info->mute != 0;
  stream->passes_on |= info->client == PA_INVALID_INDEX && info->owner_module != PA_INVALID_INDEX;
}

static void on_module(pa_context *context, const pa_module_info *info, int end, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (!is_item(watch, end)) return;
  const char **module = add(&watch->draft->modules, sizeof *module, most_devices);
  if (module) *module = seen_text(watch->draft, info->name);
}

static void on_server(pa_context *context, const pa_server_info *info, void *data) {
  (void)context;
  sotto_watch *watch = data;
  if (info && watch->draft) {
    sotto_seen *seen = &watch->draft->seen;
    // PulseAudio calls itself "pulseaudio"; pipewire-pulse "PulseAudio (on PipeWire 0.3.65)".
    const char *name = info->server_name ? info->server_name : "";
    if (strcmp(name, "pulseaudio") == 0) name = "PulseAudio";
    char text[most_text];
    snprintf(text, sizeof text, "%s %s", name, info->server_version ? info->server_version : "");
    seen->server = seen_text(watch->draft, text);
    seen->is_pipewire = strstr(name, "PipeWire") != NULL;
    seen->default_sink = seen_text(watch->draft, info->default_sink_name);
  }
  if (--watch->open == 0) watch_answered(watch);
}

void watch_look(sotto_watch *watch) {
  pa_context *context = watch->context;
  pa_operation *asked[] = {
      pa_context_get_server_info(context, on_server, watch),
      pa_context_get_card_info_list(context, on_card, watch),
      pa_context_get_sink_info_list(context, on_sink, watch),
      pa_context_get_source_info_list(context, on_source, watch),
      pa_context_get_client_info_list(context, on_client, watch),
      pa_context_get_sink_input_info_list(context, on_playback, watch),
      pa_context_get_source_output_info_list(context, on_capture, watch),
      pa_context_get_module_info_list(context, on_module, watch),
  };
  watch->open = 0;
  // An answer never comes before the loop runs again.
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    if (asked[i]) watch->open++;
    pulse_unref(asked[i]);
  }
}
