/// The door to sd-bus, the D-Bus client in libsystemd: bound with dlopen at first need, through
/// declarations of our own of its stable interface (libsystemd.so.0, from version 240 on). Only
/// functions that never wait are named here, and none that is variadic.
#ifndef SOTTO_CSYSTEMD_H
#define SOTTO_CSYSTEMD_H

#include <stdint.h>

#pragma GCC visibility push(hidden)
// Only that the table is full is said; every other pointer is checked where it is used.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct sotto_bus sotto_bus;
typedef struct sotto_bus_message sotto_bus_message;
typedef struct sotto_bus_slot sotto_bus_slot;

/// sd_bus_error, whose layout is part of the interface.
typedef struct sotto_bus_error {
  const char *name;
  const char *message;
  int needs_free;
} sotto_bus_error;

/// sd_bus_message_handler_t.
typedef int (*sotto_bus_handler)(
  sotto_bus_message *message, void *context, sotto_bus_error *error);

/// The library's functions by their names there, without `sd_bus_`. All return a negative errno
/// where they fail.
typedef struct sotto_systemd {
  int (*_Nonnull open_user)(sotto_bus **bus);
  int (*_Nonnull open_system)(sotto_bus **bus);
  int (*_Nonnull new_bus)(sotto_bus **bus);
  int (*_Nonnull set_address)(sotto_bus *bus, const char *address);
  int (*_Nonnull set_bus_client)(sotto_bus *bus, int is_client);
  int (*_Nonnull start)(sotto_bus *bus);
  sotto_bus *(*_Nonnull close_unref)(sotto_bus *bus);
  int (*_Nonnull is_ready)(sotto_bus *bus);
  int (*_Nonnull is_open)(sotto_bus *bus);
  int (*_Nonnull get_unique_name)(sotto_bus *bus, const char **name);
  int (*_Nonnull get_fd)(sotto_bus *bus);
  int (*_Nonnull get_events)(sotto_bus *bus);
  int (*_Nonnull get_timeout)(sotto_bus *bus, uint64_t *microseconds);
  int (*_Nonnull process)(sotto_bus *bus, sotto_bus_message **message);
  int (*_Nonnull send)(sotto_bus *bus, sotto_bus_message *message, uint64_t *cookie);
  int (*_Nonnull call_async)(
    sotto_bus *bus, sotto_bus_slot **slot, sotto_bus_message *message, sotto_bus_handler callback,
    void *context, uint64_t microseconds);
  int (*_Nonnull add_match_async)(
    sotto_bus *bus, sotto_bus_slot **slot, const char *match, sotto_bus_handler callback,
    sotto_bus_handler install_callback, void *context);
  int (*_Nonnull add_fallback)(
    sotto_bus *bus, sotto_bus_slot **slot, const char *prefix, sotto_bus_handler callback,
    void *context);
  sotto_bus_slot *(*_Nonnull slot_unref)(sotto_bus_slot *slot);

  int (*_Nonnull message_new_method_call)(
    sotto_bus *bus, sotto_bus_message **message, const char *destination, const char *path,
    const char *interface, const char *member);
  int (*_Nonnull message_new_method_return)(sotto_bus_message *call, sotto_bus_message **message);
  int (*_Nonnull message_new_method_error)(
    sotto_bus_message *call, sotto_bus_message **message, const sotto_bus_error *error);
  int (*_Nonnull message_new_signal)(
    sotto_bus *bus, sotto_bus_message **message, const char *path, const char *interface,
    const char *member);
  int (*_Nonnull message_set_destination)(sotto_bus_message *message, const char *destination);
  sotto_bus_message *(*_Nonnull message_ref)(sotto_bus_message *message);
  sotto_bus_message *(*_Nonnull message_unref)(sotto_bus_message *message);
  int (*_Nonnull message_get_expect_reply)(sotto_bus_message *message);
  int (*_Nonnull message_set_auto_start)(sotto_bus_message *message, int may_start);
  const char *(*_Nonnull message_get_sender)(sotto_bus_message *message);
  const char *(*_Nonnull message_get_path)(sotto_bus_message *message);
  const char *(*_Nonnull message_get_interface)(sotto_bus_message *message);
  const char *(*_Nonnull message_get_member)(sotto_bus_message *message);
  const char *(*_Nonnull message_get_signature)(sotto_bus_message *message, int complete);
  const sotto_bus_error *(*_Nonnull message_get_error)(sotto_bus_message *message);
  int (*_Nonnull message_append_basic)(sotto_bus_message *message, char type, const void *value);
  int (*_Nonnull message_open_container)(
    sotto_bus_message *message, char type, const char *contents);
  int (*_Nonnull message_close_container)(sotto_bus_message *message);
  int (*_Nonnull message_peek_type)(
    sotto_bus_message *message, char *type, const char **contents);
  int (*_Nonnull message_read_basic)(sotto_bus_message *message, char type, void *value);
  int (*_Nonnull message_enter_container)(
    sotto_bus_message *message, char type, const char *contents);
  int (*_Nonnull message_exit_container)(sotto_bus_message *message);
  int (*_Nonnull message_at_end)(sotto_bus_message *message, int complete);
} sotto_systemd;

/// The library's functions; NULL where it is not installed, or too old. From any thread.
const sotto_systemd *sotto_systemd_load(void);

#pragma clang diagnostic pop
#pragma GCC visibility pop

#endif
