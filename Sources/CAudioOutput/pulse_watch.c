// The watch: a connection of its own that asks the server for everything whenever something changed,
// on a thread that may wait for nobody.

#include "pulse_watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WATCH_CLOSE = 1, WATCH_REFRESH = 2, WATCH_MEASURE = 4 };

static const int64_t ms = 1000000;
// How long a server is left alone after it has answered: what comes in a burst is asked for once. A
// server with thousands of streams gets more, four times what it took to answer.
static const int64_t least_rest_ns = 15 * 1000000, most_rest_ns = 500 * 1000000;
// After this a server that owes an answer is said to be silent.
static const int64_t patience_us = 2000000;
static const int64_t first_retry_us = 200000, last_retry_us = 5000000;

static void connect_now(sotto_watch *watch);

// MARK: telling (on the watch's thread)

// Whoever waits gets the newest picture; one that nobody took is of no use any more.
static void publish(sotto_watch *watch, seen_draft *draft) {
  watch->state = draft->seen.state;
  seen_draft_free(atomic_exchange(&watch->newest, draft));
  sotto_rt_signal(watch->told);
}

static void publish_without_lists(sotto_watch *watch, int state) {
  if (watch->state == state) return;
  seen_draft *draft = seen_draft_new();
  if (!draft) return;
  draft->seen = (sotto_seen){.state = state,
                             .at_ns = sotto_monotonic_ns(),
                             .server = "",
                             .default_sink = ""};
  publish(watch, draft);
}

// MARK: asking

static void set_timer(sotto_watch *watch, int64_t us) {
  pa_context_rttime_restart(watch->context, watch->timer, pa_rtclock_now() + (pa_usec_t)us);
}

static void stop_timer(sotto_watch *watch, pa_time_event *timer) {
  pa_context_rttime_restart(watch->context, timer, PA_USEC_INVALID);
}

static void look(sotto_watch *watch) {
  watch->dirty = false;
  seen_draft_free(watch->draft);
  watch->draft = seen_draft_new();
  if (!watch->draft) return;
  watch->asked_ns = sotto_monotonic_ns();
  watch_look(watch);
  pa_context_rttime_restart(watch->context, watch->deadline,
                            pa_rtclock_now() + (pa_usec_t)patience_us);
}

// Something changed: the first time it is asked at once, and at the end of a burst once more.
static void look_soon(sotto_watch *watch) {
  watch->dirty = true;
  if (watch->open > 0 || watch->settling) return;
  int64_t rest = watch->answered_ns + watch->rest_ns - sotto_monotonic_ns();
  if (rest <= 0) return look(watch);
  watch->settling = true;
  set_timer(watch, rest / 1000 + 1);
}

void watch_answered(sotto_watch *watch) {
  seen_draft *draft = watch->draft;
  watch->draft = NULL;
  stop_timer(watch, watch->deadline);
  watch->answered_ns = sotto_monotonic_ns();
  int64_t rest = 4 * (watch->answered_ns - watch->asked_ns);
  watch->rest_ns = rest < least_rest_ns ? least_rest_ns : rest > most_rest_ns ? most_rest_ns : rest;
  sotto_seen *seen = &draft->seen;
  seen->state = SOTTO_SERVER_READY;
  seen->at_ns = watch->asked_ns;
  if (!seen->server) seen->server = "";
  if (!seen->default_sink) seen->default_sink = "";
  seen->sinks = draft->sinks.items, seen->sink_count = draft->sinks.count;
  seen->cards = draft->cards.items, seen->card_count = draft->cards.count;
  seen->sources = draft->sources.items, seen->source_count = draft->sources.count;
  seen->clients = draft->clients.items, seen->client_count = draft->clients.count;
  seen->playbacks = draft->playbacks.items, seen->playback_count = draft->playbacks.count;
  seen->captures = draft->captures.items, seen->capture_count = draft->captures.count;
  seen->modules = draft->modules.items, seen->module_count = draft->modules.count;
  publish(watch, draft);
  if (watch->dirty) look_soon(watch);
}

static void timer_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                      void *data) {
  (void)api, (void)event, (void)tv;
  sotto_watch *watch = data;
  if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(watch->context))) return connect_now(watch);
  watch->settling = false;
  if (watch->dirty && watch->open == 0) look(watch);
}

static void changed(pa_context *context, pa_subscription_event_type_t type, uint32_t index,
                    void *data) {
  (void)context, (void)type, (void)index;
  look_soon(data);
}

// MARK: connecting

static void lost(sotto_watch *watch) {
  watch_drop_meters(watch);
  seen_draft_free(watch->draft);
  watch->draft = NULL;
  watch->open = 0;
  watch->dirty = false;
  watch->settling = false;
  stop_timer(watch, watch->deadline);
  publish_without_lists(watch, SOTTO_SERVER_ABSENT);
  set_timer(watch, watch->retry_us);
  watch->retry_us = watch->retry_us * 2 < last_retry_us ? watch->retry_us * 2 : last_retry_us;
}

static void deadline_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                         void *data) {
  (void)api, (void)event, (void)tv;
  sotto_watch *watch = data;
  publish_without_lists(watch, SOTTO_SERVER_SILENT);
}

static void context_changed(pa_context *context, void *data) {
  sotto_watch *watch = data;
  pa_context_state_t state = pa_context_get_state(context);
  if (state == PA_CONTEXT_READY) {
    watch->retry_us = first_retry_us;
    pa_context_set_subscribe_callback(context, changed, watch);
    pulse_unref(pa_context_subscribe(
        context,
        PA_SUBSCRIPTION_MASK_SINK | PA_SUBSCRIPTION_MASK_SOURCE | PA_SUBSCRIPTION_MASK_SINK_INPUT |
            PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT | PA_SUBSCRIPTION_MASK_CLIENT |
            PA_SUBSCRIPTION_MASK_SERVER | PA_SUBSCRIPTION_MASK_CARD,
        NULL, NULL));
    look(watch);
    watch_set_meters(watch);
  } else if (!PA_CONTEXT_IS_GOOD(state)) {
    lost(watch);
  }
}

static void drop_context(sotto_watch *watch) {
  if (!watch->context) return;
  pa_context_set_state_callback(watch->context, NULL, NULL);
  pa_context_set_subscribe_callback(watch->context, NULL, NULL);
  pa_context_disconnect(watch->context);
  pa_context_unref(watch->context);
  watch->context = NULL;
}

// A connection that was lost is of no use any more; the timers outlive it.
static void connect_now(sotto_watch *watch) {
  if (pa_context_get_state(watch->context) != PA_CONTEXT_UNCONNECTED) {
    pa_context *context = pulse_context(watch->loop);
    if (!context) return set_timer(watch, last_retry_us);
    drop_context(watch);
    watch->context = context;
  }
  pa_context *context = watch->context;
  pa_context_rttime_restart(context, watch->deadline, pa_rtclock_now() + (pa_usec_t)patience_us);
  pa_context_set_state_callback(context, context_changed, watch);
  // What fails later, or has failed by now, is told to `context_changed`.
  if (pa_context_connect(context, watch->server, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0 &&
      pa_context_get_state(context) == PA_CONTEXT_UNCONNECTED) {
    lost(watch);
  }
}

// MARK: the thread

static void woken(pa_mainloop_api *api, pa_io_event *event, int fd, pa_io_event_flags_t flags,
                  void *data) {
  (void)api, (void)event, (void)flags;
  sotto_watch *watch = data;
  sotto_eventfd_clear(fd);
  uint32_t wishes = atomic_exchange(&watch->wishes, 0);
  if (wishes & WATCH_CLOSE) return pa_mainloop_quit(watch->loop, 0);
  if (pa_context_get_state(watch->context) != PA_CONTEXT_READY) return;
  if (wishes & WATCH_REFRESH) look_soon(watch);
  if (wishes & WATCH_MEASURE) watch_set_meters(watch);
}

static void *watch_thread(void *data) {
  sotto_watch *watch = data;
  connect_now(watch);
  pa_mainloop_run(watch->loop, NULL);
  return NULL;
}

static void free_watch(sotto_watch *watch) {
  if (watch->context) watch_drop_meters(watch);
  drop_context(watch);
  if (watch->loop) pa_mainloop_free(watch->loop);
  seen_draft_free(watch->draft);
  seen_draft_free(atomic_load(&watch->newest));
  if (watch->wake >= 0) close(watch->wake);
  if (watch->told >= 0) close(watch->told);
  pthread_mutex_destroy(&watch->lock);
  free(watch->server);
  free(watch);
}

// MARK: any thread

static void wish(sotto_watch *watch, uint32_t wishes) {
  atomic_fetch_or(&watch->wishes, wishes);
  sotto_rt_signal(watch->wake);
}

sotto_watch *sotto_watch_open(const char *server) {
  sotto_watch *watch = calloc(1, sizeof *watch);
  if (!watch) return NULL;
  pthread_mutex_init(&watch->lock, NULL);
  watch->state = -1;
  watch->retry_us = first_retry_us;
  watch->rest_ns = 15 * ms;
  watch->server = server ? strdup(server) : NULL;
  watch->wake = sotto_eventfd();
  watch->told = sotto_eventfd();
  watch->loop = pa_mainloop_new();
  // Timers are made with a connection: there is always one.
  watch->context = watch->loop ? pulse_context(watch->loop) : NULL;
  if (watch->wake < 0 || watch->told < 0 || !watch->context || (server && !watch->server)) {
    free_watch(watch);
    return NULL;
  }
  watch->api = pa_mainloop_get_api(watch->loop);
  watch->api->io_new(watch->api, watch->wake, PA_IO_EVENT_INPUT, woken, watch);
  watch->timer = pa_context_rttime_new(watch->context, PA_USEC_INVALID, timer_due, watch);
  watch->deadline = pa_context_rttime_new(watch->context, PA_USEC_INVALID, deadline_due, watch);
  watch->silence = pa_context_rttime_new(watch->context, PA_USEC_INVALID, watch_silence_due, watch);
  if (shared_thread(&watch->thread, "sotto-watch", watch_thread, watch) != 0) {
    free_watch(watch);
    return NULL;
  }
  return watch;
}

int sotto_watch_descriptor(const sotto_watch *watch) { return watch->told; }

sotto_seen *sotto_watch_take(sotto_watch *watch) {
  sotto_eventfd_clear(watch->told);
  seen_draft *draft = atomic_exchange(&watch->newest, NULL);
  return draft ? &draft->seen : NULL;
}

void sotto_watch_refresh(sotto_watch *watch) { wish(watch, WATCH_REFRESH); }

void sotto_watch_measure(sotto_watch *watch, const uint32_t *streams, size_t count) {
  if (count > SOTTO_LEVEL_MOST) count = SOTTO_LEVEL_MOST;
  pthread_mutex_lock(&watch->lock);
  watch->wanted_count = count;
  if (count > 0) memcpy(watch->wanted, streams, count * sizeof *streams);
  pthread_mutex_unlock(&watch->lock);
  wish(watch, WATCH_MEASURE);
}

size_t sotto_watch_levels(sotto_watch *watch, sotto_level levels[SOTTO_LEVEL_MOST]) {
  pthread_mutex_lock(&watch->lock);
  size_t count = watch->level_count;
  memcpy(levels, watch->levels, count * sizeof *levels);
  pthread_mutex_unlock(&watch->lock);
  return count;
}

// libpulse never blocks on the server's socket, so the thread comes out even of a hung server.
void sotto_watch_close(sotto_watch *watch) {
  wish(watch, WATCH_CLOSE);
  pthread_join(watch->thread, NULL);
  free_watch(watch);
}
