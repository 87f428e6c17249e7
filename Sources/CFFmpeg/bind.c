// Binding at first need. Never linked: 135 shared objects would cost every start-up 27 ms.

#include "bound.h"

#ifdef SOTTO_HAVE_FFMPEG

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>

sotto_ff_functions sotto_av;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define SONAME(name, major) "lib" name ".so." TEXT(major)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;
static const char *missing = "";

/// FFmpeg prints nothing: what matters comes back as a fault.
static void swallow(void *object, int level, const char *format, va_list arguments) {
  (void)object, (void)level, (void)format, (void)arguments;
}

static const char *bind_all(void) {
  // Lazy and local: most of what these libraries pull in is never called.
  void *avutil = dlopen(SONAME("avutil", LIBAVUTIL_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  if (!avutil) return SONAME("avutil", LIBAVUTIL_VERSION_MAJOR);
  void *avcodec = dlopen(SONAME("avcodec", LIBAVCODEC_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  if (!avcodec) return SONAME("avcodec", LIBAVCODEC_VERSION_MAJOR);
  void *avformat = dlopen(SONAME("avformat", LIBAVFORMAT_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
  if (!avformat) return SONAME("avformat", LIBAVFORMAT_VERSION_MAJOR);
#define BIND(library, name) \
  *(void **)&sotto_av.name = dlsym(library, #name); \
  if (!sotto_av.name) return #name;
  SOTTO_FF_BIND(BIND)
#undef BIND
  sotto_av.av_log_set_callback(swallow);
  return "";
}

bool sotto_ff_compiled(void) { return true; }

bool sotto_ff_load(void) {
  pthread_mutex_lock(&lock);
  if (!loaded) {
    missing = bind_all();
    loaded = !*missing;
  }
  bool result = loaded;
  pthread_mutex_unlock(&lock);
  return result;
}

const char *sotto_ff_missing(void) {
  pthread_mutex_lock(&lock);
  const char *name = missing;
  pthread_mutex_unlock(&lock);
  return name;
}

int sotto_ff_format_major(void) { return LIBAVFORMAT_VERSION_MAJOR; }
int sotto_ff_codec_major(void) { return LIBAVCODEC_VERSION_MAJOR; }
const char *sotto_ff_version(void) { return sotto_av.av_version_info(); }

#endif
