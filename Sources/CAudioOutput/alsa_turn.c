// The device's thread of an ALSA stream: turns, filling, and what can go wrong with a device.
//
// On a PCM of type HW what is queued is taken back with snd_pcm_rewind. The first piece is rendered
// before the rewind and written at once after it, since between the two only the margin is left.
// Every other type (pulse, pipewire, dmix, rate converters) claims to rewind and does not; there
// little is queued, and a command takes effect at the write position.

#include "alsa.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

static int64_t frames_of_us(const alsa *a, int64_t us) { return us * a->rate / 1000000; }

// What is pulled out says ENODEV or EBADFD, by chance.
static void lose(alsa *a, int number) {
  if (a->lost) return;
  a->lost = true;
  int code = number == -ESTRPIPE ? SOTTO_FAILURE_SUSPENDED : SOTTO_FAILURE_DEVICE_LOST;
  pthread_mutex_lock(&a->lock);
  shared_fail(&a->failure, code, number, snd_strerror(number));
  pthread_mutex_unlock(&a->lock);
  a->running = false;
  shared_clock_set(&a->clock, shared_clock_read(&a->clock).heard, sotto_monotonic_ns(), false);
  a->renderer.event(a->renderer.context, SOTTO_EVENT_LOST);
}

// Frames in the device that were not heard yet, padding included; negative is an error.
static int64_t queued(alsa *a) {
  snd_pcm_sframes_t delay = 0;
  if (!a->running) {
    snd_pcm_sframes_t room = snd_pcm_avail_update(a->pcm);
    return room < 0 ? room : a->buffer - room;
  }
  int failed = snd_pcm_delay(a->pcm, &delay);
  if (failed < 0) return failed;
  return delay < 0 ? 0 : delay;
}

// The device ran dry: everything written was heard. Or the machine slept: what was silent before is
// made ready again; what was playing must not go on by itself, and what was queued was not heard.
static void recover(alsa *a, int number) {
  if (number == -ESTRPIPE) {
    if (a->running) {
      lose(a, number);
      return;
    }
    int resumed = snd_pcm_resume(a->pcm);
    if (resumed == 0) return;
    if (resumed == -EAGAIN) return;  // the next wake-up tries again
  } else if (number != -EPIPE) {
    lose(a, number);
    return;
  }
  int failed = snd_pcm_prepare(a->pcm);
  if (failed < 0) {
    lose(a, failed);
    return;
  }
  bool more = a->running && a->stop_at < 0 && !a->dry;
  a->running = false;
  a->padding = 0;
  shared_clock_set(&a->clock, a->next, sotto_monotonic_ns(), false);
  if (!more) return;
  atomic_fetch_add(&a->clock.underruns, 1);
  a->renderer.event(a->renderer.context, SOTTO_EVENT_UNDERRUN);
}

static void set_clock(alsa *a) {
  int64_t left = queued(a);
  if (left < 0) return;
  int64_t heard = a->next + a->padding - left;
  shared_clock_set(&a->clock, heard, sotto_monotonic_ns(), a->running);
}

static int64_t heard_now(alsa *a) {
  int64_t heard = shared_clock_frame(&a->clock, sotto_monotonic_ns());
  return heard < a->next ? heard : a->next;
}

// Writes `frames` of the converted piece; the frames that went in.
static int64_t put(alsa *a, int64_t frames) {
  int64_t written = 0;
  while (written < frames) {
    const char *from = (const char *)a->converted + (size_t)written * a->frame_bytes;
    snd_pcm_sframes_t count =
        snd_pcm_writei(a->pcm, from, (snd_pcm_uframes_t)(frames - written));
    if (count == -EAGAIN || count == 0) break;
    if (count < 0) {
      recover(a, (int)count);
      break;
    }
    written += count;
  }
  return written;
}

// Renders a piece from `next` on without writing it.
static int64_t render(alsa *a, int64_t frames) {
  if (frames > a->piece) frames = a->piece;
  sotto_rendered rendered =
      a->renderer.render(a->renderer.context, a->next, a->rendered, frames);
  a->finished = rendered.finished;
  a->starved = !rendered.finished && rendered.frames < frames;
  if (rendered.frames > 0) alsa_convert(a, a->rendered, a->converted, rendered.frames);
  return rendered.frames;
}

static void count(alsa *a, int64_t frames) {
  a->next += frames;
  if (frames > 0) a->dry = false;
  shared_clock_set_end(&a->clock, a->next);
}

static void put_padding(alsa *a, int64_t frames) {
  while (frames > 0 && !a->lost) {
    int64_t piece = frames < a->piece ? frames : a->piece;
    memset(a->rendered, 0, (size_t)(piece * a->channels) * sizeof(float));
    alsa_convert(a, a->rendered, a->converted, piece);
    int64_t written = put(a, piece);
    a->padding += written;
    if (written < piece) return;
    frames -= piece;
  }
}

// Fills the queue, a quarter of a second at a time so that a command in between is not kept
// waiting; `filling` tells that more is to come.
static void fill(alsa *a) {
  a->filling = false;
  for (int pieces = 0; !a->lost && !a->finished && !a->starved && a->padding == 0; pieces++) {
    if (pieces == 5) {
      a->filling = true;
      return;
    }
    int64_t left = queued(a);
    if (left < 0) {
      recover(a, (int)left);
      return;
    }
    if (left >= a->target) break;
    int64_t frames = render(a, a->target - left);
    int64_t written = put(a, frames);
    count(a, written);
    if (written < frames) break;  // full: what was rendered is rendered again
    if (frames == 0) break;
  }
  if (a->finished && a->stop_at < 0) {
    a->stop_at = a->next;
    a->stop_event = SOTTO_EVENT_FINISHED;
  }
  if (!a->finished && !a->starved) return;
  // The device must not run dry before it is stopped or goes on.
  int64_t left = queued(a), wanted = a->rate / 8 < a->target ? a->rate / 8 : a->target;
  if (left >= 0 && left < wanted) put_padding(a, wanted - left);
}

static void start(alsa *a) {
  if (a->running || a->lost) return;
  int failed = snd_pcm_state(a->pcm) == SND_PCM_STATE_RUNNING ? 0 : snd_pcm_start(a->pcm);
  if (failed < 0) {
    recover(a, failed);
    return;
  }
  a->running = true;
  set_clock(a);
  a->renderer.event(a->renderer.context, SOTTO_EVENT_STARTED);
}

// Takes back what is queued from `back` frames before the device's end; the frames it gave back.
static int64_t take_back(alsa *a, int64_t back) {
  if (back <= 0) return 0;
  snd_pcm_sframes_t done = snd_pcm_rewind(a->pcm, (snd_pcm_uframes_t)back);
  return done < 0 ? 0 : done;
}

// The first frame that can still be changed. Frames of the device's end before it are `*back`.
static int64_t earliest(alsa *a, int64_t *back) {
  int64_t end = a->next + a->padding;
  *back = 0;
  if (a->rewinds) {
    snd_pcm_sframes_t room = snd_pcm_avail(a->pcm);
    if (room < 0) {
      recover(a, (int)room);
      return a->next + a->padding;
    }
    snd_pcm_sframes_t most = snd_pcm_rewindable(a->pcm);
    int64_t margin = a->running ? frames_of_us(a, atomic_load(&a->margin_us)) : 0;
    if (most > margin) *back = most - margin;
  }
  return end - *back;
}

static void learn_margin(alsa *a, bool late, int64_t since_ns) {
  int64_t way = (sotto_monotonic_ns() - since_ns) / 1000;
  if (way > 60000) way = 60000;
  if (way > atomic_load(&a->worst_us)) atomic_store(&a->worst_us, (int)way);
  int64_t margin = atomic_load(&a->margin_us), wanted = 2 * way + 4000;
  margin = late ? 2 * margin : wanted > margin ? wanted : margin - (margin - wanted) / 8;
  if (margin > 60000) margin = 60000;
  atomic_store(&a->margin_us, (int)margin);
}

// One turn; true when its rewind came late and it must be taken again.
static bool turn_once(alsa *a, bool again) {
  int64_t asked = sotto_monotonic_ns(), back = 0;
  int64_t frame = earliest(a, &back);
  if (a->lost) return false;
  if (frame > a->next) {
    // Padding that was heard does not count on the timeline.
    a->padding = back;
    frame = a->next;
  }
  int64_t end = a->next + a->padding;
  if (!a->rewinds) {
    a->padding = 0;  // heard before the next frame
    frame = end = a->next;
  }
  atomic_fetch_add(&a->turns, 1);
  int64_t told = heard_now(a) - a->rate / 10;
  if (told > 0) a->renderer.heard(a->renderer.context, told);
  sotto_turn turn = a->renderer.turn(a->renderer.context, frame, again);
  a->sounding = turn.sounding;
  a->stop_at = turn.hold_at;
  a->stop_event = SOTTO_EVENT_HELD;
  a->finished = false;
  a->starved = false;
  bool over = a->rewinds && (turn.rewrite ? frame < end : a->padding > 0);
  if (!over) return false;
  if (turn.rewrite) a->next = frame;
  int64_t piece = render(a, a->target);
  int64_t wanted = end - a->next;
  int64_t did = take_back(a, wanted);
  a->padding = 0;
  bool late = did < wanted;
  if (late) {
    // The device is past the first frame. What comes after goes in at once, or it would run dry;
    // the next try has a longer margin.
    int64_t missed = wanted - did;
    if (turn.rewrite) a->next = end - did;
    if (piece > missed) {
      char *piece_start = a->converted;
      memmove(piece_start, piece_start + (size_t)missed * a->frame_bytes,
              (size_t)(piece - missed) * a->frame_bytes);
      count(a, put(a, piece - missed) + (turn.rewrite ? 0 : missed));
    }
  } else {
    count(a, put(a, piece));
    if (!a->lost && a->running && snd_pcm_state(a->pcm) != SND_PCM_STATE_RUNNING) {
      recover(a, -EPIPE);
      late = false;
    }
  }
  learn_margin(a, late, asked);
  if (late) atomic_fetch_add(&a->late, 1);
  return late && turn.rewrite;
}

static void take_turn(alsa *a) {
  bool again = false;
  for (int tries = 0; tries < 4; tries++) {
    again = turn_once(a, again);
    if (!again) break;
  }
  if (a->lost) return;
  bool fresh = !a->running && a->sounding;
  if (fresh) {
    // Sound first, the rest of the queue after.
    int64_t frames = a->padding == 0 && queued(a) == 0 ? render(a, a->target) : 0;
    count(a, put(a, frames));
    if (queued(a) > 0 || a->finished || a->starved) {
      if (queued(a) == 0) put_padding(a, a->target < a->rate / 8 ? a->target : a->rate / 8);
      start(a);
    }
  }
  if (a->sounding || a->running) fill(a);
}

// Stops the device at `stop_at`: all behind it is silence, which does not count.
static void stop(alsa *a) {
  snd_pcm_drop(a->pcm);
  int failed = snd_pcm_prepare(a->pcm);
  if (failed < 0) {
    lose(a, failed);
    return;
  }
  a->running = false;
  a->sounding = false;
  a->padding = 0;
  a->next = a->stop_at;
  a->stop_at = -1;
  shared_clock_set_end(&a->clock, a->next);
  shared_clock_set(&a->clock, a->next, sotto_monotonic_ns(), false);
  a->renderer.event(a->renderer.context, a->stop_event);
}

static int64_t due_frame(const alsa *a) {
  // What a plug-in says about its delay is not exact, and a stop cuts off what is left.
  if (a->stop_at >= 0) return a->stop_at + (a->rewinds ? 0 : a->rate / 50);
  return a->starved && !a->dry ? a->next : -1;
}

// The longest wait for a running device, in milliseconds: by then all that was queued is heard, and
// whatever its descriptors say (the pulse plug-in's stay silent now and then, when a processor is
// busy) it must be asked.
static int longest_wait(const alsa *a) { return (int)(a->target * 1000 / a->rate) + 40; }

// What is due while the device runs. Milliseconds until the next thing is due; -1: nothing is.
static int service(alsa *a) {
  if (!a->running) {
    if (a->lost || !a->sounding) return -1;
    // A start that the device refused (the pulse plug-in does now and then) is tried again.
    fill(a);
    if (queued(a) > 0) {
      start(a);
    } else if (a->stop_at >= 0) {
      a->running = true;  // nothing is left to be heard: the same as stopping
      stop(a);
    }
    return 100;
  }
  snd_pcm_sframes_t room = snd_pcm_avail(a->pcm);
  if (room < 0) {
    recover(a, (int)room);
    if (a->lost || a->running) return 100;
    if (a->stop_at >= 0) {
      a->running = true;  // ran dry behind the stop: the same as stopping
      stop(a);
      return -1;
    }
    fill(a);
    if (queued(a) > 0) start(a);
    return 100;
  }
  set_clock(a);
  int64_t told = heard_now(a) - a->rate / 10;
  if (told > 0) a->renderer.heard(a->renderer.context, told);
  int64_t due = due_frame(a);
  if (due >= 0 && shared_clock_frame(&a->clock, sotto_monotonic_ns()) >= due) {
    if (a->stop_at >= 0) {
      stop(a);
      return -1;
    }
    a->dry = true;
    atomic_fetch_add(&a->clock.underruns, 1);
    a->renderer.event(a->renderer.context, SOTTO_EVENT_UNDERRUN);
  }
  fill(a);
  if (a->filling) return 0;
  due = due_frame(a);
  if (due < 0) return a->starved ? 30 : longest_wait(a);
  int64_t wait = (due - shared_clock_frame(&a->clock, sotto_monotonic_ns())) * 1000 / a->rate + 1;
  return wait > 60 && (a->finished || a->starved) ? 60 : (int)(wait < 1 ? 1 : wait);
}

// A silent device can be pulled out too. Other errors wait for the next start.
static void look(alsa *a) {
  int failed = snd_pcm_hwsync(a->pcm);
  if (failed == -ENODEV || failed == -EBADFD) lose(a, failed);
  a->is_deaf = true;
}

void *alsa_thread(void *data) {
  alsa *a = data;
  int count = snd_pcm_poll_descriptors_count(a->pcm);
  if (count < 0 || count > 30) count = 0;
  struct pollfd descriptors[32];
  int timeout = -1;
  while (!atomic_load(&a->closing)) {
    descriptors[0] = (struct pollfd){.fd = a->wake, .events = POLLIN};
    int used = 1;
    // Behind the last frame the device always has room; only time matters there.
    bool watched = a->running && !a->finished && !a->starved && !a->lost;
    bool looked_at = !a->running && !a->lost && !a->is_deaf;
    if (watched || looked_at) {
      used += snd_pcm_poll_descriptors(a->pcm, descriptors + 1, (unsigned)count);
    }
    // Errors are told without being asked for.
    for (int i = 1; looked_at && i < used; i++) descriptors[i].events = 0;
    int ready = poll(descriptors, (nfds_t)used, timeout);
    if (ready < 0 && errno != EINTR) break;
    if (descriptors[0].revents) sotto_eventfd_clear(a->wake);
    if (watched && ready > 0) {
      // Some plug-ins must be asked, or their descriptors stay ready.
      unsigned short events = 0;
      snd_pcm_poll_descriptors_revents(a->pcm, descriptors + 1, (unsigned)(used - 1), &events);
    }
    for (int i = 1; looked_at && ready > 0 && i < used; i++) {
      if (descriptors[i].revents && !a->is_deaf) look(a);
    }
    if (a->lost) {
      timeout = -1;
      continue;
    }
    if (atomic_exchange(&a->kicked, false)) {
      a->is_deaf = false;
      take_turn(a);
    }
    timeout = a->lost ? -1 : service(a);
  }
  return NULL;
}
