import Database

/// The tables of the collection's index. All of it can be read again from the files; what the user
/// did (playlists, counts, ratings, the queue) is kept elsewhere.
enum IndexSchema {
  static let version: Int64 = 2

  /// Many values of one field are kept as one text, with this between them.
  static let separator = "\u{1F}"

  static let statements = """
    CREATE TABLE root(
      id INTEGER PRIMARY KEY,
      path BLOB NOT NULL UNIQUE
    );
    CREATE TABLE folder(
      id INTEGER PRIMARY KEY,
      path BLOB NOT NULL UNIQUE
    );
    CREATE TABLE file(
      id INTEGER PRIMARY KEY,
      folder INTEGER NOT NULL REFERENCES folder(id),
      name BLOB NOT NULL,
      -- Which file it is, wherever it is moved.
      device INTEGER NOT NULL,
      node INTEGER NOT NULL,
      size INTEGER NOT NULL,
      -- Nanoseconds since 1970.
      modified INTEGER NOT NULL,
      -- Of what lies beside it and tells of it: a CUE sheet, a cover.
      beside INTEGER NOT NULL DEFAULT 0,
      -- Why it could not be read.
      fault TEXT,
      -- Seconds since 1970, when it was seen first.
      added INTEGER NOT NULL,
      -- Since when it has not been there any more, or its drive has not been mounted.
      missing INTEGER,
      UNIQUE(folder, name)
    );
    CREATE INDEX file_identity ON file(node, size);
    CREATE TABLE track(
      id INTEGER PRIMARY KEY,
      file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
      start REAL NOT NULL,
      end REAL,
      title TEXT, artist TEXT, album_artist TEXT, album TEXT,
      track INTEGER, track_total INTEGER, disc INTEGER, disc_total INTEGER,
      date TEXT, original_date TEXT, year INTEGER,
      genre TEXT, composer TEXT, comment TEXT,
      compilation INTEGER NOT NULL DEFAULT 0, rating REAL,
      duration REAL, container TEXT, codec TEXT,
      rate INTEGER, channels INTEGER, bits INTEGER, bit_rate INTEGER,
      track_gain REAL, album_gain REAL, track_peak REAL, album_peak REAL,
      lyrics INTEGER NOT NULL DEFAULT 0,
      -- 0 none, 1 in the file, 2 beside it.
      picture INTEGER NOT NULL DEFAULT 0,
      UNIQUE(file, start)
    );
    CREATE TABLE musicbrainz(
      track INTEGER NOT NULL REFERENCES track(id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY(track, kind)
    ) WITHOUT ROWID;
    -- What a search reads when it begins (SearchEntry), beside the wide rows of tracks.
    CREATE TABLE search(
      track INTEGER PRIMARY KEY REFERENCES track(id) ON DELETE CASCADE,
      folder INTEGER NOT NULL,
      added INTEGER NOT NULL,
      missing INTEGER,
      facts BLOB NOT NULL,
      text BLOB NOT NULL
    );
    -- Whoever moves a file or misses it: a search knows.
    CREATE TRIGGER file_search AFTER UPDATE OF folder, added, missing ON file
    WHEN old.folder <> new.folder OR old.added <> new.added OR old.missing IS NOT new.missing
    BEGIN
      UPDATE search SET folder = new.folder, added = new.added, missing = new.missing
      WHERE track IN (SELECT id FROM track WHERE file = new.id);
    END;
    """

  /// What a scan alone needs, which makes it where it is not there.
  static let additions = """
    -- Which folder on disk each was when it was looked at last.
    CREATE TABLE IF NOT EXISTS folder_place(
      folder INTEGER PRIMARY KEY REFERENCES folder(id) ON DELETE CASCADE,
      device INTEGER NOT NULL,
      node INTEGER NOT NULL
    );
    -- Links behind which folders are found that have no other place in the collection.
    CREATE TABLE IF NOT EXISTS link(
      id INTEGER PRIMARY KEY,
      path BLOB NOT NULL UNIQUE
    );
    -- Under which path the collection finds what is in a folder that a link leads to, by the folder's
    -- own path without links.
    CREATE TABLE IF NOT EXISTS place(
      real BLOB PRIMARY KEY,
      path BLOB NOT NULL
    ) WITHOUT ROWID;
    """
}
