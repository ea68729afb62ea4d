import type Database from 'better-sqlite3';

export interface SearchRequest {
  /** Words that must all occur; `"…"` is a phrase. An empty query finds every document, newest first. */
  readonly query: string;
  /** 0-based rank of the first hit. */
  readonly start: number;
  readonly count: number;
  /** A document must match all filters. */
  readonly filters: readonly MetaFilter[];
}

/**
 * Finds documents with a value of the meta from `from` to `to`, inclusive. Values are compared as text, as ISO 8601
 * allows; case is ignored.
 */
export interface MetaFilter {
  readonly meta: string;
  readonly from: string;
  readonly to: string;
}

export interface SearchResult extends SearchRequest {
  readonly total: number;
  readonly hits: readonly Hit[];
}

export interface Hit {
  readonly uri: string;
  /** Empty if the document has none. */
  readonly title: string;
  readonly snippet: readonly Fragment[];
  readonly stamp: string;
  readonly mimeType: string;
  /** In ISO 8601 format. */
  readonly pushedAt: string;
  readonly metas: readonly { readonly name: string; readonly value: string }[];
}

/** A piece of plain text; `match` is true for words that match the query. */
export interface Fragment {
  readonly text: string;
  readonly match: boolean;
}

export const MAX_QUERY_LENGTH = 1_000;
export const MAX_HITS = 100;
export const MAX_START = 10_000;
export const MAX_FILTERS = 5;

// Text in the index contains no control characters, so these can only be markers.
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

const MATCHING = 'FROM pages JOIN documents d ON d.id = pages.rowid WHERE pages MATCH @match';
const ALL = 'FROM documents d WHERE 1';
const MATCHING_SNIPPET = `snippet(pages, 1, '${MATCH_START}', '${MATCH_END}', '…', ${SNIPPET_WORDS}) AS snippet`;
const FIRST_WORDS = 'substr(d.text, 1, 200) AS snippet';
const PAGE = 'LIMIT @count OFFSET @start';

const buildFilterSql = (_: unknown, index: number): string => ` AND EXISTS (
  SELECT 1 FROM json_each(d.metas) WHERE value ->> 'name' = @meta${index} COLLATE NOCASE
    AND value ->> 'value' >= @from${index} COLLATE NOCASE AND value ->> 'value' <= @to${index} COLLATE NOCASE)`;

export class Search {
  /** Prepared statements by their SQL: there are a few for each number of filters. */
  private readonly statements = new Map<string, Database.Statement>();

  constructor(private readonly database: Database.Database) {}

  run(request: SearchRequest): SearchResult {
    const { start, count, filters } = request;
    const match = buildMatchExpression(request.query);
    const fromClause = (match === '' ? ALL : MATCHING) + filters.map(buildFilterSql).join('');
    const [snippet, order] =
      match === '' ? [FIRST_WORDS, 'd.id DESC'] : [MATCHING_SNIPPET, 'bm25(pages, 8, 1, 4), d.id'];
    const parameters = Object.assign(
      match === '' ? {} : { match },
      ...filters.map(({ meta, from, to }, index) => ({
        [`meta${index}`]: meta,
        [`from${index}`]: from,
        [`to${index}`]: to,
      })),
    ) as object;
    const rows = this.prepare(`SELECT ${COLUMNS}, ${snippet} ${fromClause} ORDER BY ${order} ${PAGE}`).all({
      ...parameters,
      start,
      count,
    }) as Row[];
    const { n } = this.prepare(`SELECT count(*) AS n ${fromClause}`).get(parameters) as { n: number };
    return { ...request, total: n, hits: rows.map(toHit) };
  }

  private prepare(sql: string): Database.Statement {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

/** Builds the full-text expression for a query as typed. Everything is quoted, so only `"` acts as syntax. */
export function buildMatchExpression(query: string): string {
  const terms = query.slice(0, MAX_QUERY_LENGTH).match(/"[^"]*"?|[^\s"]+/gu) ?? [];
  return terms
    .map((term) => term.replaceAll('"', '').replaceAll('\u0000', ' '))
    .filter((term) => /[\p{L}\p{N}]/u.test(term))
    .map((term) => `"${term}"`)
    .join(' ');
}

const toHit = (row: Row): Hit => ({
  uri: row.uri,
  title: row.title,
  snippet: parseFragments(row.snippet),
  stamp: row.stamp,
  mimeType: row.mimeType,
  pushedAt: new Date(row.pushedAt).toISOString(),
  metas: JSON.parse(row.metas),
});

function parseFragments(markedText: string): Fragment[] {
  return markedText.split(MATCH_START).flatMap((piece, index) => {
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
