/// The door to terminfo, the database of what terminals can do: libtinfo bound with dlopen at first
/// need, through declarations of our own of its stable interface (X/Open Curses). Nothing of ncurses
/// beyond it: the screen is painted by sotto.
#ifndef SOTTO_CTERMINFO_H
#define SOTTO_CTERMINFO_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

typedef enum sotto_terminfo_result {
  sotto_terminfo_opened,
  /// libtinfo is not installed.
  sotto_terminfo_no_library,
  /// The database has no entry of that name.
  sotto_terminfo_no_entry,
  /// There is no database.
  sotto_terminfo_no_database,
} sotto_terminfo_result;

/// Opens the entry of a terminal. Only one is open at a time; control thread.
sotto_terminfo_result sotto_terminfo_open(const char *terminal);
/// A text; NULL where the terminal has none. Valid until the entry is closed.
const char *sotto_terminfo_text(const char *name);
/// A number; -1 where the terminal has none.
int sotto_terminfo_number(const char *name);
bool sotto_terminfo_flag(const char *name);
void sotto_terminfo_close(void);

/// "ncurses 6.4.20221231"; empty where libtinfo is not installed.
const char *sotto_terminfo_version(void);

#pragma GCC visibility pop

#endif
