#include "CRealtime.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

void sotto_rt_copy(float *to, const float *from, int64_t count) {
  memcpy(to, from, (size_t)count * sizeof(float));
}

void sotto_rt_zero(float *to, int64_t count) { memset(to, 0, (size_t)count * sizeof(float)); }

// Weak: null unless the RealtimeSanitizer runtime is linked in.
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));
extern void __rtsan_disable(void) __attribute__((weak));
extern void __rtsan_enable(void) __attribute__((weak));

void sotto_rt_signal(int eventfd) {
  if (eventfd < 0) return;  // offline: nobody sleeps
  uint64_t one = 1;
  // The one system call of the render path, audited here: an eventfd that does not block adds to a
  // counter and returns. RealtimeSanitizer knows only that `write` can block, so it looks away.
  if (__rtsan_disable) __rtsan_disable();
  // The counter cannot overflow in practice; a full one has already woken its reader.
  ssize_t written = write(eventfd, &one, sizeof one);
  (void)written;
  if (__rtsan_enable) __rtsan_enable();
}

int sotto_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

bool sotto_eventfd_wait(int eventfd, int timeout_ms) {
  struct pollfd descriptor = {.fd = eventfd, .events = POLLIN};
  int ready;
  do {
    ready = poll(&descriptor, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;
  sotto_eventfd_clear(eventfd);
  return true;
}

void sotto_eventfd_clear(int eventfd) {
  uint64_t count;
  ssize_t got = read(eventfd, &count, sizeof count);
  (void)got;
}

int64_t sotto_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sotto_rt_enter(void) {
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

void sotto_rt_leave(void) {
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

bool sotto_rt_is_watched(void) { return __rtsan_realtime_enter != NULL; }

void sotto_rt_planted_fault(void) {
  void *volatile planted = malloc(64);
  free(planted);
}
