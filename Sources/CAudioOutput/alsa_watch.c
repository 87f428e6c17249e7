// Jacks and cards of ALSA. The kernel tells of a change through the control interface of the card;
// what counts is how the jacks are when they are read, never how many events there were.

#include "alsa.h"
#include "alsa_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Some sound systems on a chip have hundreds of controls, none has a hundred jacks.
static const size_t most_jacks = 128;
// Taken at once; what comes beyond keeps the descriptor readable.
static const int most_events = 1000;

struct sotto_jack_watch {
  snd_ctl_t *control;
  int descriptor;
  sotto_jack *jacks;
  snd_ctl_elem_id_t **ids;
  size_t count;
};

static void forget(sotto_jack_watch *w) {
  for (size_t i = 0; i < w->count; i++) snd_ctl_elem_id_free(w->ids[i]);
  free(w->ids);
  free(w->jacks);
  w->ids = NULL;
  w->jacks = NULL;
  w->count = 0;
}

static bool is_jack_name(const char *name) {
  static const char ending[] = " Jack";
  size_t length = strlen(name), short_of = sizeof ending - 1;
  return length > short_of && strcmp(name + length - short_of, ending) == 0;
}

static bool is_jack(sotto_jack_watch *w, const snd_ctl_elem_id_t *id) {
  if (!is_jack_name(snd_ctl_elem_id_get_name(id))) return false;
  snd_ctl_elem_info_t *info;
  snd_ctl_elem_info_alloca(&info);
  snd_ctl_elem_info_set_id(info, id);
  return snd_ctl_elem_info(w->control, info) == 0 &&
         snd_ctl_elem_info_get_type(info) == SND_CTL_ELEM_TYPE_BOOLEAN;
}

static void add(sotto_jack_watch *w, const snd_ctl_elem_id_t *id) {
  snd_ctl_elem_id_t *copy = NULL;
  if (snd_ctl_elem_id_malloc(&copy) < 0) return;
  snd_ctl_elem_id_copy(copy, id);
  sotto_jack *jack = &w->jacks[w->count];
  snprintf(jack->name, sizeof jack->name, "%s", snd_ctl_elem_id_get_name(id));
  jack->index = (int)snd_ctl_elem_id_get_index(id);
  w->ids[w->count++] = copy;
}

// Which controls are jacks: at the beginning, and when the card says that it has others.
static int find_jacks(sotto_jack_watch *w) {
  forget(w);
  snd_ctl_elem_list_t *list;
  snd_ctl_elem_list_alloca(&list);
  int failed = snd_ctl_elem_list(w->control, list);
  if (failed < 0) return failed;
  unsigned total = snd_ctl_elem_list_get_count(list);
  if (total == 0) return 0;
  failed = snd_ctl_elem_list_alloc_space(list, total);
  if (failed < 0) return failed;
  w->jacks = calloc(most_jacks, sizeof *w->jacks);
  w->ids = calloc(most_jacks, sizeof *w->ids);
  failed = w->jacks && w->ids ? snd_ctl_elem_list(w->control, list) : -ENOMEM;
  snd_ctl_elem_id_t *id;
  snd_ctl_elem_id_alloca(&id);
  unsigned used = failed < 0 ? 0 : snd_ctl_elem_list_get_used(list);
  for (unsigned i = 0; i < used && w->count < most_jacks; i++) {
    snd_ctl_elem_list_get_id(list, i, id);
    if (is_jack(w, id)) add(w, id);
  }
  snd_ctl_elem_list_free_space(list);
  return failed;
}

// False when the card is gone. A jack that cannot be read is out.
static bool read_jacks(sotto_jack_watch *w) {
  snd_ctl_elem_value_t *value;
  snd_ctl_elem_value_alloca(&value);
  for (size_t i = 0; i < w->count; i++) {
    snd_ctl_elem_value_clear(value);
    snd_ctl_elem_value_set_id(value, w->ids[i]);
    int failed = snd_ctl_elem_read(w->control, value);
    if (failed == -ENODEV) return false;
    w->jacks[i].is_in = failed >= 0 && snd_ctl_elem_value_get_boolean(value, 0);
  }
  return true;
}

static int descriptor(snd_ctl_t *control) {
  struct pollfd polled[4];
  int count = snd_ctl_poll_descriptors_count(control);
  // One is all that any kind of control has.
  if (count != 1 || snd_ctl_poll_descriptors(control, polled, 4) != 1) return -1;
  return polled[0].fd;
}

sotto_jack_watch *sotto_jack_watch_open(const char *name, int *failure) {
  alsa_be_silent();
  sotto_jack_watch *w = calloc(1, sizeof *w);
  if (!w) {
    *failure = -ENOMEM;
    return NULL;
  }
  *failure = snd_ctl_open(&w->control, name, SND_CTL_NONBLOCK);
  if (*failure < 0) {
    free(w);
    return NULL;
  }
  // Subscribed first: what changes while the jacks are read is told after it.
  *failure = snd_ctl_subscribe_events(w->control, 1);
  if (*failure >= 0) *failure = find_jacks(w);
  if (*failure >= 0 && !read_jacks(w)) *failure = -ENODEV;
  if (*failure < 0) {
    sotto_jack_watch_close(w);
    return NULL;
  }
  w->descriptor = descriptor(w->control);
  return w;
}

int sotto_jack_watch_descriptor(const sotto_jack_watch *w) { return w->descriptor; }

bool sotto_jack_watch_read(sotto_jack_watch *w) {
  snd_ctl_event_t *event;
  snd_ctl_event_alloca(&event);
  bool has_others = false;
  int got = 1;
  for (int i = 0; i < most_events && got > 0; i++) {
    got = snd_ctl_read(w->control, event);
    if (got <= 0 || snd_ctl_event_get_type(event) != SND_CTL_EVENT_ELEM) continue;
    // What removes a control has every bit set.
    if (snd_ctl_event_elem_get_mask(event) & SND_CTL_EVENT_MASK_ADD) has_others = true;
  }
  if (got < 0 && got != -EAGAIN && got != -EINTR) return false;
  if (has_others && find_jacks(w) == -ENODEV) return false;
  return read_jacks(w);
}

const sotto_jack *sotto_jack_watch_jacks(const sotto_jack_watch *w, size_t *count) {
  *count = w->count;
  return w->jacks;
}

void sotto_jack_watch_close(sotto_jack_watch *w) {
  if (!w) return;
  forget(w);
  snd_ctl_close(w->control);
  free(w);
}

// MARK: cards

static bool plays(snd_ctl_t *control) {
  snd_pcm_info_t *info;
  snd_pcm_info_alloca(&info);
  int device = -1;
  while (snd_ctl_pcm_next_device(control, &device) == 0 && device >= 0) {
    snd_pcm_info_set_device(info, (unsigned)device);
    snd_pcm_info_set_subdevice(info, 0);
    snd_pcm_info_set_stream(info, SND_PCM_STREAM_PLAYBACK);
    if (snd_ctl_pcm_info(control, info) == 0) return true;
  }
  return false;
}

size_t sotto_alsa_cards(sotto_card *cards, size_t most) {
  alsa_be_silent();
  size_t count = 0;
  int number = -1;
  while (count < most && snd_card_next(&number) == 0 && number >= 0) {
    char name[32];
    snprintf(name, sizeof name, "hw:%d", number);
    snd_ctl_t *control;
    if (snd_ctl_open(&control, name, SND_CTL_NONBLOCK) < 0) continue;
    snd_ctl_card_info_t *info;
    snd_ctl_card_info_alloca(&info);
    if (snd_ctl_card_info(control, info) == 0 && plays(control)) {
      sotto_card *card = &cards[count++];
      card->number = number;
      snprintf(card->id, sizeof card->id, "%s", snd_ctl_card_info_get_id(info));
      snprintf(card->name, sizeof card->name, "%s", snd_ctl_card_info_get_name(info));
    }
    snd_ctl_close(control);
  }
  return count;
}

int sotto_alsa_card_number(const char *card) {
  alsa_be_silent();
  int number = snd_card_get_index(card);
  return number < 0 ? -1 : number;
}
