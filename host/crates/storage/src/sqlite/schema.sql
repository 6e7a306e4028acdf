-- Format 1. Names are blobs: they compare by their bytes, which is the order the port promises.
-- With rowids: in a table without, the values lie in the inner pages of its tree too, which with a million documents of
-- 1 kB is then ten pages deep and larger than any cache.
-- The short columns come before the value, so that a check never walks through the pages of a large one.
CREATE TABLE documents (
    partition BLOB NOT NULL,
    key BLOB NOT NULL,
    version INTEGER NOT NULL,
    commit_id BLOB NOT NULL,
    expires INTEGER,
    wake INTEGER,
    value BLOB NOT NULL,
    UNIQUE (partition, key)
) STRICT;

-- Holds the expiry too, so that what has expired is passed over without touching a document.
CREATE INDEX documents_by_wake ON documents (wake, expires) WHERE wake IS NOT NULL;
CREATE INDEX documents_by_expiry ON documents (expires) WHERE expires IS NOT NULL;

-- The last number of every appended prefix. A row is never deleted: its number must not come again.
CREATE TABLE appends (
    partition BLOB NOT NULL,
    prefix BLOB NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (partition, prefix)
) STRICT, WITHOUT ROWID;

-- One row: the version of the last commit. It rises for the whole store, so that no document's version comes twice.
CREATE TABLE counter (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO counter VALUES (1, 0);
