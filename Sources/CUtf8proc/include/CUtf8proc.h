/// The door to libutf8proc, which knows how many columns a character takes: bound with dlopen at
/// first need. It computes and touches nothing, so that pure modules may ask it.
#ifndef SOTTO_CUTF8PROC_H
#define SOTTO_CUTF8PROC_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Columns of a code point: 0, 1 or 2; -1 where the library is not installed. From any thread.
int sotto_utf8proc_width(uint32_t scalar);

/// The library's version, such as "2.8.0"; empty where it is not installed. Never freed.
const char *sotto_utf8proc_version(void);

#pragma GCC visibility pop

#endif
