/// The door to timerfd: a wake-up at a time of the wall clock, which also tells that the clock was
/// set. Swift's overlay of the C library leaves it out.
#ifndef SOTTO_CCLOCK_H
#define SOTTO_CCLOCK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A descriptor, or -1 and errno. Where this process may wake the machine (CAP_WAKE_ALARM), it does.
int sotto_clock_open(void);

/// From then on, in seconds since 1970, the descriptor can be read; also when the clock is set before
/// that. 0 takes the wish back. 0, or -1 and errno.
int sotto_clock_set(int descriptor, int64_t seconds);

/// Reads what has happened. Never waits.
void sotto_clock_drain(int descriptor);

#pragma GCC visibility pop

#endif
