/// PulseAudio (and pipewire-pulse) and ALSA behind one small table of functions. The libraries'
/// threads stay inside; the only call that goes up is into the renderer, on the device's thread.
#ifndef SOTTO_CAUDIOOUTPUT_H
#define SOTTO_CAUDIOOUTPUT_H

#include "CAudioOutputWatch.h"
#include "CRealtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// An open stream of one of the backends.
typedef struct sotto_output sotto_output;

/// Why something failed; the order is that of OutputError.Code.
enum sotto_failure {
  SOTTO_FAILURE_NONE = 0,
  SOTTO_FAILURE_NO_SERVER,
  SOTTO_FAILURE_NO_ANSWER,
  SOTTO_FAILURE_NO_DEVICE,
  SOTTO_FAILURE_BUSY,
  SOTTO_FAILURE_FORMAT,
  SOTTO_FAILURE_DEVICE_LOST,
  SOTTO_FAILURE_SERVER_LOST,
  SOTTO_FAILURE_OTHER,
  SOTTO_FAILURE_SUSPENDED,
};

/// A failure with the library's own number and its own words for it.
typedef struct sotto_output_error {
  int code;
  int underlying;
  char text[160];
} sotto_output_error;

/// Whether the server may move a stream to another device. A guarded one dies with its device
/// instead, so that nothing of it is heard elsewhere.
enum { SOTTO_GUARD_OFF, SOTTO_GUARD_AUTO, SOTTO_GUARD_ON };

/// What a stream is opened with. Strings are copied; all may be NULL.
typedef struct sotto_output_request {
  const char *device;     ///< the server's name; NULL is the default
  const char *server;     ///< address of the server; NULL is what the environment says
  const char *track;      ///< the stream's first name for mixers
  const char *role;       ///< media.role of the stream where the server knows roles
  int rate;               ///< 0: the device's own
  int channels;
  const int8_t *places;   ///< one WAVE_EXTENSIBLE bit number for each channel
  int guard;              ///< of SOTTO_GUARD; AUTO guards private devices that can vanish
  sotto_renderer renderer;
} sotto_output_request;

/// What an open stream turned out to be.
typedef struct sotto_output_facts {
  int rate;
  int channels;
  int margin;  ///< frames between the frame heard and the first that can be changed; -1: none can
  bool has_volume;
  bool on_card;     ///< plays on a card of this machine, no server between
  int card;         ///< its number
  int card_device;  ///< the number of its PCM device
} sotto_output_facts;

typedef struct sotto_output_clock {
  int64_t heard;
  bool running;
  int underruns;
} sotto_output_clock;

typedef struct sotto_output_volume {
  bool known;
  int percent;
  bool muted;
} sotto_output_volume;

/// How a stream stands to being moved.
typedef struct sotto_output_guard {
  bool guarded;  ///< the server cannot move it
  bool wanted;   ///< it may be moved, and came to a device where it should not be
} sotto_output_guard;

enum { SOTTO_ROUTE_PRIVATE, SOTTO_ROUTE_EXTERNAL, SOTTO_ROUTE_SPEAKER, SOTTO_ROUTE_NETWORK };

/// The device that a stream plays on.
typedef struct sotto_output_place {
  char name[256];    ///< the server's
  char address[32];  ///< of a Bluetooth device; empty where it is none
  int route;         ///< of SOTTO_ROUTE; -1 while it is not known
} sotto_output_place;

/// How the rewinds of a stream went: for `sotto doctor`, benchmarks and tests.
typedef struct sotto_output_rewinds {
  int turns;
  int late;             ///< turns repeated because the rewind came too late
  int margin_us;        ///< the margin now in use
  int worst_us;         ///< the longest time from asking where the device is to the write's arrival
} sotto_output_rewinds;

enum { SOTTO_PORT_UNKNOWN, SOTTO_PORT_NO, SOTTO_PORT_YES };

typedef struct sotto_port {
  char *name;
  char *description;
  int available;
  bool active;
} sotto_port;

typedef struct sotto_device {
  char *name;
  char *description;
  bool is_default;
  int route;
  int rate;      ///< 0: not known
  int channels;  ///< 0: not known
  sotto_output_volume volume;
  sotto_port *ports;
  size_t port_count;
} sotto_device;

/// A snapshot of a server and its devices; freed by sotto_survey_free.
typedef struct sotto_survey {
  char *server;
  sotto_device *devices;
  size_t device_count;
} sotto_survey;

/// What a backend can do. Every function but `open`, `close` and `survey` returns at once and may
/// be called from any thread but the device's own.
typedef struct sotto_output_backend {
  /// Opens a corked, empty stream; NULL with `error` filled. At most about 3 seconds.
  sotto_output *(*open)(const sotto_output_request *request, sotto_output_facts *facts,
                        sotto_output_error *error);
  /// Asks the device's thread for a turn.
  void (*kick)(sotto_output *output);
  sotto_output_clock (*clock)(sotto_output *output);
  sotto_output_volume (*volume)(sotto_output *output);
  void (*set_volume)(sotto_output *output, int percent);
  void (*set_muted)(sotto_output *output, bool muted);
  void (*set_track)(sotto_output *output, const char *name);
  /// The volume of event sounds, apart from the device's, as far as it is known by now. NULL where
  /// there is none.
  sotto_output_volume (*ringer)(sotto_output *output);
  /// Changes it by so many percent of what it is; 0 mutes it or lifts the mute. What came of it is
  /// told by SOTTO_EVENT_RINGER. NULL where there is none.
  void (*step_ringer)(sotto_output *output, int percent);
  /// The device's description, cut to `size`.
  void (*device)(sotto_output *output, char *name, size_t size);
  /// The device as the server knows it. NULL where there is no server.
  void (*place)(sotto_output *output, sotto_output_place *place);
  /// NULL where streams are never moved.
  sotto_output_guard (*guard)(sotto_output *output);
  /// Why the stream was lost; code SOTTO_FAILURE_NONE while it was not.
  sotto_output_error (*failure)(sotto_output *output);
  sotto_output_rewinds (*rewinds)(sotto_output *output);
  /// Whether the server wants silence of this stream (it may have muted it too). NULL where there is
  /// no server; told by SOTTO_EVENT_REQUEST.
  bool (*silence_wanted)(sotto_output *output);
  /// Lifts the mute that the server has put on this stream, once. NULL where there is none.
  void (*unmute_stream)(sotto_output *output);
  /// Ends the stream and its thread, and frees it.
  void (*close)(sotto_output *output);
  /// NULL with `error` filled when the server does not answer.
  sotto_survey *(*survey)(const char *server, sotto_output_error *error);
} sotto_output_backend;

/// PulseAudio, and PipeWire by its PulseAudio service.
const sotto_output_backend *sotto_pulse_backend(void);
/// ALSA without a server.
const sotto_output_backend *sotto_alsa_backend(void);

/// An open microphone. The thread that opens it is the only one that uses it.
typedef struct sotto_capture sotto_capture;

/// What a microphone is opened with. Strings are copied; all may be NULL.
typedef struct sotto_capture_request {
  const char *device;  ///< the server's name; NULL is the default
  const char *server;  ///< address of the server; NULL is what the environment says
  const char *name;    ///< the stream's name for mixers
} sotto_capture_request;

typedef struct sotto_capture_facts {
  int rate;
  int channels;  ///< 1 or 2
  char device[256];
} sotto_capture_facts;

typedef struct sotto_capture_backend {
  /// NULL with `error` filled. At most about 3 seconds.
  sotto_capture *(*open)(const sotto_capture_request *request, sotto_capture_facts *facts,
                         sotto_output_error *error);
  /// Up to `most` interleaved frames; waits for the first at most 50 ms. 0 when none came, -1 with
  /// `error` filled when the device or the server is gone.
  int64_t (*read)(sotto_capture *capture, float *out, int64_t most, sotto_output_error *error);
  void (*close)(sotto_capture *capture);
} sotto_capture_backend;

const sotto_capture_backend *sotto_pulse_capture(void);
const sotto_capture_backend *sotto_alsa_capture(void);

void sotto_survey_free(sotto_survey *survey);

#pragma GCC visibility pop

#include "alsa_watch.h"

#endif
