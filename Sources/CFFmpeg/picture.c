// Pictures: covers in JPEG, PNG and their like, as pixels. Nothing of it is trusted.

#include "bound.h"

#include <stdlib.h>
#include <string.h>

#ifdef SOTTO_HAVE_FFMPEG

/// By the first bytes, whatever a tag says of the type.
static enum AVCodecID kind_of(const uint8_t *bytes, size_t size) {
  if (size > 3 && memcmp(bytes, "\xFF\xD8\xFF", 3) == 0) return AV_CODEC_ID_MJPEG;
  if (size > 8 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0) return AV_CODEC_ID_PNG;
  if (size > 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0)
    return AV_CODEC_ID_WEBP;
  if (size > 6 && memcmp(bytes, "GIF8", 4) == 0) return AV_CODEC_ID_GIF;
  if (size > 2 && memcmp(bytes, "BM", 2) == 0) return AV_CODEC_ID_BMP;
  return AV_CODEC_ID_NONE;
}

/// One component of a pixel, 0 to 255.
static int component(
  const AVFrame *frame, const AVPixFmtDescriptor *format, int index, int x, int y) {
  const AVComponentDescriptor *part = &format->comp[index];
  // Colour differences are stored for several pixels at once; alpha and light for each.
  bool is_shared = (index == 1 || index == 2) && !(format->flags & AV_PIX_FMT_FLAG_RGB);
  if (is_shared) {
    x >>= format->log2_chroma_w;
    y >>= format->log2_chroma_h;
  }
  const uint8_t *place =
    frame->data[part->plane] + (ptrdiff_t)y * frame->linesize[part->plane] + x * part->step +
    part->offset;
  int value = place[0];
  if (part->depth + part->shift > 8)
    value = format->flags & AV_PIX_FMT_FLAG_BE ? value << 8 | place[1] : place[1] << 8 | value;
  int most = (1 << part->depth) - 1;
  value = value >> part->shift & most;
  return part->depth == 8 ? value : value * 255 / most;
}

static uint8_t byte_of(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static void pixel(
  const AVFrame *frame, const AVPixFmtDescriptor *format, bool is_full, int x, int y, int *rgba) {
  rgba[3] = 255;
  if (format->flags & AV_PIX_FMT_FLAG_PAL) {
    const uint8_t index = frame->data[0][(ptrdiff_t)y * frame->linesize[0] + x];
    uint32_t color;
    memcpy(&color, frame->data[1] + index * 4, 4);
    rgba[0] = color >> 16 & 255, rgba[1] = color >> 8 & 255, rgba[2] = color & 255;
    rgba[3] = (int)(color >> 24);
    return;
  }
  int parts[4] = {0, 128, 128, 255};
  for (int index = 0; index < format->nb_components; index++)
    parts[index] = component(frame, format, index, x, y);
  if (format->flags & AV_PIX_FMT_FLAG_RGB) {
    memcpy(rgba, parts, sizeof parts);
    return;
  }
  int light = parts[0];
  if (format->nb_components <= 2) {
    // Grey, and perhaps alpha.
    rgba[0] = rgba[1] = rgba[2] = light;
    if (format->nb_components == 2) rgba[3] = parts[1];
    return;
  }
  if (format->nb_components == 4) rgba[3] = parts[3];
  // BT.601, as JPEG has it; parts of 65536.
  int blue = parts[1] - 128, red = parts[2] - 128;
  int scaled = is_full ? light * 65536 : (light - 16) * 76309;
  int r = is_full ? 91881 : 104597, g1 = is_full ? 22554 : 25675, g2 = is_full ? 46802 : 53279,
      b = is_full ? 116130 : 132201;
  rgba[0] = byte_of((scaled + r * red) >> 16);
  rgba[1] = byte_of((scaled - g1 * blue - g2 * red) >> 16);
  rgba[2] = byte_of((scaled + b * blue) >> 16);
}

/// The frame no larger than `largest` on either side: each pixel is the mean of those it covers.
static uint8_t *shrink(const AVFrame *frame, int largest, int *width, int *height) {
  const AVPixFmtDescriptor *format = sotto_av.av_pix_fmt_desc_get(frame->format);
  const uint64_t strange =
    AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT |
    AV_PIX_FMT_FLAG_BAYER;
  if (format == NULL || format->flags & strange) return NULL;
  bool is_full = frame->color_range == AVCOL_RANGE_JPEG ||
                 frame->format == AV_PIX_FMT_YUVJ420P || frame->format == AV_PIX_FMT_YUVJ422P ||
                 frame->format == AV_PIX_FMT_YUVJ444P || frame->format == AV_PIX_FMT_YUVJ440P;
  int side = frame->width > frame->height ? frame->width : frame->height;
  int goal = side > largest ? largest : side;
  *width = (int)((int64_t)frame->width * goal / side);
  *height = (int)((int64_t)frame->height * goal / side);
  if (*width < 1) *width = 1;
  if (*height < 1) *height = 1;
  uint8_t *pixels = malloc((size_t)*width * (size_t)*height * 4);
  if (pixels == NULL) return NULL;
  for (int y = 0; y < *height; y++) {
    int top = (int)((int64_t)y * frame->height / *height);
    int bottom = (int)((int64_t)(y + 1) * frame->height / *height);
    for (int x = 0; x < *width; x++) {
      int left = (int)((int64_t)x * frame->width / *width);
      int right = (int)((int64_t)(x + 1) * frame->width / *width);
      // What is transparent has no colour to give.
      int64_t sum[3] = {0}, weight = 0, count = 0;
      for (int sy = top; sy < bottom || sy == top; sy++) {
        for (int sx = left; sx < right || sx == left; sx++) {
          int rgba[4];
          pixel(frame, format, is_full, sx, sy, rgba);
          for (int index = 0; index < 3; index++) sum[index] += (int64_t)rgba[index] * rgba[3];
          weight += rgba[3];
          count++;
        }
      }
      uint8_t *to = pixels + ((size_t)y * (size_t)*width + (size_t)x) * 4;
      for (int index = 0; index < 3; index++)
        to[index] = (uint8_t)(weight > 0 ? sum[index] / weight : 0);
      to[3] = (uint8_t)(weight / count);
    }
  }
  return pixels;
}

uint8_t *sotto_ff_decode_picture(
  const uint8_t *bytes, size_t size, int largest, int *width, int *height) {
  enum { most_pixels = 32 << 20, most_bytes = 64 << 20 };
  enum AVCodecID kind = kind_of(bytes, size);
  if (kind == AV_CODEC_ID_NONE || size > most_bytes || largest < 1) return NULL;
  const AVCodec *decoder = sotto_av.avcodec_find_decoder(kind);
  AVCodecContext *codec = decoder ? sotto_av.avcodec_alloc_context3(decoder) : NULL;
  AVPacket *packet = sotto_av.av_packet_alloc();
  AVFrame *frame = sotto_av.av_frame_alloc();
  // Decoders read a little beyond the end.
  uint8_t *padded = sotto_av.av_malloc(size + AV_INPUT_BUFFER_PADDING_SIZE);
  uint8_t *pixels = NULL;
  if (codec && packet && frame && padded) {
    memcpy(padded, bytes, size);
    memset(padded + size, 0, AV_INPUT_BUFFER_PADDING_SIZE);
    // A header may promise any size.
    codec->max_pixels = most_pixels;
    codec->thread_count = 1;
    packet->data = padded;
    packet->size = (int)size;
    if (sotto_av.avcodec_open2(codec, decoder, NULL) == 0 &&
        sotto_av.avcodec_send_packet(codec, packet) == 0) {
      int got = sotto_av.avcodec_receive_frame(codec, frame);
      if (got == AVERROR(EAGAIN) && sotto_av.avcodec_send_packet(codec, NULL) == 0)
        got = sotto_av.avcodec_receive_frame(codec, frame);
      if (got == 0 && frame->width > 0 && frame->height > 0)
        pixels = shrink(frame, largest, width, height);
    }
  }
  sotto_av.av_frame_free(&frame);
  sotto_av.av_packet_free(&packet);
  sotto_av.av_free(padded);
  sotto_av.avcodec_free_context(&codec);
  return pixels;
}

#else

uint8_t *sotto_ff_decode_picture(
  const uint8_t *bytes, size_t size, int largest, int *width, int *height) {
  return (void)bytes, (void)size, (void)largest, (void)width, (void)height, NULL;
}

#endif

void sotto_ff_free_picture(uint8_t *pixels) { free(pixels); }
