import Database from 'better-sqlite3';
import type { PushedDocument } from '../papi/documents.js';
import { extractContent } from './extract.js';
import { SCHEMA } from './schema.js';

export interface Checkpoint {
  readonly serial: number;
  readonly connector: string;
  readonly name: string;
  readonly value: string;
  /** In ISO 8601 format. */
  readonly setAt: string;
}

export interface Entry {
  readonly uri: string;
  readonly stamp: string;
}

const PAGE_SIZE = 1_000;

/**
 * The index in one SQLite file. Each command is one transaction, which is carried out completely or not at all, even if
 * the process is killed (kill -9). It also survives a power failure once a later `setCheckpoint` or `sync` has
 * returned.
 */
export class IndexStore {
  readonly session: number;
  readonly database: Database.Database;
  private readonly statements;

  constructor(file: string) {
    this.database = new Database(file);
    this.database.pragma('journal_mode = WAL');
    // Each transaction is passed to the operating system; only sync() waits for the disk.
    this.database.pragma('synchronous = NORMAL');
    this.database.exec(SCHEMA);
    this.statements = prepareStatements(this.database);
    this.session = this.openSession();
  }

  /** Adds or replaces documents, in the order given. */
  add(connector: string, documents: readonly PushedDocument[]): void {
    const now = Date.now();
    const rows = documents.map((document) => ({
      connector,
      uri: document.uri,
      stamp: document.stamp,
      ...extractContent(document),
      metas: JSON.stringify(document.metas),
      mimeType: document.master?.mimeType ?? '',
      now,
    }));
    this.transaction(() => {
      for (const row of rows) this.statements.add.run(row);
    });
  }

  delete(connector: string, uris: readonly string[]): void {
    this.transaction(() => {
      for (const uri of uris) this.statements.remove.run(connector, uri);
    });
  }

  /** Deletes the document at `rootPath` and those below it; without `recursive`, of these only its direct children. */
  deleteSubtree(connector: string, rootPath: string, recursive: boolean): void {
    this.transaction(() =>
      this.statements.removeSubtree.run({
        connector,
        ...createSubtreeParameters(rootPath),
        recursive: recursive ? 1 : 0,
      }),
    );
  }

  /** Makes all earlier changes durable before it returns. Returns the serial number, which increases. */
  setCheckpoint(connector: string, name: string, value: string): number {
    return this.runDurably(() =>
      Number(this.statements.setCheckpoint.run(connector, name, value, Date.now()).lastInsertRowid),
    );
  }

  getCheckpoint(connector: string, name: string): string | undefined {
    return (this.statements.checkpoint.get(connector, name) as { value: string } | undefined)?.value;
  }

  getLastCheckpoint(): Checkpoint | undefined {
    const row = this.statements.lastCheckpoint.get() as (Omit<Checkpoint, 'setAt'> & { setAt: number }) | undefined;
    return row && { ...row, setAt: new Date(row.setAt).toISOString() };
  }

  findStamp(connector: string, uri: string): string | undefined {
    return (this.statements.stamp.get(connector, uri) as { stamp: string } | undefined)?.stamp;
  }

  /**
   * Lists entries in the order of their URIs. Changes made in the meantime may or may not be included; no entry appears
   * twice.
   */
  *listEntries(connector: string, rootPath: string, recursive: boolean): Generator<Entry> {
    let after = '';
    for (;;) {
      const page = this.statements.entries.all({
        connector,
        ...createSubtreeParameters(rootPath),
        recursive: recursive ? 1 : 0,
        after,
        limit: PAGE_SIZE,
      }) as Entry[];
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return;
      after = last.uri;
    }
  }

  countDocuments(): number {
    return (this.statements.count.get() as { n: number }).n;
  }

  /** Makes all earlier changes durable before it returns. */
  sync(): void {
    // A checkpoint of the write-ahead log flushes the log to disk before it copies anything.
    this.database.pragma('wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.database.close();
  }

  private transaction(action: () => void): void {
    this.database.transaction(action).immediate();
  }

  /**
   * Makes the action and all earlier commits durable: in WAL mode, a commit with synchronous=FULL flushes the whole
   * log.
   */
  private runDurably<T>(action: () => T): T {
    this.database.pragma('synchronous = FULL');
    try {
      return this.database.transaction(action).immediate();
    } finally {
      this.database.pragma('synchronous = NORMAL');
    }
  }

  /**
   * Stores a new session id. Because of the clock, the id is new even if the file was deleted in the meantime; because
   * of the previous id, it is new even if the clock was set back.
   */
  private openSession(): number {
    const previousId = (this.statements.session.get() as { id: number | null }).id ?? 0;
    const session = Math.max(previousId + 1, Date.now());
    this.runDurably(() => {
      this.statements.forgetSessions.run();
      this.statements.openSession.run(session);
    });
    return session;
  }
}

const createSubtreeParameters = (rootPath: string) => ({
  root: rootPath,
  folder: rootPath === '' || rootPath.endsWith('/') ? rootPath : `${rootPath}/`,
});

const IN_SUBTREE = `connector = @connector AND uri >= @root
  AND (uri = @root OR substr(uri, 1, length(@folder)) = @folder)
  AND (@recursive OR instr(substr(uri, length(@folder) + 1), '/') = 0)`;

function prepareStatements(database: Database.Database) {
  return {
    add: database.prepare(
      `INSERT INTO documents (connector, uri, stamp, title, text, metas, mime_type, pushed_at)
       VALUES (@connector, @uri, @stamp, @title, @text, @metas, @mimeType, @now)
       ON CONFLICT (connector, uri) DO UPDATE SET stamp = excluded.stamp, title = excluded.title, text = excluded.text,
         metas = excluded.metas, mime_type = excluded.mime_type, pushed_at = excluded.pushed_at`,
    ),
    remove: database.prepare('DELETE FROM documents WHERE connector = ? AND uri = ?'),
    removeSubtree: database.prepare(`DELETE FROM documents WHERE ${IN_SUBTREE}`),
    stamp: database.prepare('SELECT stamp FROM documents WHERE connector = ? AND uri = ?'),
    entries: database.prepare(
      `SELECT uri, stamp FROM documents WHERE ${IN_SUBTREE} AND uri > @after ORDER BY uri LIMIT @limit`,
    ),
    count: database.prepare('SELECT count(*) AS n FROM documents'),
    setCheckpoint: database.prepare(
      'INSERT OR REPLACE INTO checkpoints (connector, name, value, set_at) VALUES (?, ?, ?, ?)',
    ),
    checkpoint: database.prepare('SELECT value FROM checkpoints WHERE connector = ? AND name = ?'),
    lastCheckpoint: database.prepare(
      'SELECT serial, connector, name, value, set_at AS setAt FROM checkpoints ORDER BY serial DESC LIMIT 1',
    ),
    session: database.prepare('SELECT max(id) AS id FROM sessions'),
    forgetSessions: database.prepare('DELETE FROM sessions'),
    openSession: database.prepare('INSERT INTO sessions (id) VALUES (?)'),
  };
}
