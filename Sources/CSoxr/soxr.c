#include "CSoxr.h"

#include "CBinding.h"

#include <pthread.h>
#include <stdbool.h>

// soxr_quality_spec_t and soxr_runtime_spec_t, returned and passed by value or address.
typedef struct {
  double precision, phase_response, passband_end, stopband_begin;
  void *reserved;
  unsigned long flags;
} quality_spec;

typedef struct {
  unsigned log2_min_dft_size, log2_large_dft_size, coef_size_kbytes, threads;
  void *reserved;
  unsigned long flags;
} runtime_spec;

static struct {
  sotto_soxr *(*create)(
      double from, double to, unsigned channels, const char **error, const void *io,
      const quality_spec *quality, const runtime_spec *runtime);
  const char *(*process)(
      sotto_soxr *soxr, const void *in, size_t in_frames, size_t *consumed, void *out,
      size_t out_frames, size_t *produced);
  const char *(*clear)(sotto_soxr *soxr);
  void (*delete)(sotto_soxr *soxr);
  quality_spec (*quality)(unsigned long recipe, unsigned long flags);
  runtime_spec (*runtime)(unsigned threads);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"soxr_create", &library.create},           {"soxr_process", &library.process},
      {"soxr_clear", &library.clear},             {"soxr_delete", &library.delete},
      {"soxr_quality_spec", &library.quality},    {"soxr_runtime_spec", &library.runtime},
  };
  loaded = sotto_bind("libsoxr.so.0", functions, sizeof functions / sizeof *functions);
}

sotto_soxr *sotto_soxr_create(
    double from, double to, unsigned channels, unsigned long recipe, const char **error) {
  *error = NULL;
  pthread_once(&once, load);
  if (!loaded) return NULL;
  // 8 is SOXR_HI_PREC_CLOCK: ratios that are no small fraction keep their place over hours.
  quality_spec quality = library.quality(recipe, 8);
  runtime_spec runtime = library.runtime(1);
  sotto_soxr *soxr = library.create(from, to, channels, error, NULL, &quality, &runtime);
  if (*error != NULL && soxr != NULL) {
    library.delete(soxr);
    soxr = NULL;
  }
  if (soxr == NULL && *error == NULL) *error = "out of memory";
  return soxr;
}

const char *sotto_soxr_process(
    sotto_soxr *soxr, const float *in, size_t in_frames, size_t *consumed, float *out,
    size_t out_frames, size_t *produced) {
  return library.process(soxr, in, in_frames, consumed, out, out_frames, produced);
}

const char *sotto_soxr_clear(sotto_soxr *soxr) { return library.clear(soxr); }

void sotto_soxr_delete(sotto_soxr *soxr) { library.delete(soxr); }
