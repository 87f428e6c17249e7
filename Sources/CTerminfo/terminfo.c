#include "CTerminfo.h"

#include "CBinding.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef struct terminal terminal;

static struct {
  int (*setup)(const char *name, int descriptor, int *error);
  char *(*text)(const char *name);
  int (*number)(const char *name);
  int (*flag)(const char *name);
  terminal *(*set_current)(terminal *current);
  int (*delete)(terminal *current);
  const char *(*version)(void);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"setupterm", &library.setup},         {"tigetstr", &library.text},
      {"tigetnum", &library.number},         {"tigetflag", &library.flag},
      {"set_curterm", &library.set_current}, {"del_curterm", &library.delete},
      {"curses_version", &library.version},
  };
  // Some distributions build it into the library of the windows.
  const char *const names[] = {"libtinfo.so.6", "libtinfow.so.6", "libncursesw.so.6"};
  for (size_t index = 0; index < sizeof names / sizeof *names && !loaded; index++) {
    loaded = sotto_bind(names[index], functions, sizeof functions / sizeof *functions);
  }
}

sotto_terminfo_result sotto_terminfo_open(const char *terminal) {
  pthread_once(&once, load);
  if (!loaded) return sotto_terminfo_no_library;
  int error = 0;
  // With a place for the error it neither prints nor exits. The descriptor is only kept.
  if (library.setup(terminal, STDOUT_FILENO, &error) == 0) return sotto_terminfo_opened;
  // 1: a hard copy terminal, which moves no cursor; 0: no entry, or a generic one; -1: no database.
  return error < 0 ? sotto_terminfo_no_database : sotto_terminfo_no_entry;
}

const char *sotto_terminfo_text(const char *name) {
  const char *text = library.text(name);
  // (char *)-1: there is no text of that name in terminfo.
  return (intptr_t)text == -1 ? NULL : text;
}

int sotto_terminfo_number(const char *name) {
  int number = library.number(name);
  return number < 0 ? -1 : number;
}

bool sotto_terminfo_flag(const char *name) { return library.flag(name) > 0; }

void sotto_terminfo_close(void) {
  terminal *current = library.set_current(NULL);
  if (current != NULL) library.delete(current);
}

const char *sotto_terminfo_version(void) {
  pthread_once(&once, load);
  return loaded ? library.version() : "";
}
