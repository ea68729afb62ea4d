/** Reads the URLs of the documents in an existing index of Solr, Elasticsearch or OpenSearch. */
import { UsageError } from '../server/options.js';

const PAGE_SIZE = 1000;
const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** What to do, by status. */
const HINTS: Readonly<Record<number, string>> = {
  401: ': write http://USER:PASSWORD@HOST/INDEX',
  403: ': the user may not read the index',
  404: ': there is no such index or core',
};

type Json = Readonly<Record<string, unknown>>;

/**
 * @param address of a Solr core or collection, or of an index of a search engine: `http://host:9200/index`; a user and
 *   password in it are sent with Basic authentication
 * @param field the field with the URL; the document's id if it has none
 * @throws UsageError if there is no such index
 */
export async function* readIndexUrls(address: string, field: string): AsyncGenerator<string> {
  const url = URL.parse(address.replace(/\/{1,9}$/, ''));
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${address} is not the URL of an index`);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username !== '') {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  const client = new IndexClient(url.href, headers);
  yield* (await client.isSolr()) ? client.listSolr(field) : client.listEngine(field);
}

class IndexClient {
  constructor(
    private readonly base: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async isSolr(): Promise<boolean> {
    const answer = await this.request(`${this.base}/select?q=*:*&rows=0&wt=json`).catch(() => undefined);
    return answer?.['responseHeader'] !== undefined;
  }

  async *listSolr(field: string): AsyncGenerator<string> {
    const key = await this.findSolrKey();
    for (let cursor = '*'; ; ) {
      const query = new URLSearchParams({
        q: '*:*',
        fl: `${key},${field}`,
        sort: `${key} asc`,
        rows: String(PAGE_SIZE),
        wt: 'json',
        cursorMark: cursor,
      });
      const answer = await this.request(`${this.base}/select?${query}`);
      const { docs = [] } = (answer['response'] ?? {}) as { docs?: Json[] };
      for (const doc of docs) yield toUrl(doc[field], doc[key]);
      const next = String(answer['nextCursorMark'] ?? cursor);
      if (docs.length === 0 || next === cursor) return;
      cursor = next;
    }
  }

  /** The field with the ids; a Solr that does not tell has the usual one. */
  private async findSolrKey(): Promise<string> {
    const answer = await this.request(`${this.base}/schema/uniquekey?wt=json`).catch(() => undefined);
    const key = answer?.['uniqueKey'];
    return typeof key === 'string' ? key : 'id';
  }

  async *listEngine(field: string): AsyncGenerator<string> {
    const { origin } = new URL(this.base);
    const query = { size: PAGE_SIZE, _source: [field], sort: ['_doc'] };
    let answer = await this.request(`${this.base}/_search?scroll=1m`, query);
    for (;;) {
      const { hits = [] } = (answer['hits'] ?? {}) as { hits?: Json[] };
      for (const { _id, _source } of hits) yield toUrl((_source as Json | undefined)?.[field], _id);
      const scrollId = answer['_scroll_id'];
      if (hits.length === 0 || typeof scrollId !== 'string') return;
      answer = await this.request(`${origin}/_search/scroll`, { scroll: '1m', scroll_id: scrollId });
    }
  }

  private async request(url: string, body?: Json): Promise<Json> {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: this.headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      throw new UsageError(
        `${this.base} does not answer: ${error.cause instanceof Error ? error.cause.message : error.message}`,
      );
    });
    const text = await readLimited(response);
    if (!response.ok)
      throw new UsageError(`${this.base} answered with status ${response.status}${HINTS[response.status] ?? ''}`);
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new UsageError(`${this.base} did not answer in JSON: it is no index`);
    }
  }
}

async function readLimited({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_ANSWER_BYTES)
      throw new UsageError(`an answer of the index has more than ${MAX_ANSWER_BYTES / 1048576} MiB`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A field may have several values, and ids are often URLs. */
function toUrl(value: unknown, id: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : String(id ?? '');
}
