#include "CSystemd.h"

#include "CBinding.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static sotto_systemd library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"sd_bus_open_user", &library.open_user},
      {"sd_bus_open_system", &library.open_system},
      {"sd_bus_new", &library.new_bus},
      {"sd_bus_set_address", &library.set_address},
      {"sd_bus_set_bus_client", &library.set_bus_client},
      {"sd_bus_start", &library.start},
      {"sd_bus_close_unref", &library.close_unref},
      {"sd_bus_is_ready", &library.is_ready},
      {"sd_bus_is_open", &library.is_open},
      {"sd_bus_get_unique_name", &library.get_unique_name},
      {"sd_bus_get_fd", &library.get_fd},
      {"sd_bus_get_events", &library.get_events},
      {"sd_bus_get_timeout", &library.get_timeout},
      {"sd_bus_process", &library.process},
      {"sd_bus_send", &library.send},
      {"sd_bus_call_async", &library.call_async},
      {"sd_bus_add_match_async", &library.add_match_async},
      {"sd_bus_add_fallback", &library.add_fallback},
      {"sd_bus_slot_unref", &library.slot_unref},
      {"sd_bus_message_new_method_call", &library.message_new_method_call},
      {"sd_bus_message_new_method_return", &library.message_new_method_return},
      {"sd_bus_message_new_method_error", &library.message_new_method_error},
      {"sd_bus_message_new_signal", &library.message_new_signal},
      {"sd_bus_message_set_destination", &library.message_set_destination},
      {"sd_bus_message_ref", &library.message_ref},
      {"sd_bus_message_unref", &library.message_unref},
      {"sd_bus_message_get_expect_reply", &library.message_get_expect_reply},
      {"sd_bus_message_set_auto_start", &library.message_set_auto_start},
      {"sd_bus_message_get_sender", &library.message_get_sender},
      {"sd_bus_message_get_path", &library.message_get_path},
      {"sd_bus_message_get_interface", &library.message_get_interface},
      {"sd_bus_message_get_member", &library.message_get_member},
      {"sd_bus_message_get_signature", &library.message_get_signature},
      {"sd_bus_message_get_error", &library.message_get_error},
      {"sd_bus_message_append_basic", &library.message_append_basic},
      {"sd_bus_message_open_container", &library.message_open_container},
      {"sd_bus_message_close_container", &library.message_close_container},
      {"sd_bus_message_peek_type", &library.message_peek_type},
      {"sd_bus_message_read_basic", &library.message_read_basic},
      {"sd_bus_message_enter_container", &library.message_enter_container},
      {"sd_bus_message_exit_container", &library.message_exit_container},
      {"sd_bus_message_at_end", &library.message_at_end},
  };
  loaded = sotto_bind("libsystemd.so.0", functions, sizeof functions / sizeof *functions);
}

const sotto_systemd *sotto_systemd_load(void) {
  pthread_once(&once, load);
  return loaded ? &library : NULL;
}
