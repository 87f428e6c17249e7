// Packets: reading, seeking, and how many frames one holds.

#include "bound.h"

#ifdef SOTTO_HAVE_FFMPEG

#include <errno.h>
#include <string.h>

// Nothing that is sound comes in larger pieces; a damaged size must not be believed.
#define LARGEST_PACKET (16 << 20)
// No packet holds more: a damaged time base, duration or header must not be believed either.
#define LARGEST_FRAMES (1 << 24)
// Damaged stretches in a row that are stepped over before the file is given up.
#define MOST_FAULTS 1000

static AVStream *audio(sotto_ff_reader *reader) { return reader->format->streams[reader->stream]; }

/// Frames of a Windows Media packet (versions 1 and 2): with a bit reservoir, as many as its first
/// byte says.
static void prepare_wma(sotto_ff_reader *reader) {
  const AVCodecParameters *parameters = audio(reader)->codecpar;
  int version = parameters->codec_id == AV_CODEC_ID_WMAV1 ? 1
    : parameters->codec_id == AV_CODEC_ID_WMAV2           ? 2
                                                          : 0;
  reader->wma_frame = 0;
  if (!version) return;
  int rate = parameters->sample_rate;
  int bits = rate <= 16000 ? 9 : rate <= 22050 || (rate <= 32000 && version == 1) ? 10 : 11;
  reader->wma_frame = 1 << bits;
  const uint8_t *extra = parameters->extradata;
  int flags = 0;
  if (version == 1 && parameters->extradata_size >= 4) flags = extra[2] | extra[3] << 8;
  if (version == 2 && parameters->extradata_size >= 6) flags = extra[4] | extra[5] << 8;
  reader->wma_reservoir = flags & 2;
}

/// Where times are exact multiples of a frame, packets need not be looked into.
static bool times_are_exact(const AVStream *stream) {
  int64_t rate = stream->codecpar->sample_rate;
  int64_t num = stream->time_base.num;
  int64_t den = stream->time_base.den;
  if (rate <= 0 || num <= 0 || den <= 0) return false;
  // A frame is a number of ticks, or a tick a packet. (A millisecond is a number of frames at some
  // rates, but no packet is a number of milliseconds.)
  return num == 1 ? den % rate == 0 : rate * num % den == 0;
}

void sotto_ff_prepare_parser(sotto_ff_reader *reader) {
  AVStream *stream = audio(reader);
  prepare_wma(reader);
  if (times_are_exact(stream) || reader->wma_frame) return;
  reader->parser = sotto_av.av_parser_init(stream->codecpar->codec_id);
  if (!reader->parser) return;
  reader->parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
  reader->parser_codec = sotto_av.avcodec_alloc_context3(NULL);
  if (!reader->parser_codec ||
    sotto_av.avcodec_parameters_to_context(reader->parser_codec, stream->codecpar) < 0) {
    sotto_av.av_parser_close(reader->parser);
    reader->parser = NULL;
  }
}

static int64_t packet_frames(sotto_ff_reader *reader, const AVPacket *packet) {
  AVStream *stream = audio(reader);
  if (reader->wma_frame) {
    if (!reader->wma_reservoir) return reader->wma_frame;
    return packet->size > 0 ? (int64_t)(packet->data[0] & 15) * reader->wma_frame : 0;
  }
  if (times_are_exact(stream) && packet->duration > 0) {
    // Any duration: what overflows is answered with INT64_MIN.
    return sotto_av.av_rescale(
      packet->duration, (int64_t)stream->time_base.num * stream->codecpar->sample_rate,
      stream->time_base.den);
  }
  if (reader->parser) {
    uint8_t *data;
    int size;
    reader->parser->duration = 0;
    sotto_av.av_parser_parse2(
      reader->parser, reader->parser_codec, &data, &size, packet->data, packet->size, packet->pts,
      packet->dts, packet->pos);
    if (reader->parser->duration > 0) return reader->parser->duration;
  }
  // Ticks finer than frames tell the length by rounding.
  int64_t num = stream->time_base.num, den = stream->time_base.den;
  int64_t rate = stream->codecpar->sample_rate;
  if (packet->duration > 0 && packet->duration < 1 << 24 && num == 1 && den > rate && rate > 0)
    return sotto_av.av_rescale(packet->duration, rate, den);
  if (stream->codecpar->codec_id == AV_CODEC_ID_AAC && stream->codecpar->frame_size <= 0)
    return 1024;
  int frames = sotto_av.av_get_audio_frame_duration2(stream->codecpar, packet->size);
  return frames;
}

int64_t sotto_ff_packet_frames(sotto_ff_reader *reader, const AVPacket *packet) {
  int64_t frames = packet_frames(reader, packet);
  return frames > 0 && frames <= LARGEST_FRAMES ? frames : 0;
}

/// A stream of unknown length ends when its server closes the connection, which FFmpeg calls a
/// read error.
static int end_or(sotto_ff_reader *reader, int code) {
  bool endless = reader->network && sotto_av.avio_size(reader->io) <= 0;
  return endless && code == AVERROR(EIO) ? 0 : code;
}

int sotto_ff_next(sotto_ff_reader *reader, sotto_ff_packet *facts) {
  if (!reader->format) return AVERROR(EIO);
  for (int faults = 0;;) {
    sotto_ff_arm(reader);
    sotto_av.av_packet_unref(reader->packet);
    int code = sotto_av.av_read_frame(reader->format, reader->packet);
    if (code == AVERROR_EOF) {
      // A broken connection looks like the end, a read error of a disk too.
      int error = reader->io->error;
      return error < 0 && error != AVERROR_EOF ? end_or(reader, error) : 0;
    }
    if (code < 0) {
      if (reader->timed_out) return AVERROR(ETIMEDOUT);
      if (code == AVERROR_EXIT || code == AVERROR(ENOMEM) || code == AVERROR(EIO))
        return end_or(reader, code);
      if (++faults > MOST_FAULTS) return code;
      if (reader->io->eof_reached && code != AVERROR(EAGAIN)) return 0;
      continue;
    }
    if (reader->packet->stream_index != reader->stream) continue;
    if (reader->packet->size > LARGEST_PACKET) continue;
    break;
  }
  const AVPacket *packet = reader->packet;
  memset(facts, 0, sizeof *facts);
  facts->time = packet->pts == AV_NOPTS_VALUE ? SOTTO_FF_NO_TIME : packet->pts;
  facts->decode_time = packet->dts == AV_NOPTS_VALUE ? facts->time : packet->dts;
  facts->position = packet->pos;
  facts->size = packet->size;
  facts->first_byte = packet->size > 0 ? packet->data[0] : 0;
  facts->frames = sotto_ff_packet_frames(reader, packet);
  facts->silent = packet->flags & AV_PKT_FLAG_DISCARD;
  size_t size = 0;
  const uint8_t *side =
    sotto_av.av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size);
  if (side && size >= 8) {
    uint32_t skip = side[0] | side[1] << 8 | side[2] << 16 | (uint32_t)side[3] << 24;
    uint32_t discard = side[4] | side[5] << 8 | side[6] << 16 | (uint32_t)side[7] << 24;
    facts->skip = skip < INT32_MAX ? (int32_t)skip : 0;
    facts->discard = discard < INT32_MAX ? (int32_t)discard : 0;
  }
  return 1;
}

size_t sotto_ff_packet_bytes(sotto_ff_reader *reader, const uint8_t **bytes) {
  *bytes = reader->packet->data;
  return reader->packet->data && reader->packet->size > 0 ? (size_t)reader->packet->size : 0;
}

size_t sotto_ff_extra_bytes(sotto_ff_reader *reader, const uint8_t **bytes) {
  if (!reader->format) return 0;
  const AVCodecParameters *parameters = audio(reader)->codecpar;
  *bytes = parameters->extradata;
  return parameters->extradata && parameters->extradata_size > 0
    ? (size_t)parameters->extradata_size
    : 0;
}

int sotto_ff_seek_time(sotto_ff_reader *reader, int64_t time) {
  if (!reader->format) return AVERROR(EIO);
  sotto_ff_arm(reader);
  int code =
    sotto_av.av_seek_frame(reader->format, reader->stream, time, AVSEEK_FLAG_BACKWARD);
  return code < 0 ? code : 0;
}

bool sotto_ff_seeks_bytes(sotto_ff_reader *reader) {
  return reader->format && !(reader->format->iformat->flags & AVFMT_NO_BYTE_SEEK);
}

int sotto_ff_seek_byte(sotto_ff_reader *reader, int64_t position) {
  if (!reader->format) return AVERROR(EIO);
  sotto_ff_arm(reader);
  int code =
    sotto_av.av_seek_frame(reader->format, reader->stream, position, AVSEEK_FLAG_BYTE);
  return code < 0 ? code : 0;
}

#endif
