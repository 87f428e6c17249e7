// Plug-ins of ALSA for tests: a card whose jacks a test moves, and a device that fails as real ones
// do. TestSupport/ALSAStage.swift compiles this and writes the configuration that names it.
//
//   ctl.NAME { type sotto_trial pipe FILE jacks [ "0 Headphone Jack" ... ] }
//     A line in the pipe moves a jack ("1 Headphone Jack"), adds one ("+0 Dock Jack"), or pulls the
//     card out ("gone").
//   pcm.NAME { type sotto_trial frames N fault FAULT }
//     Plays by the clock, and after N frames: disconnect (ENODEV), bad (EBADFD), xrun (EPIPE, once),
//     suspend (ESTRPIPE until it is prepared). busy (EBUSY) fails when it is opened.

#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <alsa/pcm_external.h>
#include <sys/timerfd.h>
#include <time.h>

// MARK: the card

enum { most = 16 };

typedef struct {
  snd_ctl_ext_t face;
  char names[most][64];
  int states[most];
  int count;
  int gone;
  char line[256];
  size_t length;
} card;

static void add(card *c, const char *text) {
  if (c->count == most || strlen(text) < 3) return;
  c->states[c->count] = *text == '1';
  snprintf(c->names[c->count++], sizeof c->names[0], "%s", text + 2);
}

static void close_card(snd_ctl_ext_t *face) {
  close(face->poll_fd);
  free(face->private_data);
}

static int count_of(snd_ctl_ext_t *face) {
  card *c = face->private_data;
  return c->gone ? -ENODEV : c->count;
}

static void name(card *c, int index, snd_ctl_elem_id_t *id) {
  snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_CARD);
  snd_ctl_elem_id_set_name(id, c->names[index]);
}

static int id_of(snd_ctl_ext_t *face, unsigned offset, snd_ctl_elem_id_t *id) {
  name(face->private_data, (int)offset, id);
  return 0;
}

static snd_ctl_ext_key_t find(snd_ctl_ext_t *face, const snd_ctl_elem_id_t *id) {
  card *c = face->private_data;
  for (int i = 0; i < c->count; i++) {
    if (strcmp(c->names[i], snd_ctl_elem_id_get_name(id)) == 0) return (snd_ctl_ext_key_t)i;
  }
  return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int attribute(snd_ctl_ext_t *face, snd_ctl_ext_key_t key, int *type, unsigned *access,
                     unsigned *values) {
  card *c = face->private_data;
  // "Loud Jack" is a number: its name alone makes no jack of a control.
  int is_number = strcmp(c->names[key], "Loud Jack") == 0;
  *type = is_number ? SND_CTL_ELEM_TYPE_INTEGER : SND_CTL_ELEM_TYPE_BOOLEAN;
  *access = SND_CTL_EXT_ACCESS_READ;
  *values = 1;
  return 0;
}

static int range(snd_ctl_ext_t *face, snd_ctl_ext_key_t key, long *low, long *high, long *step) {
  (void)face, (void)key;
  *low = 0, *high = 1, *step = 1;
  return 0;
}

static int state_of(snd_ctl_ext_t *face, snd_ctl_ext_key_t key, long *value) {
  card *c = face->private_data;
  if (c->gone) return -ENODEV;
  *value = c->states[key];
  return 0;
}

static void subscribe(snd_ctl_ext_t *face, int wanted) { (void)face, (void)wanted; }

// One line of the pipe as an event; 0 when there is none.
static int next_event(snd_ctl_ext_t *face, snd_ctl_elem_id_t *id, unsigned *mask) {
  card *c = face->private_data;
  char byte;
  while (!c->gone && read(face->poll_fd, &byte, 1) == 1) {
    if (byte != '\n' && c->length < sizeof c->line - 1) {
      c->line[c->length++] = byte;
      continue;
    }
    c->line[c->length] = 0;
    c->length = 0;
    const char *text = *c->line == '+' ? c->line + 1 : c->line;
    if (strcmp(text, "gone") == 0) c->gone = 1;
    for (int i = 0; i < c->count; i++) {
      if (strlen(text) < 3 || strcmp(c->names[i], text + 2) != 0) continue;
      c->states[i] = *text == '1';
      name(c, i, id);
      *mask = SND_CTL_EVENT_MASK_VALUE;
      return 1;
    }
    if (*c->line == '+') {
      add(c, text);
      name(c, c->count - 1, id);
      *mask = SND_CTL_EVENT_MASK_ADD;
      return 1;
    }
  }
  return c->gone ? -ENODEV : -EAGAIN;
}

static const snd_ctl_ext_callback_t card_calls = {
    .close = close_card,
    .elem_count = count_of,
    .elem_list = id_of,
    .find_elem = find,
    .get_attribute = attribute,
    .get_integer_info = range,
    .read_integer = state_of,
    .subscribe_events = subscribe,
    .read_event = next_event,
};

SND_CTL_PLUGIN_DEFINE_FUNC(sotto_trial) {
  (void)root;
  const char *pipe = NULL;
  snd_config_t *jacks = NULL;
  if (snd_config_search(conf, "pipe", &jacks) < 0 || snd_config_get_string(jacks, &pipe) < 0 ||
      snd_config_search(conf, "jacks", &jacks) < 0) {
    return -EINVAL;
  }
  card *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, jacks) {
    const char *text;
    if (snd_config_get_string(snd_config_iterator_entry(i), &text) >= 0) add(c, text);
  }
  c->face.version = SND_CTL_EXT_VERSION;
  c->face.callback = &card_calls;
  c->face.private_data = c;
  // Both ways: without a writer it would be at its end.
  c->face.poll_fd = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  int failed = c->face.poll_fd < 0 ? -errno : snd_ctl_ext_create(&c->face, name, mode);
  if (failed < 0) {
    free(c);
    return failed;
  }
  *handlep = c->face.handle;
  return 0;
}
SND_CTL_PLUGIN_SYMBOL(sotto_trial);

// MARK: the device

typedef struct {
  snd_pcm_ioplug_t face;
  long fault_at;
  char fault[16];
  int has_failed;
  int64_t began;   // ns
  int64_t before;  // frames played before that
} device;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int start(snd_pcm_ioplug_t *face) {
  device *d = face->private_data;
  d->began = now();
  struct itimerspec tick = {{0, 5000000}, {0, 5000000}};
  timerfd_settime(face->poll_fd, 0, &tick, NULL);
  return 0;
}

static int stop(snd_pcm_ioplug_t *face) {
  struct itimerspec none = {{0, 0}, {0, 0}};
  timerfd_settime(face->poll_fd, 0, &none, NULL);
  return 0;
}

static int fail(device *d) {
  d->has_failed = 1;
  if (strcmp(d->fault, "xrun") == 0) return -EPIPE;
  snd_pcm_ioplug_set_state(&d->face, strcmp(d->fault, "disconnect") == 0 ? SND_PCM_STATE_DISCONNECTED
                                     : strcmp(d->fault, "suspend") == 0  ? SND_PCM_STATE_SUSPENDED
                                                                         : SND_PCM_STATE_OPEN);
  return 0;
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *face) {
  device *d = face->private_data;
  int64_t heard = (now() - d->began) / 1000 * face->rate / 1000000;
  if (heard > (int64_t)face->appl_ptr) heard = (int64_t)face->appl_ptr;
  if (!d->has_failed && d->before + heard >= d->fault_at) {
    d->before += heard;
    int failed = fail(d);
    if (failed < 0) return failed;
  }
  return heard % (int64_t)face->buffer_size;
}

static snd_pcm_sframes_t transfer(snd_pcm_ioplug_t *face, const snd_pcm_channel_area_t *areas,
                                  snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  (void)face, (void)areas, (void)offset;
  return (snd_pcm_sframes_t)size;
}

// Gone is gone.
static int prepare(snd_pcm_ioplug_t *face) {
  device *d = face->private_data;
  if (!d->has_failed || strcmp(d->fault, "xrun") == 0 || strcmp(d->fault, "suspend") == 0) return 0;
  return strcmp(d->fault, "bad") == 0 ? -EBADFD : -ENODEV;
}

static int revents(snd_pcm_ioplug_t *face, struct pollfd *polled, unsigned count,
                   unsigned short *events) {
  uint64_t ticks;
  (void)count;
  if (read(face->poll_fd, &ticks, sizeof ticks) < 0) ticks = 0;
  *events = polled->revents & POLLIN ? POLLOUT : 0;
  return 0;
}

static int close_device(snd_pcm_ioplug_t *face) {
  close(face->poll_fd);
  free(face->private_data);
  return 0;
}

static const snd_pcm_ioplug_callback_t device_calls = {
    .start = start,
    .stop = stop,
    .pointer = pointer,
    .transfer = transfer,
    .prepare = prepare,
    .poll_revents = revents,
    .close = close_device,
};

SND_PCM_PLUGIN_DEFINE_FUNC(sotto_trial) {
  (void)root;
  device *d = calloc(1, sizeof *d);
  if (!d) return -ENOMEM;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *entry = snd_config_iterator_entry(i);
    const char *id, *text;
    if (snd_config_get_id(entry, &id) < 0) continue;
    if (strcmp(id, "frames") == 0) snd_config_get_integer(entry, &d->fault_at);
    if (strcmp(id, "fault") == 0 && snd_config_get_string(entry, &text) >= 0) {
      snprintf(d->fault, sizeof d->fault, "%s", text);
    }
  }
  if (strcmp(d->fault, "busy") == 0) {
    free(d);
    return -EBUSY;
  }
  d->face.version = SND_PCM_IOPLUG_VERSION;
  d->face.name = "a device that fails";
  d->face.callback = &device_calls;
  d->face.private_data = d;
  d->face.poll_events = POLLIN;
  d->face.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  int failed = snd_pcm_ioplug_create(&d->face, name, stream, mode);
  if (failed < 0) {
    free(d);
    return failed;
  }
  static const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
  static const unsigned formats[] = {SND_PCM_FORMAT_S16};
  snd_pcm_ioplug_set_param_list(&d->face, SND_PCM_IOPLUG_HW_ACCESS, 1, accesses);
  snd_pcm_ioplug_set_param_list(&d->face, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
  snd_pcm_ioplug_set_param_minmax(&d->face, SND_PCM_IOPLUG_HW_CHANNELS, 2, 2);
  snd_pcm_ioplug_set_param_minmax(&d->face, SND_PCM_IOPLUG_HW_RATE, 48000, 48000);
  snd_pcm_ioplug_set_param_minmax(&d->face, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
  *pcmp = d->face.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(sotto_trial);
