/** `pages` is a full-text index on `documents` without a copy of the text; the triggers keep the two in sync. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS documents (
  id INTEGER PRIMARY KEY,
  connector TEXT NOT NULL,
  uri TEXT NOT NULL,
  stamp TEXT NOT NULL,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  metas TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  pushed_at INTEGER NOT NULL,
  UNIQUE (connector, uri)
) STRICT;

CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5(
  title, text, uri, content='documents', content_rowid='id', tokenize="unicode61 remove_diacritics 2"
);

CREATE TRIGGER IF NOT EXISTS documents_added AFTER INSERT ON documents BEGIN
  INSERT INTO pages (rowid, title, text, uri) VALUES (new.id, new.title, new.text, new.uri);
END;

CREATE TRIGGER IF NOT EXISTS documents_deleted AFTER DELETE ON documents BEGIN
  INSERT INTO pages (pages, rowid, title, text, uri) VALUES ('delete', old.id, old.title, old.text, old.uri);
END;

CREATE TRIGGER IF NOT EXISTS documents_changed AFTER UPDATE ON documents
  WHEN old.title <> new.title OR old.text <> new.text BEGIN
  INSERT INTO pages (pages, rowid, title, text, uri) VALUES ('delete', old.id, old.title, old.text, old.uri);
  INSERT INTO pages (rowid, title, text, uri) VALUES (new.id, new.title, new.text, new.uri);
END;

CREATE TABLE IF NOT EXISTS checkpoints (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  connector TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  UNIQUE (connector, name)
) STRICT;

CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY) STRICT;
`;
