/// The door to libsndfile: bound with dlopen at first need, through declarations of our own of its
/// stable C interface (libsndfile.so.1, unchanged since 2006), so that neither building nor
/// starting needs the library. MP3 is read from its version 1.1 on.
#ifndef SOTTO_CSNDFILE_H
#define SOTTO_CSNDFILE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// SF_INFO.
typedef struct sotto_sf_info {
  int64_t frames;
  int rate;
  int channels;
  int format;
  int sections;
  int seekable;
} sotto_sf_info;

/// SF_VIRTUAL_IO: where the library gets its bytes. `context` is what sf_open_virtual was given.
/// Called on the thread that calls the library, never after close.
typedef struct sotto_sf_io {
  int64_t (*length)(void *context);
  int64_t (*seek)(int64_t offset, int whence, void *context);
  int64_t (*read)(void *bytes, int64_t count, void *context);
  int64_t (*write)(const void *bytes, int64_t count, void *context);
  int64_t (*tell)(void *context);
} sotto_sf_io;

typedef struct sotto_sf_file sotto_sf_file;

/// The library's functions that are used.
typedef struct sotto_sndfile {
  sotto_sf_file *(*open_virtual)(sotto_sf_io *io, int mode, sotto_sf_info *info, void *context);
  int (*close)(sotto_sf_file *file);
  /// The last error of a file; of the last failed open for NULL.
  int (*error)(sotto_sf_file *file);
  const char *(*error_text)(int number);
  int64_t (*read_float)(sotto_sf_file *file, float *to, int64_t frames);
  int64_t (*seek)(sotto_sf_file *file, int64_t frame, int whence);
  const char *(*text)(sotto_sf_file *file, int kind);
  int (*command)(sotto_sf_file *file, int command, void *data, int size);
} sotto_sndfile;

/// The library, loaded at the first call from any thread; NULL where it is not installed.
const sotto_sndfile *sotto_sndfile_load(void);

#pragma GCC visibility pop

#endif
