/// The door to libevdev, which reads the buttons of headsets and keyboards: bound with dlopen at
/// first need.
#ifndef SOTTO_CEVDEV_H
#define SOTTO_CEVDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// An input device that is being read.
typedef struct sotto_evdev sotto_evdev;

/// A key that went down (1), up (0) or repeats (2).
typedef struct sotto_evdev_key {
  uint16_t code;
  int32_t value;
} sotto_evdev_key;

/// Whether the library is installed.
bool sotto_evdev_available(void);

/// Reads a device that was opened without blocking; the descriptor stays the caller's. NULL where
/// it is no input device or the library is missing. One thread at a time.
sotto_evdev *sotto_evdev_open(int descriptor);
void sotto_evdev_close(sotto_evdev *device);

/// What the device calls itself, as it came. Until it is closed.
const char *sotto_evdev_name(const sotto_evdev *device);

/// Whether the device has that key.
bool sotto_evdev_has(const sotto_evdev *device, uint16_t code);

/// Whether the device points at places, as mice, tablets and joysticks do.
bool sotto_evdev_points(const sotto_evdev *device);

/// Lets the kernel keep everything but these keys to itself: what else is typed on that keyboard
/// reaches nobody here and wakes nobody. Kernels before 4.4 cannot; then false.
bool sotto_evdev_only(const sotto_evdev *device, const uint16_t *codes, size_t count);

/// The next key: 1; 0 when there is none now, -1 when the device is gone.
int sotto_evdev_next(sotto_evdev *device, sotto_evdev_key *key);

#pragma GCC visibility pop

#endif
