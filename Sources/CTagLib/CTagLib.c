#define _GNU_SOURCE
#include "CTagLib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const sotto_taglib *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char name[] = "libsotto-taglib.so";

static const sotto_taglib *from(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return NULL;
  const sotto_taglib *(*table)(void);
  *(void **)&table = dlsym(handle, "sotto_taglib_table");
  const sotto_taglib *found = table ? table() : NULL;
  if (found && found->interface == SOTTO_TAGLIB_INTERFACE) return found;
  dlclose(handle);
  return NULL;
}

static void load(void) {
  char program[4096];
  ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  if (size <= 0) return;
  program[size] = 0;
  char *slash = strrchr(program, '/');
  if (!slash) return;
  *slash = 0;
  // As it is built, and as it is installed.
  const char *const places[] = {"", "/../lib/sotto"};
  for (size_t index = 0; index < sizeof places / sizeof *places && !library; index++) {
    char path[sizeof program + 64];
    int length = snprintf(path, sizeof path, "%s%s/%s", program, places[index], name);
    if (length > 0 && (size_t)length < sizeof path) library = from(path);
  }
}

const sotto_taglib *sotto_taglib_load(void) {
  pthread_once(&once, load);
  return library;
}
