/// The door to libuchardet, which guesses the encoding of a text, bound with dlopen at first need;
/// and to the C library's converter.
#ifndef SOTTO_CCHARSET_H
#define SOTTO_CCHARSET_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// True where libuchardet is installed. From any thread, as all of this.
bool sotto_charset_is_there(void);

/// Guesses the encoding of a text and writes its name, as the converter knows it, into `name`.
/// False where nothing is known of it, or the library is not installed.
bool sotto_charset_guess(const char *text, size_t size, char *name, size_t room);

/// Converts a text from an encoding into UTF-8. NULL where the encoding is not known, or the text is
/// none in it. To be freed with `free`; `*length` is its size.
char *sotto_charset_convert(const char *charset, const char *text, size_t size, size_t *length);

#pragma GCC visibility pop

#endif
