#include "CUtf8proc.h"

#include "CBinding.h"

#include <pthread.h>
#include <stdbool.h>

static struct {
  int (*width)(int32_t scalar);
  const char *(*version)(void);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"utf8proc_charwidth", &library.width},
      {"utf8proc_version", &library.version},
  };
  // Version 3 came with Unicode 16; these two functions are the same in both.
  const char *const names[] = {"libutf8proc.so.3", "libutf8proc.so.2"};
  for (size_t index = 0; index < sizeof names / sizeof *names && !loaded; index++) {
    loaded = sotto_bind(names[index], functions, sizeof functions / sizeof *functions);
  }
}

int sotto_utf8proc_width(uint32_t scalar) {
  pthread_once(&once, load);
  return loaded ? library.width((int32_t)scalar) : -1;
}

const char *sotto_utf8proc_version(void) {
  pthread_once(&once, load);
  return loaded ? library.version() : "";
}
