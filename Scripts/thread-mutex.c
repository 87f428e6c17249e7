// Linked into everything that Scripts/sanitize builds for the thread sanitizer.
//
// Synchronization.Mutex takes a free lock with an atomic that is compiled into the program, which
// the sanitizer sees. A lock that somebody holds is taken, and one that somebody waits for is given
// back, within libswiftSynchronization, by a system call: what the lock orders is lost there, and
// all that it protects looks like a race. These stand before the library's functions and say it.

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define MUTEX(name) "$s15Synchronization12_MutexHandleV" name
#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))

static void *library(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();  // another Swift: look at what its Mutex calls
  return function;
}

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(MUTEX("9_lockSlowyys6UInt32VF"));
SWIFT void unlock_slow(SELF) __asm__(MUTEX("11_unlockSlowyyF"));

SWIFT void lock_slow(uint32_t thread, SELF) {
  SWIFT void (*take)(uint32_t, SELF) = library(MUTEX("9_lockSlowyys6UInt32VF"));
  take(thread, self);
  __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  __tsan_release(self);
  SWIFT void (*give)(SELF) = library(MUTEX("11_unlockSlowyyF"));
  give(self);
}
