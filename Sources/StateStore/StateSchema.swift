import Database

/// The tables of `state.db`: what only the user can say, and nobody could read again from the files.
enum StateSchema {
  static let version: Int64 = 1

  static let statements = """
    -- Every track that the queue, its undo history or its clipboard holds, by the entry's name.
    CREATE TABLE entry(
      id INTEGER PRIMARY KEY,
      path BLOB NOT NULL,
      -- Seconds; the end is NULL at the end of the file.
      start REAL NOT NULL,
      end REAL,
      title TEXT,
      artist TEXT,
      -- What the tracks of one album share.
      album TEXT,
      duration REAL
    );
    -- Names of entries in an order: the queue, what chance has made of it, the clipboard.
    CREATE TABLE list(
      name TEXT PRIMARY KEY,
      ids BLOB NOT NULL
    ) WITHOUT ROWID;
    -- Edits that can be undone, or done again.
    CREATE TABLE edit(
      serial INTEGER PRIMARY KEY,
      undone INTEGER NOT NULL,
      record BLOB NOT NULL
    );
    -- Single values.
    CREATE TABLE fact(
      name TEXT PRIMARY KEY,
      value
    ) WITHOUT ROWID;
    CREATE TABLE history(
      path BLOB,
      -- Seconds into the file: tracks of a CUE sheet have one path.
      start REAL,
      -- Which file it was when it was heard last: a moved one is known again.
      device INTEGER,
      node INTEGER,
      size INTEGER,
      -- Nanoseconds since 1970.
      modified INTEGER,
      plays INTEGER NOT NULL DEFAULT 0,
      -- Seconds since 1970.
      played INTEGER,
      skips INTEGER NOT NULL DEFAULT 0,
      -- 0 to 5.
      rating REAL,
      -- Seconds into the track.
      bookmark REAL,
      PRIMARY KEY(path, start)
    );
    CREATE INDEX history_identity ON history(node, size);
    """

  /// Opens the file and makes its tables where they are not there yet.
  static func open(_ path: [UInt8], patience: Int32) throws(DatabaseError) -> Database {
    let database = try Database(path, .create, patience: patience)
    let found = try database.integer("PRAGMA user_version") ?? 0
    guard found <= version else {
      throw DatabaseError(
        cause: .misuse, code: 0, sentence: "it was written by a newer sotto, and is left alone")
    }
    guard found < version else { return database }
    try database.transaction { () throws(DatabaseError) in
      // Another process may have been faster.
      guard try database.integer("PRAGMA user_version") ?? 0 < version else { return }
      try database.execute(statements)
      try database.execute("PRAGMA user_version = \(version)")
    }
    return database
  }
}
