import type Database from 'better-sqlite3';

export interface SearchRequest {
  /** Words that must all occur; `"…"` is a phrase. Empty: every document, the newest first. */
  readonly query: string;
  /** 0-based rank of the first hit. */
  readonly start: number;
  readonly count: number;
}

export interface SearchAnswer extends SearchRequest {
  readonly total: number;
  readonly hits: readonly Hit[];
}

export interface Hit {
  readonly uri: string;
  /** Empty when the document has none. */
  readonly title: string;
  readonly snippet: readonly Fragment[];
  readonly stamp: string;
  readonly mimeType: string;
  /** ISO 8601. */
  readonly pushedAt: string;
  readonly metas: readonly { readonly name: string; readonly value: string }[];
}

/** A stretch of plain text; `match` marks the words that were searched for. */
export interface Fragment {
  readonly text: string;
  readonly match: boolean;
}

export const LONGEST_QUERY = 1_000;
export const MOST_HITS = 100;
export const LAST_START = 10_000;

// Text in the index holds no control characters, so these can only be marks.
const MATCH_START = '\u0002';
const MATCH_END = '\u0003';
const SNIPPET_WORDS = 32;

interface Row {
  uri: string;
  title: string;
  snippet: string;
  stamp: string;
  mimeType: string;
  pushedAt: number;
  metas: string;
}

const COLUMNS = 'd.uri, d.title, d.stamp, d.mime_type AS mimeType, d.pushed_at AS pushedAt, d.metas';

export class Search {
  private readonly matching: Database.Statement;
  private readonly matchingCount: Database.Statement;
  private readonly newest: Database.Statement;
  private readonly allCount: Database.Statement;

  constructor(database: Database.Database) {
    this.matching = database.prepare(
      `SELECT ${COLUMNS}, snippet(pages, 1, '${MATCH_START}', '${MATCH_END}', '…', ${SNIPPET_WORDS}) AS snippet
       FROM pages JOIN documents d ON d.id = pages.rowid
       WHERE pages MATCH @match ORDER BY bm25(pages, 8, 1, 4), d.id LIMIT @count OFFSET @start`,
    );
    this.matchingCount = database.prepare('SELECT count(*) AS n FROM pages WHERE pages MATCH @match');
    this.newest = database.prepare(
      `SELECT ${COLUMNS}, substr(d.text, 1, 200) AS snippet FROM documents d ORDER BY d.id DESC LIMIT @count OFFSET @start`,
    );
    this.allCount = database.prepare('SELECT count(*) AS n FROM documents');
  }

  run(request: SearchRequest): SearchAnswer {
    const { start, count } = request;
    const match = matchExpression(request.query);
    const parameters = match === '' ? { start, count } : { start, count, match };
    const rows = (match === '' ? this.newest : this.matching).all(parameters) as Row[];
    const counted = match === '' ? this.allCount.get() : this.matchingCount.get({ match });
    return { ...request, total: (counted as { n: number }).n, hits: rows.map(toHit) };
  }
}

/** The full-text expression for what a person typed. Everything is quoted, so nothing they type is syntax but `"`. */
export function matchExpression(query: string): string {
  const terms = query.slice(0, LONGEST_QUERY).match(/"[^"]*"?|[^\s"]+/gu) ?? [];
  return terms
    .map((term) => term.replaceAll('"', '').replaceAll('\u0000', ' '))
    .filter((term) => /[\p{L}\p{N}]/u.test(term))
    .map((term) => `"${term}"`)
    .join(' ');
}

const toHit = (row: Row): Hit => ({
  uri: row.uri,
  title: row.title,
  snippet: fragments(row.snippet),
  stamp: row.stamp,
  mimeType: row.mimeType,
  pushedAt: new Date(row.pushedAt).toISOString(),
  metas: JSON.parse(row.metas),
});

function fragments(marked: string): Fragment[] {
  return marked.split(MATCH_START).flatMap((piece, index) => {
    if (index === 0) return piece === '' ? [] : [{ text: piece, match: false }];
    const [match = '', rest = ''] = piece.split(MATCH_END);
    return rest === ''
      ? [{ text: match, match: true }]
      : [
          { text: match, match: true },
          { text: rest, match: false },
        ];
  });
}
