/** Documents of other programs in the index of a sink: those without a content hash. */
import { createHash } from 'node:crypto';
import { type ForeignDocuments, SinkUnavailable } from '../../engine/ports/sink.js';
import { asList, asRecord, asString, asStrings, isRecord, parseJson } from './answers.js';
import type { SearchDialect } from './elasticsearch-schema.js';
import { isSuccess, type SinkClient, type SinkRequest, type SinkResponse } from './sink-client.js';

const PAGE_SIZE = 500;
const SCROLL_TIME = '5m';
const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const FOREIGN = { bool: { must_not: [{ exists: { field: 'stamp' } }] } };

/** The id under which the sink stores the document of a URI. */
export const computeDocumentId = (uri: string): string => createHash('sha256').update(uri).digest('hex');

/** Returns 0 if the credentials do not allow the question. */
export async function countForeignHits(client: SinkClient, index: string, signal: AbortSignal): Promise<number> {
  const path = `${encodeURIComponent(index)}/_count`;
  const body = JSON.stringify({ query: FOREIGN });
  const response = await client.request({ method: 'POST', path, headers: JSON_TYPE, body }, signal);
  const count = isSuccess(response) ? /"count":(\d{1,15})\b/.exec(response.body)?.[1] : undefined;
  return Number(count ?? 0);
}

export class ForeignHits implements ForeignDocuments {
  readonly keyedByUri = false;

  constructor(
    private readonly client: SinkClient,
    private readonly dialect: SearchDialect,
    private readonly index: string,
  ) {}

  async *list(field: string, signal: AbortSignal): AsyncGenerator<{ id: string; uri: string }> {
    const search = { size: PAGE_SIZE, query: FOREIGN, sort: ['_doc'], _source: [field, 'uri', 'stamp'] };
    const path = `${encodeURIComponent(this.index)}/_search`;
    let page = await this.post({ path, query: { scroll: SCROLL_TIME } }, search, signal);
    try {
      for (let hits = listHits(page); hits.length > 0; hits = listHits(page)) {
        for (const hit of hits) {
          const source = asRecord(hit['_source']);
          // Where the mapping does not index `stamp`, the search also finds the sink's own documents.
          if (typeof source['stamp'] === 'string') continue;
          yield { id: String(hit['_id']), uri: readField(source, field) ?? '' };
        }
        page = await this.post(
          { path: '_search/scroll' },
          { scroll: SCROLL_TIME, scroll_id: page['_scroll_id'] },
          signal,
        );
      }
    } finally {
      const body = JSON.stringify({ scroll_id: page['_scroll_id'] });
      const request: SinkRequest = { method: 'DELETE', path: '_search/scroll', headers: JSON_TYPE, body };
      await this.client.request(request, new AbortController().signal).catch(() => undefined); // it expires anyway
    }
  }

  async findOwn(uris: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const query = { terms: { _id: uris.map(computeDocumentId) } };
    const search = { size: uris.length, query: { bool: { filter: [query] } }, _source: ['uri'] };
    await this.post({ path: `${encodeURIComponent(this.index)}/_refresh` }, undefined, signal); // Elasticsearch refuses a body
    const page = await this.post({ path: `${encodeURIComponent(this.index)}/_search` }, search, signal);
    return new Set(listHits(page).flatMap((hit) => asString(asRecord(hit['_source'])['uri']) ?? []));
  }

  async remove(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const body = ids.map((id) => `${JSON.stringify({ delete: { _index: this.index, _id: id } })}\n`).join('');
    const response = await this.client.request({ method: 'POST', path: '_bulk', headers: NDJSON, body }, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
  }

  private async post(
    request: Pick<SinkRequest, 'path' | 'query'>,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const content = body && { headers: JSON_TYPE, body: JSON.stringify(body) };
    const response = await this.client.request({ method: 'POST', ...request, ...content }, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    return parseJsonObject(response, this.client, this.dialect);
  }
}

/** @throws SinkUnavailable if the response is something else */
export function parseJsonObject(
  response: SinkResponse,
  client: SinkClient,
  { product }: SearchDialect,
): Record<string, unknown> {
  try {
    const value: unknown = parseJson(response.body);
    if (isRecord(value)) return value;
  } catch (error) {
    if (error instanceof RangeError)
      throw new SinkUnavailable(`${client.displayName}: the response has ${error.message}`);
    // anything else is reported below
  }
  throw new SinkUnavailable(`${client.displayName}: the response is not a JSON object; is this an ${product} server?`);
}

const listHits = (page: Record<string, unknown>): Record<string, unknown>[] =>
  asList(asRecord(page['hits'])['hits']).map(asRecord);

/** Reads a field whose name may have dots; of several values, the first one. */
function readField(source: Record<string, unknown>, field: string): string | undefined {
  let value: unknown = source[field];
  if (value === undefined) value = field.split('.').reduce<unknown>((object, name) => asRecord(object)[name], source);
  return asString(value) ?? asStrings(value)[0];
}
