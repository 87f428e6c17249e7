/// The door to SQLite, bound with dlopen at first need through declarations of its own: the library
/// keeps this interface for ever (https://www.sqlite.org/c3ref/intro.html), and no header is needed.
#ifndef SOTTO_CSQLITE_H
#define SOTTO_CSQLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A connection, and a statement of one. Each is used by one thread at a time.
typedef struct sotto_sqlite sotto_sqlite;
typedef struct sotto_sqlite_statement sotto_sqlite_statement;

enum {
  SOTTO_SQLITE_OK = 0,
  SOTTO_SQLITE_ROW = 100,
  SOTTO_SQLITE_DONE = 101,
};

enum {
  SOTTO_SQLITE_READ_ONLY = 1,
  SOTTO_SQLITE_READ_WRITE = 2,
  SOTTO_SQLITE_CREATE = 4,
  /// The path is a file: address with options.
  SOTTO_SQLITE_ADDRESS = 0x40,
};

/// True where the library is installed. From any thread.
bool sotto_sqlite_is_there(void);
/// Of the library; empty where it is not installed.
const char *sotto_sqlite_version(void);

/// Opens a file. Answers SQLite's extended code; the connection is there even after most failures,
/// for its message, and must be closed. Waits up to `busy_milliseconds` for other processes.
int sotto_sqlite_open(const char *path, int flags, int busy_milliseconds, sotto_sqlite **out);
/// Statements must be finished before.
void sotto_sqlite_close(sotto_sqlite *connection);

/// What went wrong last on a connection: valid until its next call.
const char *sotto_sqlite_message(sotto_sqlite *connection);

/// Statements without values or rows, one after the other.
int sotto_sqlite_run(sotto_sqlite *connection, const char *sql);
int64_t sotto_sqlite_changes(sotto_sqlite *connection);
int64_t sotto_sqlite_last_row(sotto_sqlite *connection);
bool sotto_sqlite_is_in_transaction(sotto_sqlite *connection);

int sotto_sqlite_prepare(
    sotto_sqlite *connection, const char *sql, size_t size, sotto_sqlite_statement **out);
void sotto_sqlite_finish(sotto_sqlite_statement *statement);
/// ROW, DONE or an extended code.
int sotto_sqlite_step(sotto_sqlite_statement *statement);
/// Ready to be run again; the values stay.
void sotto_sqlite_reset(sotto_sqlite_statement *statement);

// Values, at places from 1 on. Bytes are copied.
int sotto_sqlite_bind_null(sotto_sqlite_statement *statement, int place);
int sotto_sqlite_bind_integer(sotto_sqlite_statement *statement, int place, int64_t value);
int sotto_sqlite_bind_real(sotto_sqlite_statement *statement, int place, double value);
int sotto_sqlite_bind_text(
    sotto_sqlite_statement *statement, int place, const char *text, size_t size);
int sotto_sqlite_bind_bytes(
    sotto_sqlite_statement *statement, int place, const void *bytes, size_t size);
int sotto_sqlite_value_count(sotto_sqlite_statement *statement);

// Columns of the row, from 0 on; bytes and text are valid until the next step.
int sotto_sqlite_column_count(sotto_sqlite_statement *statement);
enum {
  SOTTO_SQLITE_INTEGER = 1,
  SOTTO_SQLITE_REAL = 2,
  SOTTO_SQLITE_TEXT = 3,
  SOTTO_SQLITE_BYTES = 4,
};
int sotto_sqlite_type(sotto_sqlite_statement *statement, int column);
bool sotto_sqlite_is_null(sotto_sqlite_statement *statement, int column);
int64_t sotto_sqlite_integer(sotto_sqlite_statement *statement, int column);
double sotto_sqlite_real(sotto_sqlite_statement *statement, int column);
const char *sotto_sqlite_text(sotto_sqlite_statement *statement, int column, size_t *size);
const void *sotto_sqlite_bytes(sotto_sqlite_statement *statement, int column, size_t *size);

#pragma GCC visibility pop

#endif
