// The volume of event sounds: what PulseAudio's module-stream-restore and pipewire-pulse keep for
// every stream of role event, and mixers show as "System Sounds". Read only when it is to change.

#include "pulse.h"

#include <stdio.h>
#include <string.h>

static const char *const entry_name = "sink-input-by-media-role:event";
// PipeWire takes a write over late: what it then says is what was before.
static const int64_t settle_ns = 2000000000;

static void tell(pulse *p, int64_t packed) {
  atomic_store(&p->ringer, packed);
  p->renderer.event(p->renderer.context, SOTTO_EVENT_RINGER);
}

// This server keeps no such volume.
static void give_up(pulse *p) {
  atomic_store(&p->ringer_steps, 0);
  atomic_store(&p->ringer_mutes, 0);
  p->entry.asked = false;
  tell(p, -1);
}

static void written(pa_context *context, int ok, void *data) {
  (void)context;
  pulse *p = data;
  if (!ok) {
    give_up(p);
    return;
  }
  p->entry.asked = false;
  p->entry.written_ns = sotto_monotonic_ns();
  tell(p, p->entry.written);
  // Steps that came meanwhile.
  pulse_step_ringer(p);
}

static void write_entry(pulse *p) {
  pulse_entry *entry = &p->entry;
  int steps = atomic_exchange(&p->ringer_steps, 0);
  bool muted = entry->muted != (atomic_exchange(&p->ringer_mutes, 0) % 2 == 1);
  if (!entry->found || entry->volume.channels == 0) {
    // Never changed so far: full.
    pa_channel_map_init_mono(&entry->map);
    pa_cvolume_reset(&entry->volume, 1);
  }
  uint64_t level = pa_cvolume_max(&entry->volume);
  int before = (int)((level * 100 + PA_VOLUME_NORM / 2) / PA_VOLUME_NORM);
  int after = before + steps;
  // Up to 100; what somebody set above it is not pulled down by a step up.
  int most = before > 100 ? before : 100;
  after = after < 0 ? 0 : after > most ? most : after;
  if (steps != 0) {
    pa_volume_t wanted = (pa_volume_t)((uint64_t)after * PA_VOLUME_NORM / 100);
    pa_cvolume_set(&entry->volume, entry->volume.channels, wanted);
  }
  if (steps > 0) muted = false;
  entry->found = true;
  entry->muted = muted;
  entry->written = (int64_t)after * 2 + (muted ? 1 : 0);
  pa_ext_stream_restore_info info = {.name = entry_name,
                                     .channel_map = entry->map,
                                     .volume = entry->volume,
                                     .device = entry->device[0] ? entry->device : NULL,
                                     .mute = muted};
  pa_operation *operation =
      pa_ext_stream_restore_write(p->context, PA_UPDATE_REPLACE, &info, 1, 1, written, p);
  if (!operation) give_up(p);
  pulse_unref(operation);
}

static void read_entry(pa_context *context, const pa_ext_stream_restore_info *info, int end,
                       void *data) {
  (void)context;
  pulse *p = data;
  pulse_entry *entry = &p->entry;
  if (end > 0) {
    write_entry(p);
  } else if (end < 0) {
    give_up(p);
  } else if (info && strcmp(info->name, entry_name) == 0) {
    entry->found = true;
    entry->map = info->channel_map;
    entry->volume = info->volume;
    entry->muted = info->mute != 0;
    snprintf(entry->device, sizeof entry->device, "%s", info->device ? info->device : "");
  }
}

void pulse_step_ringer(pulse *p) {
  if (p->lost || p->entry.asked) return;
  if (atomic_load(&p->ringer_steps) == 0 && atomic_load(&p->ringer_mutes) == 0) return;
  bool is_fresh = p->entry.found && p->entry.written_ns > 0 &&
                  sotto_monotonic_ns() - p->entry.written_ns < settle_ns;
  if (is_fresh) {
    p->entry.asked = true;
    write_entry(p);
    return;
  }
  p->entry = (pulse_entry){.asked = true};
  pa_operation *operation = pa_ext_stream_restore_read(p->context, read_entry, p);
  if (!operation) give_up(p);
  pulse_unref(operation);
}
