#include "CCharset.h"

#include "CBinding.h"

#include <iconv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libuchardet's own interface, version 0 of it.
static struct {
  void *(*new)(void);
  void (*delete)(void *detector);
  int (*handle_data)(void *detector, const char *text, size_t size);
  void (*data_end)(void *detector);
  const char *(*get_charset)(void *detector);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"uchardet_new", &library.new},
      {"uchardet_delete", &library.delete},
      {"uchardet_handle_data", &library.handle_data},
      {"uchardet_data_end", &library.data_end},
      {"uchardet_get_charset", &library.get_charset},
  };
  loaded = sotto_bind("libuchardet.so.0", functions, sizeof functions / sizeof *functions);
}

bool sotto_charset_is_there(void) {
  pthread_once(&once, load);
  return loaded;
}

bool sotto_charset_guess(const char *text, size_t size, char *name, size_t room) {
  if (!sotto_charset_is_there() || room == 0) return false;
  name[0] = 0;
  void *detector = library.new();
  if (!detector) return false;
  if (library.handle_data(detector, text, size) == 0) {
    library.data_end(detector);
    const char *found = library.get_charset(detector);
    // The same characters and more: what Windows writes under the smaller one's name.
    if (found && strcmp(found, "SHIFT_JIS") == 0) found = "CP932";
    if (found && strcmp(found, "GB2312") == 0) found = "GB18030";
    if (found && strcmp(found, "EUC-KR") == 0) found = "CP949";
    snprintf(name, room, "%s", found ? found : "");
  }
  library.delete(detector);
  return name[0] != 0 && strcmp(name, "ASCII") != 0;
}

char *sotto_charset_convert(const char *charset, const char *text, size_t size, size_t *length) {
  iconv_t converter = iconv_open("UTF-8", charset);
  if (converter == (iconv_t)-1) return NULL;
  // Hardly a character of an old encoding becomes more than three bytes for each of its own; a text of
  // those that do (TSCII has some) does not fit and is not converted.
  size_t room = size * 3 + 4;
  char *out = malloc(room);
  char *from = (char *)text, *to = out;
  size_t left = size, space = room;
  if (out && iconv(converter, &from, &left, &to, &space) != (size_t)-1 && left == 0 &&
      iconv(converter, NULL, NULL, &to, &space) != (size_t)-1) {
    *length = room - space;
  } else {
    free(out);
    out = NULL;
  }
  iconv_close(converter);
  return out;
}
