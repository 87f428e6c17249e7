#ifndef SOTTO_CFFMPEG_BOUND_H
#define SOTTO_CFFMPEG_BOUND_H

// The functions that are bound with dlopen, and what a reader is. Private to the door.

#include "CFFmpeg.h"

#if __has_include(<libavformat/avformat.h>) && __has_include(<libavcodec/avcodec.h>)
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/pixdesc.h>
// The channel layout interface of FFmpeg 5.1 is used throughout.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 37, 100)
#define SOTTO_HAVE_FFMPEG 1
#endif
#endif

#ifdef SOTTO_HAVE_FFMPEG

#include <stdatomic.h>

#pragma GCC visibility push(hidden)

struct sotto_ff_flag {
  atomic_bool raised;
};

#define SOTTO_FF_BIND(X) \
  X(avutil, av_version_info) \
  X(avutil, av_log_set_callback) \
  X(avutil, av_malloc) \
  X(avutil, av_free) \
  X(avutil, av_freep) \
  X(avutil, av_strerror) \
  X(avutil, av_dict_set) \
  X(avutil, av_dict_get) \
  X(avutil, av_dict_free) \
  X(avutil, av_frame_alloc) \
  X(avutil, av_frame_free) \
  X(avutil, av_frame_unref) \
  X(avutil, av_frame_get_side_data) \
  X(avutil, av_pix_fmt_desc_get) \
  X(avutil, av_rescale) \
  X(avutil, av_get_bytes_per_sample) \
  X(avutil, av_channel_layout_channel_from_index) \
  X(avcodec, avcodec_find_decoder) \
  X(avcodec, avcodec_find_decoder_by_name) \
  X(avcodec, avcodec_descriptor_get) \
  X(avcodec, avcodec_profile_name) \
  X(avcodec, avcodec_get_name) \
  X(avcodec, avcodec_alloc_context3) \
  X(avcodec, avcodec_free_context) \
  X(avcodec, avcodec_parameters_to_context) \
  X(avcodec, avcodec_open2) \
  X(avcodec, avcodec_flush_buffers) \
  X(avcodec, avcodec_send_packet) \
  X(avcodec, avcodec_receive_frame) \
  X(avcodec, av_get_audio_frame_duration2) \
  X(avcodec, av_parser_init) \
  X(avcodec, av_parser_parse2) \
  X(avcodec, av_parser_close) \
  X(avcodec, av_packet_alloc) \
  X(avcodec, av_packet_free) \
  X(avcodec, av_packet_unref) \
  X(avcodec, av_packet_ref) \
  X(avcodec, av_packet_get_side_data) \
  X(avformat, avformat_alloc_context) \
  X(avformat, avformat_open_input) \
  X(avformat, av_find_input_format) \
  X(avformat, avformat_close_input) \
  X(avformat, avformat_find_stream_info) \
  X(avformat, av_find_best_stream) \
  X(avformat, av_read_frame) \
  X(avformat, av_seek_frame) \
  X(avformat, avio_alloc_context) \
  X(avformat, avio_context_free) \
  X(avformat, avio_open2) \
  X(avformat, avio_closep) \
  X(avformat, avio_size)

typedef struct {
#define SOTTO_FF_MEMBER(library, name) __typeof__(name) *name;
  SOTTO_FF_BIND(SOTTO_FF_MEMBER)
#undef SOTTO_FF_MEMBER
} sotto_ff_functions;

/// Filled by sotto_ff_load, read-only afterwards.
extern sotto_ff_functions sotto_av;

struct sotto_ff_reader {
  const sotto_ff_flag *flag;
  /// When the blocking call in progress has to be over, CLOCK_MONOTONIC nanoseconds; 0 never.
  int64_t deadline;
  int64_t patience;
  /// When all of opening has to be over, likewise.
  int64_t limit;
  int descriptor;
  bool network;
  bool timed_out;
  /// The reader knows MP4 edit lists better (FFmpegTiming.swift).
  bool ignore_edits;

  AVIOContext *io;
  /// Null while the reader is closed: after opening anew has failed.
  AVFormatContext *format;
  /// -1 while it is closed.
  int stream;
  AVCodecContext *codec;
  /// The decoder asked for by name.
  char preferred[32];
  /// Told every packet to know its frames, in containers whose times are too coarse.
  AVCodecParserContext *parser;
  AVCodecContext *parser_codec;
  AVPacket *packet;
  AVPacket *kept[SOTTO_FF_SLOTS];
  AVFrame *frame;
  /// Frames of one Windows Media packet's subframe, 0 for other codecs.
  int32_t wma_frame;
  bool wma_reservoir;
};

/// Starts the clock of a blocking call.
void sotto_ff_arm(sotto_ff_reader *reader);
void sotto_ff_prepare_parser(sotto_ff_reader *reader);
void sotto_ff_free_decoder(sotto_ff_reader *reader);
int64_t sotto_ff_packet_frames(sotto_ff_reader *reader, const AVPacket *packet);

#pragma GCC visibility pop

#endif

#endif
