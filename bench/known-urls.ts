import Database from 'better-sqlite3';
import { toStatusCode } from '../src/adapters/storage/shared/url-row.js';
import { openSqliteStore } from '../src/adapters/storage/sqlite/sqlite-store.js';
import { REFRESH } from '../src/domain/frontier/sources.js';
import { computeUrlKey } from '../src/domain/url/url-key.js';

/** Name of the crawler to which the URLs belong. */
const CRAWLER = 'bench';
const HOSTS = 1_000;
const DAY_MS = 86_400_000;

/**
 * Fills a store as a long crawl would: with URLs of 1,000 other hosts, all of them indexed and none due. The rows are
 * written directly to the database, and its indexes are created afterwards: 10 million take two minutes instead of an
 * hour.
 */
export async function fillStore(file: string, knownCount: number): Promise<void> {
  await (await openSqliteStore(file)).close();
  const db = new Database(file);
  // SQLite can only switch from WAL to OFF by way of DELETE.
  db.pragma('journal_mode = DELETE');
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'url' AND sql IS NOT NULL`,
    )
    .all();
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  db.exec('BEGIN');
  insertUrls(db, knownCount);
  insertCounts(db, knownCount);
  db.exec('COMMIT');
  for (const { sql } of indexes) db.exec(sql);
  db.pragma('journal_mode = WAL');
  db.close();
}

const createHostName = (host: number): string => `known-${host}.example.com`;

function insertUrls(db: Database.Database, knownCount: number): void {
  const now = Date.now();
  const insert = db.prepare<[number, bigint, string, bigint]>(
    `INSERT INTO url (site_id, key, url, status, reason, source, due_at, hops, redirects, discovered_via, found_on, root, first_seen_at,
       last_visit_at, last_status, visits, changes, last_change_at, change_interval, change_uncertainty, etag, last_modified, stamp,
       simhash, content_type, title)
     VALUES (?, ?, ?, ${toStatusCode('indexed')}, 'indexed', ${REFRESH}, ${now + 30 * DAY_MS}, 3, 0, 1,
       'https://known.example.com/section-1/some/page-of-average-length.html', 'https://known.example.com/', ${now - 9 * DAY_MS},
       ${now - DAY_MS}, 200, 3, 1, ${now - 5 * DAY_MS}, ${20 * DAY_MS}, 0.7, '"5f3e-1a2b3c4d5e6f"',
       'Tue, 04 Nov 2025 10:00:00 GMT', '0123456789abcdef0123456789abcdef', ?, 'text/html',
       'The title of a page of average length')`,
  );
  for (let n = 0; n < knownCount; n++) {
    const host = n % HOSTS;
    const url = `https://${createHostName(host)}/section-${n % 97}/some/page-of-average-length-${n}.html`;
    const key = computeUrlKey(url);
    insert.run(host + 1, key, url, key);
  }
}

function insertCounts(db: Database.Database, knownCount: number): void {
  const insertSite = db.prepare(
    'INSERT INTO site (id, crawler, host, urls, indexed, errors, queued, next_due_at) VALUES (?, ?, ?, ?, ?, 0, ?, ?)',
  );
  for (let host = 0; host < Math.min(HOSTS, knownCount); host++) {
    const urls = Math.floor((knownCount - host - 1) / HOSTS) + 1;
    insertSite.run(host + 1, CRAWLER, createHostName(host), urls, urls, urls, Date.now() + 30 * DAY_MS);
  }
  db.prepare('INSERT INTO counter (crawler, status, source, indexed, urls) VALUES (?, ?, ?, 1, ?)').run(
    CRAWLER,
    toStatusCode('indexed'),
    REFRESH,
    knownCount,
  );
}
