#include "CMusepack.h"

#include "CBinding.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Nothing that is sound comes in larger packets; what is damaged reads on behind one.
#define LARGEST_PACKET (16 << 20)
#define PADDING 16384

// mpc_streaminfo, mpc_bits_reader and mpc_frame_info of libmpcdec.so.6.
typedef struct {
  uint32_t rate, channels, version, bit_rate;
  double average_bit_rate;
  uint32_t highest_band, mid_side, fast_seek, block_power;
  uint16_t gains_and_peaks[4];
  uint32_t is_gapless;
  uint64_t samples, silence;
  uint32_t encoder_version;
  char encoder[256];
  uint8_t noise;
  float profile;
  const char *profile_name;
  int32_t header_position, tag_position, file_length;
} stream_info;

typedef struct {
  const uint8_t *bytes;
  /// Unread bits of the first byte.
  unsigned count;
} bits_reader;

typedef struct {
  uint32_t samples;
  int32_t bits;
  float *buffer;
  uint8_t is_key;
} frame_info;

struct sotto_mpc {
  void *decoder;
  int version, channels, most_frames;
  /// The packet, turned where its version asks for it, and zeros.
  uint8_t *bytes;
  size_t room;
  /// The next bit, and the one after the last.
  int64_t bit, end;
  /// Frames decoded of the packet.
  int count;
  /// The library works in here, beyond the frame that it gives.
  float samples[4 * SOTTO_MPC_FRAMES * 2];
};

static struct {
  void *(*create)(stream_info *info);
  void (*delete)(void *decoder);
  void (*decode)(void *decoder, bits_reader *reader, frame_info *frame);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Creating a decoder fills tables that all share.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void load(void) {
  const sotto_binding functions[] = {
      {"mpc_decoder_init", &library.create},
      {"mpc_decoder_exit", &library.delete},
      {"mpc_decoder_decode_frame", &library.decode},
  };
  loaded = sotto_bind("libmpcdec.so.6", functions, sizeof functions / sizeof *functions);
}

bool sotto_mpc_load(void) {
  pthread_once(&once, load);
  return loaded;
}

sotto_mpc *sotto_mpc_new(
    int version, int highest_band, bool mid_side, int channels, int most_frames) {
  if (!sotto_mpc_load()) return NULL;
  sotto_mpc *mpc = calloc(1, sizeof *mpc);
  if (mpc == NULL) return NULL;
  mpc->version = version;
  mpc->channels = channels;
  mpc->most_frames = most_frames;
  // No length: the decoder then neither trims nor counts, which our timeline does.
  stream_info info = {
      .version = (uint32_t)version,
      .highest_band = (uint32_t)highest_band,
      .mid_side = mid_side,
      .channels = (uint32_t)channels,
  };
  pthread_mutex_lock(&lock);
  mpc->decoder = library.create(&info);
  pthread_mutex_unlock(&lock);
  if (mpc->decoder != NULL) return mpc;
  free(mpc);
  return NULL;
}

void sotto_mpc_free(sotto_mpc *mpc) {
  library.delete(mpc->decoder);
  free(mpc->bytes);
  free(mpc);
}

bool sotto_mpc_take(sotto_mpc *mpc, const uint8_t *packet, size_t size) {
  mpc->count = 0;
  mpc->bit = mpc->end = 0;
  if (size > LARGEST_PACKET || (mpc->version == 7 && size < 8)) return false;
  if (mpc->room < size + PADDING) {
    uint8_t *bytes = realloc(mpc->bytes, size + PADDING);
    if (bytes == NULL) return false;
    mpc->bytes = bytes;
    mpc->room = size + PADDING;
  }
  if (mpc->version == 7) {
    // FFmpeg puts the first bit's place before the words of 32 bits, which are to be turned.
    mpc->bit = packet[0];
    size = (size & ~(size_t)3) - 4;
    for (size_t place = 0; place < size; place++)
      mpc->bytes[place] = packet[4 + (place ^ 3)];
  } else if (size > 0) {
    memcpy(mpc->bytes, packet, size);
  }
  memset(mpc->bytes + size, 0, PADDING);
  mpc->end = (int64_t)size * 8;
  return mpc->bit < mpc->end;
}

int sotto_mpc_next(sotto_mpc *mpc) {
  // The last byte of a packet of version 8 is filled up.
  if (mpc->count >= mpc->most_frames || mpc->end - mpc->bit < 8) return 0;
  bits_reader reader = {mpc->bytes + mpc->bit / 8, 8 - (unsigned)(mpc->bit % 8)};
  // In version 8 the first frame of a packet builds on none before.
  frame_info frame = {.buffer = mpc->samples, .is_key = mpc->count == 0};
  library.decode(mpc->decoder, &reader, &frame);
  mpc->count++;
  mpc->bit = (reader.bytes - mpc->bytes) * 8 + 8 - (int64_t)reader.count;
  if (mpc->bit <= mpc->end) return 1;
  mpc->bit = mpc->end = 0;
  return -1;
}

void sotto_mpc_copy(
    const sotto_mpc *mpc, int32_t first, int32_t count, int32_t channels, float *out) {
  if (first < 0 || count <= 0 || first > SOTTO_MPC_FRAMES - count) return;
  for (int32_t channel = 0; channel < channels; channel++) {
    int source = channel < mpc->channels ? channel : mpc->channels - 1;
    for (int32_t frame = 0; frame < count; frame++) {
      // Damaged files give values that are not numbers; they must not reach the mix.
      float sample = mpc->samples[(first + frame) * mpc->channels + source];
      out[(int64_t)frame * channels + channel] = isfinite(sample) ? sample : 0;
    }
  }
}
