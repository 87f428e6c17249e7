/// The door to libmpcdec, Musepack's own decoder: bound with dlopen at first need through
/// declarations of our own of its stable C interface (libmpcdec.so.6), so that neither building nor
/// starting needs it. Only its decoder of frames is used; FFmpeg finds them.
#ifndef SOTTO_CMUSEPACK_H
#define SOTTO_CMUSEPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Used by one thread at a time.
typedef struct sotto_mpc sotto_mpc;

/// Frames of sound in a frame of the stream.
#define SOTTO_MPC_FRAMES 1152

/// True where the library is there. Binds it. Any thread.
bool sotto_mpc_load(void);

/// A decoder in its first state, of a stream of version 7 or 8 with bands 0 to `highest_band` (at
/// most 31), one or two channels, and packets of up to `most_frames` frames. NULL where the library
/// is missing or memory is short.
sotto_mpc *sotto_mpc_new(
    int version, int highest_band, bool mid_side, int channels, int most_frames);
void sotto_mpc_free(sotto_mpc *mpc);

/// Takes a packet as FFmpeg cuts it. False where it cannot be one.
bool sotto_mpc_take(sotto_mpc *mpc, const uint8_t *packet, size_t size);
/// Decodes the next frame of the packet: 1; where there is none 0; -1 where it is damaged, which
/// ends the packet.
int sotto_mpc_next(sotto_mpc *mpc);
/// Copies frames of the one decoded last, interleaved. One channel goes to all.
void sotto_mpc_copy(
    const sotto_mpc *mpc, int32_t first, int32_t count, int32_t channels, float *out);

#pragma GCC visibility pop

#endif
