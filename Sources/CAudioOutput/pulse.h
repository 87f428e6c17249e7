/// The PulseAudio stream's state. Everything without "any thread" beside it belongs to the device's
/// thread, which runs libpulse's main loop; other threads leave wishes and ring an eventfd, so
/// that nobody ever waits for a server that hangs.
#ifndef SOTTO_PULSE_H
#define SOTTO_PULSE_H

#include "shared.h"

#include <pulse/ext-stream-restore.h>
#include <pulse/pulseaudio.h>

#pragma GCC visibility push(hidden)

/// Wishes of other threads.
enum { WISH_KICK = 1, WISH_VOLUME = 2, WISH_MUTE = 4, WISH_TRACK = 8, WISH_CLOSE = 16, WISH_RINGER = 32,
       WISH_UNMUTE = 64 };

/// What a turn waits for.
enum { TURN_NONE, TURN_ASKING, TURN_CHECKING };

/// The volume of event sounds as the server keeps it.
typedef struct pulse_entry {
  bool asked;   ///< a question is on its way
  bool found;
  pa_channel_map map;
  pa_cvolume volume;
  bool muted;
  char device[256];
  int64_t written;  ///< as `pulse.volume`
  int64_t written_ns;  ///< CLOCK_MONOTONIC
} pulse_entry;

typedef struct pulse {
  pa_mainloop *loop;
  pa_mainloop_api *api;
  pa_context *context;
  pa_stream *stream;
  pthread_t thread;
  sotto_renderer renderer;
  int rate;
  int channels;
  size_t frame_bytes;
  float *scratch;         ///< where a stream of 16 bits is rendered before it is converted
  int64_t scratch_frames;

  int wake;                       ///< eventfd; any thread
  _Atomic uint32_t wishes;        ///< any thread
  _Atomic int wished_volume;      ///< any thread
  _Atomic bool wished_mute;       ///< any thread
  _Atomic int ringer_steps;       ///< any thread; percent, not yet applied
  _Atomic int ringer_mutes;       ///< any thread; how often the mute is to be turned over
  _Atomic(char *) wished_track;   ///< any thread; whoever takes it owns it
  shared_clock clock;             ///< any thread reads
  _Atomic int64_t volume;         ///< any thread reads: percent * 2 + muted; -1: not known
  _Atomic int64_t ringer;         ///< any thread reads: as `volume`
  _Atomic bool silence_wanted;    ///< any thread reads
  _Atomic int turns, late, margin_us, worst_us;  ///< any thread reads
  pthread_mutex_t facts_lock;     ///< guards `description`, `place`, `failure`
  char description[256];
  sotto_output_place place;
  sotto_output_error failure;
  bool lost;
  int guard_mode;                 ///< of SOTTO_GUARD
  bool guarded;                   ///< since the stream was made
  bool guardable;                 ///< the device is one that AUTO guards
  _Atomic bool guard_wanted;      ///< any thread reads

  // The queue, in frames of the stream's timeline.
  int64_t shift;       ///< the server's index of a frame, less the frame: padding that was heard
  int64_t next;        ///< the next frame to render
  int64_t queued_end;  ///< the server's write index; past `next` only while padding is queued
  int64_t silent_end;  ///< up to where the server has silence behind `next`
  int64_t first_frames;  ///< of a turn's first block
  int64_t target;      ///< up to where the running fill goes
  int64_t stop_at;     ///< where the stream corks, -1: nowhere
  uint32_t stop_event;
  bool finished;       ///< nothing follows `next`
  bool starved;        ///< what follows `next` is not there yet
  bool dry;            ///< starved, and all before `next` was heard
  bool deep;           ///< the device reads far ahead
  bool corked;
  bool led;            ///< silence for the next start has been queued
  bool starting;       ///< uncorked, and the server has not said that sound runs
  bool exact;          ///< corked, and `read_frame` is where it will go on
  bool filling;
  bool kicked_again;

  // The last timing report.
  int64_t read_frame;     ///< the server's read index
  int64_t sink_frames;    ///< what the server and device hold after it
  int64_t reported_ns;    ///< CLOCK_MONOTONIC of the report
  int64_t reported_us;    ///< the server's clock of the report
  bool playing;
  int64_t anchor_ns;      ///< the report in which `anchor` was last looked at
  double anchor;          ///< PipeWire: the latest phase seen, frame less time in frames
  bool anchored;
  int64_t step;           ///< PipeWire: the quantum as far as it is known
  int64_t step_frame;     ///< the read index when `step` was last learned

  int turn_phase;
  int64_t turn_frame;
  int64_t turn_due_ns;    ///< CLOCK_MONOTONIC; a write that comes later is too late
  int64_t asked_us;       ///< the server's clock when the turn's frame was true
  int repeats;
  int writes;             ///< write callbacks since the last timing report

  // Whether the server is alive: something is heard from it about once a second while sound runs.
  bool pinged;            ///< asked, and not answered
  bool stalled;           ///< told so
  int64_t still_frame;    ///< what was read when it last answered out of turn; -1: heard of since

  bool is_pipewire;
  bool rewinds_device;    ///< the server takes back what the sink holds
  bool simulated;         ///< no hardware behind the sink
  int64_t block_us;       ///< a simulated sink of PulseAudio reads that much at a time; 0: unknown
  bool facts_asked;
  bool sink_known;        ///< `simulated` and `rewinds_device` are the sink's
  int early_answers;      ///< still to come before the stream is made
  pa_sample_spec sink_format;  ///< of the sink asked for early
  pa_channel_map sink_map;
  uint32_t sink_index;
  pa_cvolume sink_volume;
  char sink_port[128];

  pulse_entry entry;

  pa_io_event *wake_event;
  pa_time_event *fill_event;
  pa_time_event *stop_timer;
  pa_time_event *facts_timer;
  pa_time_event *alive_timer;
} pulse;

static inline int64_t frames_of_us(const pulse *p, int64_t us) { return us * p->rate / 1000000; }
static inline int64_t frames_of_ms(const pulse *p, int64_t ms) { return ms * p->rate / 1000; }

// pulse_timing.c

/// Asks for a report of where the stream stands.
void pulse_ask(pulse *p, pa_stream_success_cb_t answer);
/// Takes over the report that has just come; false when there is none.
bool pulse_read_timing(pulse *p);
/// Sets the clock by the report.
void pulse_set_clock(pulse *p);
/// Asks, and sets the clock by the answer.
void pulse_refresh_clock(pulse *p);
/// The frame heard when the report was made.
int64_t pulse_heard_at_report(const pulse *p);
int64_t pulse_heard_now(pulse *p);
/// Tells the renderer what will never be asked for again.
void pulse_tell_heard(pulse *p);

// pulse_queue.c

/// Renders up to `frames` from `next` on straight into the server's memory and queues them in one
/// block. When fewer come, silence fills the block up to `least` frames. Returns the frames
/// rendered; why fewer came is noted in `finished` and `starved`.
int64_t pulse_queue_rendered(pulse *p, int64_t frames, int64_t least);
/// Queues silence over [from, end) of the timeline, wherever the write index stands. False when
/// the server's memory is not to be had.
bool pulse_queue_silence(pulse *p, int64_t from, int64_t end);
/// Takes `frames` of padding that were heard out of the timeline: `next` comes right after what was
/// last heard, and nobody above learns that the server counted on.
void pulse_skip_padding(pulse *p, int64_t frames);
/// Where the queue should reach, by what the server says it has room for.
int64_t pulse_wanted_end(const pulse *p);
/// Fills up after the server asked for more.
void pulse_top_up(pulse *p);
/// Fills up to `target` in the coming rounds of the main loop.
void pulse_fill_soon(pulse *p);
void pulse_fill_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                    void *data);

// pulse_margin.c

int64_t pulse_quantum_frames(const pulse *p);
/// True of PulseAudio's null sinks.
bool pulse_reads_blocks(const pulse *p);
/// True where a start needs silence first. The first start is made before the device is known.
bool pulse_needs_lead(const pulse *p);
/// That silence: a block of the device and a little more.
int64_t pulse_lead_frames(const pulse *p);
/// The first frame that can still be changed.
int64_t pulse_earliest(pulse *p);
/// When the device takes a frame of its queue, as CLOCK_MONOTONIC; INT64_MAX where it is not known.
int64_t pulse_due_ns(const pulse *p, int64_t frame);
/// What a device has taken for good beyond what it plays.
int pulse_guard_us(const pulse *p);
/// Learns how long the way to the server is from one that went well or ill.
void pulse_learn_margin(pulse *p, bool late);

// pulse_turn.c

void pulse_begin_turn(pulse *p);
/// The turn's fill is over; begins the next one if it was asked for meanwhile.
void pulse_turn_done(pulse *p);

// pulse_stop.c

/// Sets the timer for the frame at which something is to happen.
void pulse_arm_stop(pulse *p);
void pulse_stop_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                    void *data);
/// The server says that sound runs; also when it went on after a queue that ran dry before the
/// device did.
void pulse_started(pulse *p);
/// The server says that the queue ran dry.
void pulse_underflowed(pulse *p);

// pulse_device.c

void pulse_ask_facts(pulse *p);
/// Asks, before the stream is made, what its format and its first start need.
void pulse_ask_early(pulse *p, const char *device);
void pulse_ask_sink(pulse *p);
void pulse_apply_volume(pulse *p);
void pulse_apply_mute(pulse *p);
sotto_survey *pulse_survey(const char *server, sotto_output_error *error);

// pulse_alive.c

/// The server is heard of, or sound begins to run and it will be.
void pulse_alive(pulse *p);
/// Tells that the stream is lost, once.
void pulse_lose(pulse *p, int code);
void pulse_alive_due(pa_mainloop_api *api, pa_time_event *event, const struct timeval *tv,
                     void *data);

// pulse_route.c

/// Who can hear a sink with that port active; `port` may be NULL.
int pulse_route(const pa_sink_info *info, const pa_sink_port_info *port);
/// The address of a Bluetooth device, as PipeWire or as PulseAudio has it; NULL where it is none.
const char *pulse_address(const pa_proplist *properties);

// pulse_ringer.c

/// Takes the wished steps of the volume of event sounds.
void pulse_step_ringer(pulse *p);

// pulse_open.c

void pulse_queue_size(pa_buffer_attr *size, int rate, size_t frame_bytes, bool deep);
/// Frames in the largest block that libpulse sends whole.
int64_t pulse_block_frames(size_t frame_bytes);
pa_context *pulse_context(pa_mainloop *loop);
/// Runs the loop on the calling thread until the context is ready; false with `error` filled.
bool pulse_connect(pa_mainloop *loop, pa_context *context, const char *server, bool *timed_out,
                   sotto_output_error *error);
/// Makes a corked stream in the format of the device that it comes to. As pulse_connect.
bool pulse_make_stream(pulse *p, const sotto_output_request *request, bool *timed_out,
                       sotto_output_error *error);
/// Starts the 3 s within which a server must answer; `timed_out` is set when they are over.
pa_time_event *pulse_deadline(pa_mainloop *loop, bool *timed_out);
void pulse_unref(pa_operation *operation);

#pragma GCC visibility pop

#endif
