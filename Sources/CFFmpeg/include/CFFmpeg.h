#ifndef SOTTO_CFFMPEG_H
#define SOTTO_CFFMPEG_H

// The door to FFmpeg: every access to its structs happens here, since their layouts belong to the
// headers this was compiled with. The libraries are never linked: sotto_ff_load binds exactly the
// sonames of those headers. Compiled without headers, the door says so and does nothing.
//
// A reader is used by one thread at a time. A flag may be set from any thread.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct sotto_ff_reader sotto_ff_reader;
typedef struct sotto_ff_flag sotto_ff_flag;

// What a time is when the container does not tell.
#define SOTTO_FF_NO_TIME INT64_MIN

// Kinds of fault, from sotto_ff_fault.
#define SOTTO_FF_FAULT_OTHER 0
#define SOTTO_FF_FAULT_NOT_AUDIO 1
#define SOTTO_FF_FAULT_CORRUPT 2
#define SOTTO_FF_FAULT_UNSUPPORTED 3
#define SOTTO_FF_FAULT_NOT_FOUND 4
#define SOTTO_FF_FAULT_PERMISSION 5
#define SOTTO_FF_FAULT_TIMEOUT 6
#define SOTTO_FF_FAULT_ABORTED 7
#define SOTTO_FF_FAULT_PROTOCOL 8

// --- The library ---------------------------------------------------------------------------------

/// True when FFmpeg's headers were there at build time.
bool sotto_ff_compiled(void);
/// Binds the libraries if they are not bound yet. False where one is missing: sotto_ff_missing
/// then names it. Any thread.
bool sotto_ff_load(void);
/// What could not be bound: a soname ("libavformat.so.59"), or a function that the library of that name
/// lacks; or an empty text.
const char *sotto_ff_missing(void);
/// The major versions of libavformat and libavcodec that this was compiled for.
int sotto_ff_format_major(void);
int sotto_ff_codec_major(void);
/// The version of the bound library, as "5.1.9-0+deb12u1".
const char *sotto_ff_version(void);

// --- Opening -------------------------------------------------------------------------------------

sotto_ff_flag *sotto_ff_flag_new(void);
void sotto_ff_flag_set(sotto_ff_flag *flag, bool raised);
void sotto_ff_flag_free(sotto_ff_flag *flag);

/// `flag`, if given, must outlive the reader: raised, it ends every blocking call.
sotto_ff_reader *sotto_ff_new(const sotto_ff_flag *flag);
/// Takes the descriptor of a regular file and closes it in the end. `ignore_edits`: the packets of
/// an MP4 file are numbered from its first sample, whatever its edit list says. 0 or a fault.
int sotto_ff_open_file(sotto_ff_reader *reader, int descriptor, bool ignore_edits);
/// Opens an http or https URL; each wait is bounded by `seconds`, and until sotto_ff_opened all of
/// them together by `opening`. 0 or a fault.
int sotto_ff_open_url(sotto_ff_reader *reader, const char *url, double seconds, double opening);
/// All that opening needs has been read: the bound for that is off.
void sotto_ff_opened(sotto_ff_reader *reader);
void sotto_ff_free(sotto_ff_reader *reader);

/// What kind of fault a code is. Nonsense in what is opened makes it no file of sound; in what sounded
/// already (`is_open`) it is damage.
int sotto_ff_fault(int code, bool is_open);
/// FFmpeg's own words for a code, cut to the room.
void sotto_ff_describe(int code, char *text, size_t size);

// --- Facts ---------------------------------------------------------------------------------------

typedef struct {
  const char *container;
  const char *codec;
  /// What the codec calls its profile ("HE-AAC"), or null.
  const char *profile;
  int32_t rate;
  int32_t channels;
  /// Bits of a sample, 0 for lossy codecs.
  int32_t bit_depth;
  int64_t bit_rate;
  /// Length of the stream and of one tick, in seconds: num/den.
  int64_t duration;
  int64_t tick_num;
  int64_t tick_den;
  /// Frames of one of the parts that make up a Windows Media packet, else 0.
  int32_t packet_unit;
  /// The first packet gives one such part less: it only fills the overlap.
  bool first_is_short;
  int64_t size;
  int32_t chapters;
  /// The container's number of the stream.
  int32_t id;
  /// Frames that the encoder put before the music, as the container's header tells.
  int32_t delay;
  bool seekable;
  bool has_video;
} sotto_ff_facts;

/// The facts of an open reader; a closed one leaves them as they are.
void sotto_ff_get_facts(sotto_ff_reader *reader, sotto_ff_facts *facts);
/// Where the channel of the interleaved frames sounds, as a WAVE_EXTENSIBLE bit number; 63 unknown.
int sotto_ff_channel(sotto_ff_reader *reader, int index);
/// The tags of the file (stream false) or of the audio stream, by index; false past the last.
bool sotto_ff_tag(
  sotto_ff_reader *reader, bool stream, int index, const char **name, const char **value);
/// A chapter's start in seconds, its title or null.
double sotto_ff_chapter(sotto_ff_reader *reader, int index, const char **title);
/// The attached picture: its bytes (the reader's, valid until it is freed) and MIME type; false
/// where there is none.
bool sotto_ff_picture(
  sotto_ff_reader *reader, const uint8_t **bytes, size_t *size, const char **type);

// --- Pictures ------------------------------------------------------------------------------------

/// The pixels of a picture file (JPEG, PNG, WebP, GIF, BMP): RGBA, not premultiplied, its longer
/// side no more than `largest`. Null where it is none, is damaged or larger than any cover. To be
/// given back with sotto_ff_free_picture. Any thread, after sotto_ff_load.
uint8_t *sotto_ff_decode_picture(
  const uint8_t *bytes, size_t size, int largest, int *width, int *height);
void sotto_ff_free_picture(uint8_t *pixels);

// --- Packets -------------------------------------------------------------------------------------

typedef struct {
  /// Presentation time in ticks, or SOTTO_FF_NO_TIME.
  int64_t time;
  int64_t decode_time;
  /// Byte position in the file, -1 where unknown.
  int64_t position;
  /// Frames that it decodes to at the rate of the facts, at most 1 << 24; 0 where that cannot be
  /// told.
  int64_t frames;
  int32_t size;
  /// Its first byte, 0 where it is empty.
  uint8_t first_byte;
  /// Decoded frames to drop at the beginning and at the end of what this packet gives.
  int32_t skip;
  int32_t discard;
  /// To be decoded, but its frames do not sound (outside an edit list).
  bool silent;
} sotto_ff_packet;

/// Reads the next packet of the audio stream and makes it the current one: 1; at the end 0; a fault.
int sotto_ff_next(sotto_ff_reader *reader, sotto_ff_packet *packet);
/// The current packet's bytes, valid until the next one is read.
size_t sotto_ff_packet_bytes(sotto_ff_reader *reader, const uint8_t **bytes);
/// What the container's header has for the decoder, valid until the reader is freed or reopened.
size_t sotto_ff_extra_bytes(sotto_ff_reader *reader, const uint8_t **bytes);
/// Seeks to at or before a time in ticks. 0 or a fault.
int sotto_ff_seek_time(sotto_ff_reader *reader, int64_t time);
/// Seeks to a byte position; fails in containers that cannot. 0 or a fault.
int sotto_ff_seek_byte(sotto_ff_reader *reader, int64_t position);
/// Whether seek_byte is possible.
bool sotto_ff_seeks_bytes(sotto_ff_reader *reader);
/// Begins again with the first packet, by opening the file anew. 0 or a fault: then the reader is
/// closed, and all that needs a packet or a decoder fails until this is tried again.
int sotto_ff_reopen(sotto_ff_reader *reader);

// --- Decoding ------------------------------------------------------------------------------------

/// From the next restart on, the decoder of that name is taken, if this FFmpeg has it; null: the
/// usual one.
void sotto_ff_prefer(sotto_ff_reader *reader, const char *name);
/// A new decoder in its first state. 0 or a fault.
int sotto_ff_restart(sotto_ff_reader *reader);
/// Tells the decoder that the next packet does not follow the last one.
void sotto_ff_flush(sotto_ff_reader *reader);
/// Gives the current packet (or null at the end of the stream) to the decoder. 0 or a fault.
int sotto_ff_send(sotto_ff_reader *reader, bool end);
/// Keeps the current packet in a slot, or makes a kept one current again.
void sotto_ff_keep(sotto_ff_reader *reader, int slot);
void sotto_ff_recall(sotto_ff_reader *reader, int slot);
#define SOTTO_FF_SLOTS 64

typedef struct {
  int32_t frames;
  int32_t rate;
  int32_t channels;
  /// Frames that the decoder itself wants dropped from here on (at the beginning of a file).
  int32_t skip;
} sotto_ff_block;

/// The next decoded block, which becomes the current one: 1; when more packets are needed 0; a
/// fault (the packet was damaged).
int sotto_ff_receive(sotto_ff_reader *reader, sotto_ff_block *block);
/// Copies frames of the current block as interleaved floats, exact for integers of up to 24 bits.
/// `channels` may differ from the block's: what is missing is silent, one channel goes to all of
/// two, and what is too much is left out.
void sotto_ff_copy(
  sotto_ff_reader *reader, int32_t first, int32_t count, int32_t channels, float *output);

#pragma GCC visibility pop

#endif
