/// The door to libsoxr, the resampler: bound with dlopen at first need through declarations of our
/// own of its stable C interface (libsoxr.so.0), so that neither building nor starting needs it.
#ifndef SOTTO_CSOXR_H
#define SOTTO_CSOXR_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

typedef struct sotto_soxr sotto_soxr;

/// A resampler of interleaved floats at soxr's quality `recipe` (4: 20 bits, 6: 28 bits), one
/// thread. NULL where the library is missing (`*error` is NULL then) or refuses (`*error` says why).
sotto_soxr *sotto_soxr_create(
    double from, double to, unsigned channels, unsigned long recipe, const char **error);

/// Resamples: frames consumed of `in` and produced into `out`. `in` NULL tells the end of the
/// input, after which calls give the rest. NULL, or what is wrong.
const char *sotto_soxr_process(
    sotto_soxr *soxr, const float *in, size_t in_frames, size_t *consumed, float *out,
    size_t out_frames, size_t *produced);

/// Forgets everything, ready for a new signal with the same settings. NULL, or what is wrong.
const char *sotto_soxr_clear(sotto_soxr *soxr);

void sotto_soxr_delete(sotto_soxr *soxr);

#pragma GCC visibility pop

#endif
