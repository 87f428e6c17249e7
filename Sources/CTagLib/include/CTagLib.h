/// The door to TagLib. TagLib is C++, so what calls it is a library of its own
/// (CTagLibBridge, built where TagLib's headers are), which is loaded with dlopen at first need:
/// from beside the program, or from lib/sotto where the program is installed in bin.
#ifndef SOTTO_CTAGLIB_H
#define SOTTO_CTAGLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What the two halves must agree on.
enum { SOTTO_TAGLIB_INTERFACE = 1 };

/// One property, or one of several values of it; bytes of UTF-8 that need not end with NUL. Names
/// are as TagLib's PropertyMap has them ("ALBUMARTIST"), or as the format has them where it knows
/// none.
typedef struct sotto_taglib_text {
  const char *name;
  size_t name_size;
  const char *value;
  size_t value_size;
} sotto_taglib_text;

typedef struct sotto_taglib_chapter {
  /// Milliseconds from the beginning of the file.
  int64_t start;
  const char *title;
  size_t title_size;
} sotto_taglib_chapter;

/// What a file says of itself.
typedef struct sotto_taglib_file {
  /// Names for people: "Ogg", "Vorbis".
  const char *container;
  const char *codec;
  int64_t milliseconds;
  /// False where the length is an estimate that may be far off.
  bool is_sure;
  bool has_picture;
  bool has_lyrics;
  /// 0 where it is not known.
  int32_t rate;
  int32_t channels;
  int32_t bits;
  /// Bits a second.
  int32_t bit_rate;
  /// A rating of ID3v2 (POPM), 0 to 255; -1 where there is none.
  int32_t rating;
  const sotto_taglib_text *texts;
  size_t text_count;
  const sotto_taglib_chapter *chapters;
  size_t chapter_count;
} sotto_taglib_file;

typedef struct sotto_taglib {
  int interface;
  /// TagLib's own, as "1.13".
  const char *version;
  /// Reads an open regular file by position, and leaves it open. NULL where the format is none of
  /// TagLib's, the file is damaged, or its parts lie deeper in each other than those of any honest
  /// file. From any thread with 512 KiB of stack; bounded, whatever the file says.
  const sotto_taglib_file *(*read)(int descriptor);
  void (*release)(const sotto_taglib_file *file);
} sotto_taglib;

/// The library's functions; NULL where it is not there, or was built without TagLib. From any
/// thread.
const sotto_taglib *sotto_taglib_load(void);

#pragma GCC visibility pop

#endif
