#include "CClock.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int sotto_clock_open(void) {
  const int flags = TFD_CLOEXEC | TFD_NONBLOCK;
  const int waking = timerfd_create(CLOCK_REALTIME_ALARM, flags);
  return waking >= 0 ? waking : timerfd_create(CLOCK_REALTIME, flags);
}

int sotto_clock_set(int descriptor, int64_t seconds) {
  const struct itimerspec wish = {.it_value = {.tv_sec = (time_t)seconds}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &wish, NULL);
}

void sotto_clock_drain(int descriptor) {
  uint64_t count;
  // ECANCELED says that the clock was set: whoever asked looks at the time anyway.
  while (read(descriptor, &count, sizeof count) > 0) {
  }
}
