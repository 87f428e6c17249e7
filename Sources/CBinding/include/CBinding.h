/// How a door binds a library that it does not link: with dlopen, at first need, through
/// declarations of its own.
#ifndef SOTTO_CBINDING_H
#define SOTTO_CBINDING_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A function of a library, and the pointer to it that is to be filled.
typedef struct sotto_binding {
  const char *name;
  void *slot;
} sotto_binding;

/// Loads the library of that soname and fills every slot. False where the library or one of the
/// functions is missing: then nothing may be called. To be called once for each library.
bool sotto_bind(const char *soname, const sotto_binding *functions, size_t count);

#pragma GCC visibility pop

#endif
