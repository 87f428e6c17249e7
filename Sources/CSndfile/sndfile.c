#include "CSndfile.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static sotto_sndfile library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
  const struct {
    const char *name;
    void *slot;
  } functions[] = {
      {"sf_open_virtual", &library.open_virtual}, {"sf_close", &library.close},
      {"sf_error", &library.error},               {"sf_error_number", &library.error_text},
      {"sf_readf_float", &library.read_float},    {"sf_seek", &library.seek},
      {"sf_get_string", &library.text},           {"sf_command", &library.command},
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    void *function = dlsym(handle, functions[index].name);
    if (function == NULL) {
      dlclose(handle);
      return;
    }
    *(void **)functions[index].slot = function;
  }
  loaded = true;
}

const sotto_sndfile *sotto_sndfile_load(void) {
  pthread_once(&once, load);
  return loaded ? &library : NULL;
}
