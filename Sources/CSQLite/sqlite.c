#include "CSQLite.h"

#include "CBinding.h"

#include <pthread.h>

// The library's own interface, as it is published; `sotto_sqlite` is its `sqlite3`.
typedef sotto_sqlite connection;
typedef sotto_sqlite_statement statement;

static struct {
  const char *(*libversion)(void);
  int (*open_v2)(const char *path, connection **out, int flags, const char *vfs);
  int (*close_v2)(connection *);
  const char *(*errmsg)(connection *);
  int (*extended_result_codes)(connection *, int on);
  int (*busy_timeout)(connection *, int milliseconds);
  int (*exec)(connection *, const char *sql, void *body, void *context, char **message);
  int (*changes)(connection *);
  int64_t (*last_insert_rowid)(connection *);
  int (*get_autocommit)(connection *);
  int (*prepare_v2)(connection *, const char *sql, int size, statement **out, const char **tail);
  int (*finalize)(statement *);
  int (*step)(statement *);
  int (*reset)(statement *);
  int (*bind_null)(statement *, int place);
  int (*bind_int64)(statement *, int place, int64_t value);
  int (*bind_double)(statement *, int place, double value);
  int (*bind_text)(statement *, int place, const char *text, int size, void (*end)(void *));
  int (*bind_blob)(statement *, int place, const void *bytes, int size, void (*end)(void *));
  int (*bind_parameter_count)(statement *);
  int (*column_count)(statement *);
  int (*column_type)(statement *, int column);
  int64_t (*column_int64)(statement *, int column);
  double (*column_double)(statement *, int column);
  const unsigned char *(*column_text)(statement *, int column);
  const void *(*column_blob)(statement *, int column);
  int (*column_bytes)(statement *, int column);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum { code_misuse = 21, code_too_big = 18, type_null = 5 };
enum { open_no_mutex = 0x8000, largest = 1 << 30 };

/// "The library makes a copy of its own."
static void (*const transient)(void *) = (void (*)(void *))(intptr_t)-1;

#define FUNCTION(name) {"sqlite3_" #name, &library.name}

static void load(void) {
  const sotto_binding functions[] = {
      FUNCTION(libversion),           FUNCTION(open_v2),
      FUNCTION(close_v2),             FUNCTION(errmsg),
      FUNCTION(extended_result_codes),FUNCTION(busy_timeout),
      FUNCTION(exec),                 FUNCTION(changes),
      FUNCTION(last_insert_rowid),    FUNCTION(get_autocommit),
      FUNCTION(prepare_v2),           FUNCTION(finalize),
      FUNCTION(step),                 FUNCTION(reset),
      FUNCTION(bind_null),            FUNCTION(bind_int64),
      FUNCTION(bind_double),          FUNCTION(bind_text),
      FUNCTION(bind_blob),            FUNCTION(bind_parameter_count),
      FUNCTION(column_count),         FUNCTION(column_type),
      FUNCTION(column_int64),         FUNCTION(column_double),
      FUNCTION(column_text),          FUNCTION(column_blob),
      FUNCTION(column_bytes),
  };
  loaded = sotto_bind("libsqlite3.so.0", functions, sizeof functions / sizeof *functions);
}

bool sotto_sqlite_is_there(void) {
  pthread_once(&once, load);
  return loaded;
}

const char *sotto_sqlite_version(void) {
  return sotto_sqlite_is_there() ? library.libversion() : "";
}

int sotto_sqlite_open(const char *path, int flags, int busy_milliseconds, sotto_sqlite **out) {
  *out = NULL;
  if (!sotto_sqlite_is_there()) return code_misuse;
  // A connection is used by one thread at a time: its own lock would be a quarter of each read.
  int result = library.open_v2(path, out, flags | open_no_mutex, NULL);
  if (*out) {
    library.extended_result_codes(*out, 1);
    library.busy_timeout(*out, busy_milliseconds);
  }
  return result;
}

void sotto_sqlite_close(sotto_sqlite *connection) {
  if (connection) library.close_v2(connection);
}

const char *sotto_sqlite_message(sotto_sqlite *connection) { return library.errmsg(connection); }

int sotto_sqlite_run(sotto_sqlite *connection, const char *sql) {
  return library.exec(connection, sql, NULL, NULL, NULL);
}

int64_t sotto_sqlite_changes(sotto_sqlite *connection) { return library.changes(connection); }

int64_t sotto_sqlite_last_row(sotto_sqlite *connection) {
  return library.last_insert_rowid(connection);
}

bool sotto_sqlite_is_in_transaction(sotto_sqlite *connection) {
  return library.get_autocommit(connection) == 0;
}

// Statements.

int sotto_sqlite_prepare(
    sotto_sqlite *connection, const char *sql, size_t size, sotto_sqlite_statement **out) {
  *out = NULL;
  if (size > largest) return code_too_big;
  return library.prepare_v2(connection, sql, (int)size, out, NULL);
}

void sotto_sqlite_finish(sotto_sqlite_statement *statement) {
  if (statement) library.finalize(statement);
}

int sotto_sqlite_step(sotto_sqlite_statement *statement) { return library.step(statement); }
void sotto_sqlite_reset(sotto_sqlite_statement *statement) { library.reset(statement); }

int sotto_sqlite_bind_null(sotto_sqlite_statement *statement, int place) {
  return library.bind_null(statement, place);
}

int sotto_sqlite_bind_integer(sotto_sqlite_statement *statement, int place, int64_t value) {
  return library.bind_int64(statement, place, value);
}

int sotto_sqlite_bind_real(sotto_sqlite_statement *statement, int place, double value) {
  return library.bind_double(statement, place, value);
}

int sotto_sqlite_bind_text(
    sotto_sqlite_statement *statement, int place, const char *text, size_t size) {
  if (size > largest) return code_too_big;
  return library.bind_text(statement, place, text ? text : "", (int)size, transient);
}

int sotto_sqlite_bind_bytes(
    sotto_sqlite_statement *statement, int place, const void *bytes, size_t size) {
  if (size > largest) return code_too_big;
  // No bytes are bytes too; NULL would be SQL's NULL.
  return library.bind_blob(statement, place, bytes ? bytes : "", (int)size, transient);
}

int sotto_sqlite_value_count(sotto_sqlite_statement *statement) {
  return library.bind_parameter_count(statement);
}

// Columns.

int sotto_sqlite_column_count(sotto_sqlite_statement *statement) {
  return library.column_count(statement);
}

int sotto_sqlite_type(sotto_sqlite_statement *statement, int column) {
  return library.column_type(statement, column);
}

bool sotto_sqlite_is_null(sotto_sqlite_statement *statement, int column) {
  return library.column_type(statement, column) == type_null;
}

int64_t sotto_sqlite_integer(sotto_sqlite_statement *statement, int column) {
  return library.column_int64(statement, column);
}

double sotto_sqlite_real(sotto_sqlite_statement *statement, int column) {
  return library.column_double(statement, column);
}

const char *sotto_sqlite_text(sotto_sqlite_statement *statement, int column, size_t *size) {
  const char *text = (const char *)library.column_text(statement, column);
  *size = text ? (size_t)library.column_bytes(statement, column) : 0;
  return text;
}

const void *sotto_sqlite_bytes(sotto_sqlite_statement *statement, int column, size_t *size) {
  const void *bytes = library.column_blob(statement, column);
  *size = bytes ? (size_t)library.column_bytes(statement, column) : 0;
  return bytes;
}
