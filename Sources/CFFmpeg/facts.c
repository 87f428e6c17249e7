// What a file says of itself.

#include "bound.h"

#ifdef SOTTO_HAVE_FFMPEG

#include <string.h>

static AVStream *audio(sotto_ff_reader *reader) { return reader->format->streams[reader->stream]; }

static int bit_depth(const AVCodecParameters *parameters) {
  const AVCodecDescriptor *descriptor = sotto_av.avcodec_descriptor_get(parameters->codec_id);
  if (!descriptor || !(descriptor->props & AV_CODEC_PROP_LOSSLESS)) return 0;
  if (parameters->bits_per_raw_sample > 0) return parameters->bits_per_raw_sample;
  if (parameters->bits_per_coded_sample > 0) return parameters->bits_per_coded_sample;
  return 0;
}

void sotto_ff_get_facts(sotto_ff_reader *reader, sotto_ff_facts *facts) {
  if (!reader->format) return;
  AVStream *stream = audio(reader);
  const AVCodecParameters *parameters = stream->codecpar;
  memset(facts, 0, sizeof *facts);
  facts->container = reader->format->iformat->name;
  facts->codec = sotto_av.avcodec_get_name(parameters->codec_id);
  facts->profile = sotto_av.avcodec_profile_name(
    parameters->codec_id, reader->codec ? reader->codec->profile : parameters->profile);
  facts->rate = parameters->sample_rate;
  facts->channels = parameters->ch_layout.nb_channels;
  facts->bit_depth = bit_depth(parameters);
  facts->bit_rate = parameters->bit_rate > 0 ? parameters->bit_rate : 0;
  facts->duration = stream->duration == AV_NOPTS_VALUE ? SOTTO_FF_NO_TIME : stream->duration;
  facts->tick_num = stream->time_base.num;
  facts->tick_den = stream->time_base.den;
  facts->packet_unit = reader->wma_frame;
  facts->first_is_short = reader->wma_frame && reader->wma_reservoir;
  facts->size = sotto_av.avio_size(reader->io);
  facts->id = stream->id;
  facts->delay = parameters->initial_padding > 0 ? parameters->initial_padding : 0;
  facts->chapters = (int32_t)reader->format->nb_chapters;
  facts->seekable = reader->io->seekable & AVIO_SEEKABLE_NORMAL;
  for (unsigned i = 0; i < reader->format->nb_streams; i++) {
    const AVStream *other = reader->format->streams[i];
    if (other->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
      !(other->disposition & AV_DISPOSITION_ATTACHED_PIC))
      facts->has_video = true;
  }
}

int sotto_ff_channel(sotto_ff_reader *reader, int index) {
  if (!reader->format) return 63;
  const AVChannelLayout *layout = reader->codec && reader->codec->ch_layout.nb_channels
    ? &reader->codec->ch_layout
    : &audio(reader)->codecpar->ch_layout;
  int channel = sotto_av.av_channel_layout_channel_from_index(layout, (unsigned)index);
  return channel >= 0 && channel <= 17 ? channel : 63;
}

bool sotto_ff_tag(
  sotto_ff_reader *reader, bool stream, int index, const char **name, const char **value) {
  if (!reader->format) return false;
  const AVDictionary *tags = stream ? audio(reader)->metadata : reader->format->metadata;
  const AVDictionaryEntry *entry = NULL;
  for (int i = 0; i <= index; i++) {
    entry = sotto_av.av_dict_get(tags, "", entry, AV_DICT_IGNORE_SUFFIX);
    if (!entry) return false;
  }
  *name = entry->key;
  *value = entry->value;
  return true;
}

double sotto_ff_chapter(sotto_ff_reader *reader, int index, const char **title) {
  *title = NULL;
  if (!reader->format || index < 0 || (unsigned)index >= reader->format->nb_chapters) return 0;
  const AVChapter *chapter = reader->format->chapters[index];
  const AVDictionaryEntry *entry = sotto_av.av_dict_get(chapter->metadata, "title", NULL, 0);
  *title = entry ? entry->value : NULL;
  return (double)chapter->start * av_q2d(chapter->time_base);
}

bool sotto_ff_picture(
  sotto_ff_reader *reader, const uint8_t **bytes, size_t *size, const char **type) {
  if (!reader->format) return false;
  for (unsigned i = 0; i < reader->format->nb_streams; i++) {
    const AVStream *stream = reader->format->streams[i];
    if (!(stream->disposition & AV_DISPOSITION_ATTACHED_PIC) || stream->attached_pic.size <= 0)
      continue;
    *bytes = stream->attached_pic.data;
    *size = (size_t)stream->attached_pic.size;
    switch (stream->codecpar->codec_id) {
    case AV_CODEC_ID_MJPEG: *type = "image/jpeg"; break;
    case AV_CODEC_ID_PNG: *type = "image/png"; break;
    case AV_CODEC_ID_GIF: *type = "image/gif"; break;
    case AV_CODEC_ID_BMP: *type = "image/bmp"; break;
    case AV_CODEC_ID_WEBP: *type = "image/webp"; break;
    case AV_CODEC_ID_TIFF: *type = "image/tiff"; break;
    default: *type = "application/octet-stream"; break;
    }
    return true;
  }
  return false;
}

#endif
