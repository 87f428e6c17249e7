#include "CSndfile.h"

#include "CBinding.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static sotto_sndfile library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"sf_open_virtual", &library.open_virtual}, {"sf_close", &library.close},
      {"sf_error", &library.error},               {"sf_error_number", &library.error_text},
      {"sf_readf_float", &library.read_float},    {"sf_seek", &library.seek},
      {"sf_get_string", &library.text},           {"sf_command", &library.command},
  };
  loaded = sotto_bind("libsndfile.so.1", functions, sizeof functions / sizeof *functions);
}

const sotto_sndfile *sotto_sndfile_load(void) {
  pthread_once(&once, load);
  return loaded ? &library : NULL;
}
