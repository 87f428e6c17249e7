/// What a sound server shows of itself and of other programs: whole pictures of it, taken by a
/// thread of its own whenever something changed. Never counted events: servers merge them, and tell
/// of a change when it is already over.
#ifndef SOTTO_CAUDIOOUTPUT_WATCH_H
#define SOTTO_CAUDIOOUTPUT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// No index: a stream without a client, a device without a card.
#define SOTTO_SEEN_NONE UINT32_MAX

enum {
  SOTTO_SERVER_ABSENT,  ///< there is none, or it went away; looked for again in 0.2 to 5 s
  SOTTO_SERVER_SILENT,  ///< it is there and does not answer
  SOTTO_SERVER_READY,
};

typedef struct sotto_seen_port {
  const char *name;
  const char *description;
  int available;  ///< SOTTO_PORT_…
  int route;      ///< SOTTO_ROUTE_…, of the device with this port
} sotto_seen_port;

typedef struct sotto_seen_sink {
  uint32_t index;
  uint32_t card;
  const char *name;
  const char *description;
  const char *address;      ///< Bluetooth; empty where it is none
  int route;                ///< SOTTO_ROUTE_…, with the active port
  int active_port;          ///< index of it; -1: none
  const sotto_seen_port *ports;
  size_t port_count;
  bool suspended;  ///< nothing that plays on it is heard: given up for a while by the server
} sotto_seen_sink;

typedef struct sotto_seen_card {
  uint32_t index;
  const char *name;
  const char *address;
  const sotto_seen_port *ports;
  size_t port_count;
} sotto_seen_card;

typedef struct sotto_seen_source {
  uint32_t index;
  const char *name;
  const char *address;
  bool monitor;  ///< it records what a sink plays
} sotto_seen_source;

typedef struct sotto_seen_client {
  uint32_t index;
  int64_t pid;  ///< as the program says; 0: not known
  const char *application;
  const char *binary;
  const char *role;
} sotto_seen_client;

/// A stream that plays or records. What it does not say itself stands empty; its client may say it.
typedef struct sotto_seen_stream {
  uint32_t index;
  uint32_t client;
  uint32_t device;  ///< the sink or source
  int64_t pid;
  const char *application;
  const char *binary;
  const char *role;
  const char *name;
  bool corked;
  bool muted;
  bool meter;      ///< it only measures, or records what a device plays, by its own word
  bool passes_on;  ///< part of a filter or loopback, or a module's own
} sotto_seen_stream;

/// One picture. Strings are never NULL, at most 256 bytes long, and may be invalid UTF-8; lists are
/// cut at some thousands of entries.
typedef struct sotto_seen {
  int state;           ///< SOTTO_SERVER_…; the lists are empty unless it is ready
  bool is_pipewire;
  int64_t at_ns;       ///< CLOCK_MONOTONIC, when the server was asked
  const char *server;  ///< for people
  const char *default_sink;
  const sotto_seen_sink *sinks;
  size_t sink_count;
  const sotto_seen_card *cards;
  size_t card_count;
  const sotto_seen_source *sources;
  size_t source_count;
  const sotto_seen_client *clients;
  size_t client_count;
  const sotto_seen_stream *playbacks;
  size_t playback_count;
  const sotto_seen_stream *captures;
  size_t capture_count;
  const char *const *modules;
  size_t module_count;
} sotto_seen;

/// How loud a stream of another program is.
enum {
  SOTTO_LEVEL_UNKNOWN,      ///< not measured yet
  SOTTO_LEVEL_SILENT,       ///< below -60 dB of full scale for a second
  SOTTO_LEVEL_SOUNDING,
  SOTTO_LEVEL_UNAVAILABLE,  ///< the server lets nobody measure it
};

typedef struct sotto_level {
  uint32_t stream;
  int state;  ///< SOTTO_LEVEL_…
} sotto_level;

/// At most so many streams are measured.
#define SOTTO_LEVEL_MOST 16

typedef struct sotto_watch sotto_watch;

/// Starts to watch; returns at once. `server` is its address, NULL what the environment says. NULL
/// when there is no memory, descriptor or thread to be had.
sotto_watch *sotto_watch_open(const char *server);
/// An eventfd that can be read when a new picture is there, or a level has changed. Not to be closed.
int sotto_watch_descriptor(const sotto_watch *watch);
/// The newest picture, once; NULL when it was taken already. Freed by sotto_seen_free. Clears the
/// descriptor. From one thread at a time.
sotto_seen *sotto_watch_take(sotto_watch *watch);
void sotto_seen_free(sotto_seen *seen);
/// Asks for a new picture although nothing happened. Any thread.
void sotto_watch_refresh(sotto_watch *watch);
/// Measures these playback streams from now on, and no others. Any thread.
void sotto_watch_measure(sotto_watch *watch, const uint32_t *streams, size_t count);
/// What was measured of them; returns how many were written to `levels`. Any thread.
size_t sotto_watch_levels(sotto_watch *watch, sotto_level levels[SOTTO_LEVEL_MOST]);
/// Ends the thread and frees everything. Does not wait for the server.
void sotto_watch_close(sotto_watch *watch);

/// What is known of a device when it is asked who can hear it. Any string may be NULL.
typedef struct sotto_route_facts {
  const char *name;
  const char *driver;
  const char *form_factor;
  const char *bus;
  const char *api;
  const char *port_name;
  int port_type;  ///< as PulseAudio counts them; 0: not known, or no port
  bool network;
} sotto_route_facts;

/// SOTTO_ROUTE_…: by the network, the port, the form factor, and how the device is connected.
int sotto_route_class(const sotto_route_facts *facts);

#pragma GCC visibility pop

#endif
