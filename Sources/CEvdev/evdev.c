#include "CEvdev.h"

#include "CBinding.h"

#include <errno.h>
#include <linux/input.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

// Of libevdev/libevdev.h, a stable interface: the flags and answers of next_event.
enum { READ_SYNC = 1, READ_NORMAL = 2 };
enum { STATUS_SUCCESS = 0, STATUS_SYNC = 1 };

struct libevdev;

static struct {
  int (*create)(int descriptor, struct libevdev **device);
  void (*destroy)(struct libevdev *device);
  const char *(*name)(const struct libevdev *device);
  int (*has_type)(const struct libevdev *device, unsigned type);
  int (*has_code)(const struct libevdev *device, unsigned type, unsigned code);
  int (*next)(struct libevdev *device, unsigned flags, struct input_event *event);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct sotto_evdev {
  struct libevdev *device;
  int descriptor;
  // Events were lost: what has changed meanwhile comes first.
  bool is_syncing;
};

static void load(void) {
  const sotto_binding functions[] = {
      {"libevdev_new_from_fd", &library.create},
      {"libevdev_free", &library.destroy},
      {"libevdev_get_name", &library.name},
      {"libevdev_has_event_type", &library.has_type},
      {"libevdev_has_event_code", &library.has_code},
      {"libevdev_next_event", &library.next},
  };
  loaded = sotto_bind("libevdev.so.2", functions, sizeof functions / sizeof *functions);
}

bool sotto_evdev_available(void) {
  pthread_once(&once, load);
  return loaded;
}

sotto_evdev *sotto_evdev_open(int descriptor) {
  if (!sotto_evdev_available()) return NULL;
  sotto_evdev *device = calloc(1, sizeof *device);
  if (device == NULL) return NULL;
  device->descriptor = descriptor;
  if (library.create(descriptor, &device->device) < 0) {
    free(device);
    return NULL;
  }
  return device;
}

void sotto_evdev_close(sotto_evdev *device) {
  library.destroy(device->device);
  free(device);
}

const char *sotto_evdev_name(const sotto_evdev *device) {
  const char *name = library.name(device->device);
  return name == NULL ? "" : name;
}

bool sotto_evdev_has(const sotto_evdev *device, uint16_t code) {
  return library.has_code(device->device, EV_KEY, code) != 0;
}

bool sotto_evdev_points(const sotto_evdev *device) {
  return library.has_type(device->device, EV_REL) != 0 ||
         library.has_type(device->device, EV_ABS) != 0;
}

static bool mask(int descriptor, unsigned type, uint8_t *bits, size_t size) {
  struct input_mask wish = {0};
  wish.type = type;
  wish.codes_size = (uint32_t)size;
  wish.codes_ptr = (uint64_t)(uintptr_t)bits;
  return ioctl(descriptor, EVIOCSMASK, &wish) == 0;
}

bool sotto_evdev_only(const sotto_evdev *device, const uint16_t *codes, size_t count) {
  uint8_t keys[KEY_CNT / 8] = {0};
  for (size_t index = 0; index < count; index++) {
    if (codes[index] < KEY_CNT) keys[codes[index] / 8] |= (uint8_t)(1u << (codes[index] % 8));
  }
  // The sizes are whole words of 8 bytes. A keyboard tells the number of each key beside it, and a jack whether something is plugged in.
  uint8_t none[8] = {0};
  mask(device->descriptor, EV_MSC, none, sizeof none);
  mask(device->descriptor, EV_SW, none, sizeof none);
  return mask(device->descriptor, EV_KEY, keys, sizeof keys);
}

int sotto_evdev_next(sotto_evdev *device, sotto_evdev_key *key) {
  for (;;) {
    struct input_event event;
    unsigned flags = device->is_syncing ? READ_SYNC : READ_NORMAL;
    int status = library.next(device->device, flags, &event);
    if (status == -EAGAIN) {
      if (!device->is_syncing) return 0;
      device->is_syncing = false;
      continue;
    }
    if (status == -EINTR) continue;
    if (status < 0) return -1;
    if (status == STATUS_SYNC && !device->is_syncing) {
      device->is_syncing = true;
      continue;
    }
    if (event.type != EV_KEY) continue;
    key->code = event.code;
    key->value = event.value;
    return 1;
  }
}
