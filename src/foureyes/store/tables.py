"""The tables of a store, as one list of statements for each database.

How many bytes a review takes decided what is stored only once.
"""

from __future__ import annotations

#: Streams are named once and numbered in the log. The order of `seq` is the order of commits: there is one writer.
#: Short rows without an order of insertion live in their key's own tree (WITHOUT ROWID).
SQLITE = (
    "CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE streams (
        id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, chain BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE log (
        seq INTEGER NOT NULL PRIMARY KEY, stream INTEGER NOT NULL REFERENCES streams (id), version INTEGER NOT NULL,
        type TEXT NOT NULL, schema INTEGER NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL, cause TEXT NOT NULL,
        body TEXT NOT NULL, chain BLOB NOT NULL, UNIQUE (stream, version)
    ) STRICT""",
    """CREATE TABLE answered (
        asker TEXT NOT NULL, key TEXT NOT NULL, body_hash BLOB NOT NULL, reply TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (asker, key)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE reviews (
        review TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, author TEXT NOT NULL,
        state TEXT NOT NULL, waits TEXT NOT NULL, revision INTEGER NOT NULL, digest BLOB NOT NULL,
        opened TEXT NOT NULL, updated TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX reviews_opened ON reviews (opened)",
    "CREATE INDEX reviews_state ON reviews (state, opened)",
    "CREATE INDEX reviews_author ON reviews (author, opened)",
    "CREATE INDEX reviews_kind ON reviews (kind, opened)",
    """CREATE TABLE digests (
        digest BLOB NOT NULL, review TEXT NOT NULL, cleared INTEGER NOT NULL, vetoed INTEGER NOT NULL,
        PRIMARY KEY (digest, review)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE aliases (
        alias BLOB NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (alias, digest)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE inbox (
        review TEXT NOT NULL, request TEXT NOT NULL, who TEXT NOT NULL, kind TEXT NOT NULL, held INTEGER NOT NULL,
        queued INTEGER NOT NULL, revision INTEGER NOT NULL, due TEXT NOT NULL, lease TEXT NOT NULL,
        PRIMARY KEY (review, request, who)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX inbox_who ON inbox (who, due)",
    "CREATE INDEX inbox_due ON inbox (due)",
    # AUTOINCREMENT: a late message about an outbox row that was delivered must never hit a newer row with the same
    # number.
    """CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, version INTEGER NOT NULL, type TEXT NOT NULL,
        at TEXT NOT NULL, worker TEXT NOT NULL DEFAULT '', until TEXT NOT NULL DEFAULT '',
        attempts INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    """CREATE TABLE trust (
        kind TEXT NOT NULL, author TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL,
        PRIMARY KEY (kind, author)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE blobs (
        digest BLOB NOT NULL PRIMARY KEY, size INTEGER NOT NULL,
        content BLOB CHECK (length(content) <= 20971520), purged TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE TABLE rows (
        projection TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (projection, key)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE cursors (
        projection TEXT NOT NULL PRIMARY KEY, tx INTEGER NOT NULL, seq INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
    BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END""",
    """CREATE TRIGGER log_is_never_shortened BEFORE DELETE ON log
    BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END""",
    # INSERT OR REPLACE deletes without firing the trigger above.
    """CREATE TRIGGER log_is_never_replaced BEFORE INSERT ON log
    WHEN EXISTS (SELECT 1 FROM log WHERE seq = NEW.seq OR (stream = NEW.stream AND version = NEW.version))
    BEGIN SELECT RAISE (ABORT, 'the log is append-only'); END""",
    """CREATE TRIGGER streams_are_never_removed BEFORE DELETE ON streams
    BEGIN SELECT RAISE (ABORT, 'a stream is never removed'); END""",
    """CREATE TRIGGER streams_only_grow BEFORE UPDATE ON streams
    WHEN NEW.id <> OLD.id OR NEW.name <> OLD.name OR NEW.version <= OLD.version
    BEGIN SELECT RAISE (ABORT, 'a stream only grows'); END""",
)

#: Texts are compared by their bytes (COLLATE "C"), as Python and SQLite do. `tx` is the transaction that wrote an
#: event, or a newer one that it could see by then: a reader of the log waits for all transactions that began before it.
#: Rows that change with every command get room beside their old version (fillfactor), so that no index has to be
#: updated.
POSTGRES = (
    'CREATE TABLE meta (name TEXT COLLATE "C" PRIMARY KEY, body TEXT NOT NULL)',
    """CREATE TABLE streams (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT COLLATE "C" NOT NULL UNIQUE,
        version INTEGER NOT NULL, chain BYTEA NOT NULL
    ) WITH (fillfactor = 80)""",
    """CREATE TABLE log (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tx BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
        stream BIGINT NOT NULL REFERENCES streams (id), version INTEGER NOT NULL,
        type TEXT NOT NULL, schema INTEGER NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL, cause TEXT NOT NULL,
        body TEXT NOT NULL, chain BYTEA NOT NULL, UNIQUE (stream, version)
    )""",
    "CREATE INDEX log_tail ON log (tx, seq)",
    """CREATE TABLE answered (
        asker TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL, body_hash BYTEA NOT NULL, reply TEXT NOT NULL,
        at TEXT NOT NULL, PRIMARY KEY (asker, key)
    )""",
    """CREATE TABLE reviews (
        review TEXT COLLATE "C" PRIMARY KEY, kind TEXT COLLATE "C" NOT NULL, title TEXT NOT NULL,
        author TEXT COLLATE "C" NOT NULL, state TEXT COLLATE "C" NOT NULL, waits TEXT NOT NULL,
        revision INTEGER NOT NULL, digest BYTEA NOT NULL, opened TEXT COLLATE "C" NOT NULL, updated TEXT NOT NULL
    ) WITH (fillfactor = 80)""",
    "CREATE INDEX reviews_opened ON reviews (opened, review)",
    "CREATE INDEX reviews_state ON reviews (state, opened, review)",
    "CREATE INDEX reviews_author ON reviews (author, opened, review)",
    "CREATE INDEX reviews_kind ON reviews (kind, opened, review)",
    """CREATE TABLE digests (
        digest BYTEA NOT NULL, review TEXT COLLATE "C" NOT NULL, cleared SMALLINT NOT NULL, vetoed SMALLINT NOT NULL,
        PRIMARY KEY (digest, review)
    )""",
    "CREATE TABLE aliases (alias BYTEA NOT NULL, digest BYTEA NOT NULL, PRIMARY KEY (alias, digest))",
    """CREATE TABLE inbox (
        review TEXT COLLATE "C" NOT NULL, request TEXT COLLATE "C" NOT NULL, who TEXT COLLATE "C" NOT NULL,
        kind TEXT NOT NULL, held SMALLINT NOT NULL, queued SMALLINT NOT NULL, revision INTEGER NOT NULL,
        due TEXT COLLATE "C" NOT NULL, lease TEXT NOT NULL, PRIMARY KEY (review, request, who)
    )""",
    "CREATE INDEX inbox_who ON inbox (who, due)",
    "CREATE INDEX inbox_due ON inbox (due)",
    """CREATE TABLE outbox (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,
        type TEXT NOT NULL, at TEXT NOT NULL, worker TEXT NOT NULL DEFAULT '',
        until TEXT COLLATE "C" NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE trust (
        kind TEXT COLLATE "C" NOT NULL, author TEXT COLLATE "C" NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL,
        PRIMARY KEY (kind, author)
    )""",
    """CREATE TABLE blobs (
        digest BYTEA PRIMARY KEY, size BIGINT NOT NULL,
        content BYTEA CHECK (length(content) <= 20971520), purged TEXT NOT NULL DEFAULT ''
    )""",
    """CREATE TABLE rows (
        projection TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (projection, key)
    )""",
    'CREATE TABLE cursors (projection TEXT COLLATE "C" PRIMARY KEY, tx BIGINT NOT NULL, seq BIGINT NOT NULL)',
    """CREATE FUNCTION append_only () RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the % is append-only', TG_TABLE_NAME; END $$""",
    """CREATE TRIGGER log_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON log
    EXECUTE FUNCTION append_only ()""",
    """CREATE TRIGGER streams_are_never_removed BEFORE DELETE OR TRUNCATE ON streams
    EXECUTE FUNCTION append_only ()""",
    """CREATE TRIGGER streams_only_grow BEFORE UPDATE ON streams FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.name <> OLD.name OR NEW.version <= OLD.version)
    EXECUTE FUNCTION append_only ()""",
)
