// Decoding on the calling thread, into interleaved floats.

#include "bound.h"

#ifdef SOTTO_HAVE_FFMPEG

#include <errno.h>
#include <math.h>
#include <string.h>

static AVStream *audio(sotto_ff_reader *reader) { return reader->format->streams[reader->stream]; }

void sotto_ff_free_decoder(sotto_ff_reader *reader) {
  if (reader->codec) sotto_av.avcodec_free_context(&reader->codec);
  if (reader->parser) sotto_av.av_parser_close(reader->parser);
  reader->parser = NULL;
  if (reader->parser_codec) sotto_av.avcodec_free_context(&reader->parser_codec);
}

void sotto_ff_prefer(sotto_ff_reader *reader, const char *name) {
  reader->preferred[0] = 0;
  if (name && strlen(name) < sizeof reader->preferred) strcpy(reader->preferred, name);
}

int sotto_ff_restart(sotto_ff_reader *reader) {
  if (!reader->format) return AVERROR(EIO);
  AVStream *stream = audio(reader);
  sotto_av.av_frame_unref(reader->frame);
  if (reader->codec) sotto_av.avcodec_free_context(&reader->codec);
  const AVCodec *decoder = NULL;
  if (reader->preferred[0])
    decoder = sotto_av.avcodec_find_decoder_by_name(reader->preferred);
  if (decoder && decoder->id != stream->codecpar->codec_id) decoder = NULL;
  if (!decoder) decoder = sotto_av.avcodec_find_decoder(stream->codecpar->codec_id);
  if (!decoder) return AVERROR_DECODER_NOT_FOUND;
  reader->codec = sotto_av.avcodec_alloc_context3(decoder);
  if (!reader->codec) return AVERROR(ENOMEM);
  int code = sotto_av.avcodec_parameters_to_context(reader->codec, stream->codecpar);
  if (code < 0) return code;
  reader->codec->thread_count = 1;
  reader->codec->request_sample_fmt = AV_SAMPLE_FMT_FLT;
  reader->codec->pkt_timebase = stream->time_base;
  // What is to be dropped is counted by the reader of frames, so that it is the same after a seek.
  reader->codec->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
  AVDictionary *options = NULL;
  // AC-3: noise that depends on the packet alone, not on everything before it.
  sotto_av.av_dict_set(&options, "cons_noisegen", "1", 0);
  code = sotto_av.avcodec_open2(reader->codec, decoder, &options);
  sotto_av.av_dict_free(&options);
  return code < 0 ? code : 0;
}

void sotto_ff_flush(sotto_ff_reader *reader) {
  sotto_av.av_frame_unref(reader->frame);
  if (reader->codec) sotto_av.avcodec_flush_buffers(reader->codec);
}

int sotto_ff_send(sotto_ff_reader *reader, bool end) {
  if (!reader->codec) return AVERROR(EIO);
  int code = sotto_av.avcodec_send_packet(reader->codec, end ? NULL : reader->packet);
  return code < 0 ? code : 0;
}

void sotto_ff_keep(sotto_ff_reader *reader, int slot) {
  if (!reader->kept[slot]) reader->kept[slot] = sotto_av.av_packet_alloc();
  if (!reader->kept[slot]) return;
  sotto_av.av_packet_unref(reader->kept[slot]);
  sotto_av.av_packet_ref(reader->kept[slot], reader->packet);
}

void sotto_ff_recall(sotto_ff_reader *reader, int slot) {
  sotto_av.av_packet_unref(reader->packet);
  if (reader->kept[slot]) sotto_av.av_packet_ref(reader->packet, reader->kept[slot]);
}

int sotto_ff_receive(sotto_ff_reader *reader, sotto_ff_block *block) {
  sotto_av.av_frame_unref(reader->frame);
  if (!reader->codec) return AVERROR(EIO);
  int code = sotto_av.avcodec_receive_frame(reader->codec, reader->frame);
  if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return 0;
  if (code < 0) return code;
  const AVFrame *frame = reader->frame;
  if (frame->nb_samples < 0 || frame->ch_layout.nb_channels <= 0 || frame->sample_rate <= 0)
    return AVERROR_INVALIDDATA;
  block->frames = frame->nb_samples;
  block->rate = frame->sample_rate;
  block->channels = frame->ch_layout.nb_channels;
  block->skip = 0;
  const AVFrameSideData *side =
    sotto_av.av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES);
  if (side && side->size >= 4) {
    const uint8_t *bytes = side->data;
    uint32_t skip = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (skip < 1 << 20) block->skip = (int32_t)skip;
  }
  return 1;
}

/// Converts one channel. Integers of up to 24 bits come out exactly: FFmpeg puts them at the top of
/// their word and the factor is a power of two.
static void convert(
  const uint8_t *input, int format, int step, int32_t count, float *output, int32_t stride) {
#define EACH(type, expression) \
  { \
    const type *source = (const type *)input; \
    for (int32_t i = 0; i < count; i++) { \
      type sample = source[(int64_t)i * step]; \
      output[(int64_t)i * stride] = (expression); \
    } \
  } \
  break
  switch (format) {
  case AV_SAMPLE_FMT_U8:
  case AV_SAMPLE_FMT_U8P: EACH(uint8_t, ((int)sample - 128) * 0x1p-7f);
  case AV_SAMPLE_FMT_S16:
  case AV_SAMPLE_FMT_S16P: EACH(int16_t, sample * 0x1p-15f);
  case AV_SAMPLE_FMT_S32:
  case AV_SAMPLE_FMT_S32P: EACH(int32_t, (float)sample * 0x1p-31f);
  case AV_SAMPLE_FMT_S64:
  case AV_SAMPLE_FMT_S64P: EACH(int64_t, (float)sample * 0x1p-63f);
  // Damaged files hold values that are not numbers; they must not reach the mix.
  case AV_SAMPLE_FMT_FLT:
  case AV_SAMPLE_FMT_FLTP: EACH(float, isfinite(sample) ? sample : 0);
  case AV_SAMPLE_FMT_DBL:
  case AV_SAMPLE_FMT_DBLP: EACH(double, isfinite((float)sample) ? (float)sample : 0);
  default:
    for (int32_t i = 0; i < count; i++) output[(int64_t)i * stride] = 0;
  }
#undef EACH
}

void sotto_ff_copy(
  sotto_ff_reader *reader, int32_t first, int32_t count, int32_t channels, float *output) {
  const AVFrame *frame = reader->frame;
  if (first < 0 || count <= 0 || first > frame->nb_samples - count) return;
  int bytes = sotto_av.av_get_bytes_per_sample(frame->format);
  bool planar = frame->format >= AV_SAMPLE_FMT_U8P && frame->format != AV_SAMPLE_FMT_S64;
  int own = frame->ch_layout.nb_channels;
  for (int channel = 0; channel < channels; channel++) {
    int source = channel < own ? channel : own == 1 && channels == 2 ? 0 : -1;
    if (source < 0) {
      for (int32_t i = 0; i < count; i++) output[(int64_t)i * channels + channel] = 0;
      continue;
    }
    const uint8_t *plane = planar
      ? frame->extended_data[source] + (int64_t)first * bytes
      : frame->extended_data[0] + ((int64_t)first * own + source) * bytes;
    convert(plane, frame->format, planar ? 1 : own, count, output + channel, channels);
  }
}

#endif
