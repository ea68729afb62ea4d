import { createHash } from 'node:crypto';
import type { SinkDefinition } from '../../domain/crawl/definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { dialectOf, documentSource, indexSettings, type SearchDialect } from './elasticsearch-schema.js';
import { isSuccess, type SinkAnswer, SinkClient, type SinkRequest } from './sink-client.js';
import { type RequestAnswer, sendSplitting } from './splitting.js';

const DEFAULT_INDEX = 'crawlway';
const ENTRIES_AT_ONCE = 1_000;
const KEEP_ALIVE = '5m';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Item errors that concern the whole index or cluster although they come with a status that looks like one document's. */
const NOT_THE_DOCUMENT = new Set([
  'index_not_found_exception',
  'invalid_index_name_exception',
  'index_closed_exception',
  'cluster_block_exception',
  'security_exception',
]);

interface ItemResult {
  readonly status: number;
  readonly error?: {
    readonly type?: string;
    readonly reason?: string;
    readonly caused_by?: { readonly reason?: string };
  };
}

interface Hit {
  readonly _source?: { readonly uri?: string; readonly stamp?: string };
  readonly sort?: readonly unknown[];
}

/**
 * Elasticsearch (7.10 and later) and OpenSearch (2.4 and later) through the bulk API. A document's id is the SHA-256 of its
 * URI. Elements answered 20x are durable (index.translog.durability `request`, both products' default); nothing forces a
 * refresh. A missing index is made with a mapping that takes every document; an index that is there is left as it is, and
 * must map `uri` as keyword for `entries`.
 */
export class ElasticsearchSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;
  private readonly index: string;
  private readonly dialect: SearchDialect;
  private indexReady = false;

  constructor(definition: SinkDefinition) {
    this.name = definition.name;
    this.index = definition.index ?? DEFAULT_INDEX;
    this.dialect = dialectOf(definition.type);
    this.client = new SinkClient(definition);
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    await this.ensureIndex(signal);
    return sendSplitting(batch, (orders) => this.send(orders, signal));
  }

  async *entries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.json({ method: 'POST', path: `${this.indexPath}/_refresh` }, signal);
    const opened = await this.json({ method: 'POST', ...this.dialect.openPit(this.indexPath, KEEP_ALIVE) }, signal);
    let pit = String(opened[this.dialect.pitField]);
    try {
      let after: readonly unknown[] | undefined;
      do {
        const page = await this.json(searchRequest(pit, after), signal);
        if (typeof page['pit_id'] === 'string') pit = page['pit_id'];
        const hits = (page['hits'] as { hits: Hit[] }).hits;
        yield* hits.flatMap(entryOf);
        after = hits.length < ENTRIES_AT_ONCE ? undefined : hits.at(-1)?.sort;
      } while (after);
    } finally {
      await this.closePit(pit);
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Also when the reader stopped early. A point in time that stays open ends by itself after KEEP_ALIVE. */
  private async closePit(pit: string): Promise<void> {
    const request: SinkRequest = { method: 'DELETE', headers: JSON_TYPE, ...this.dialect.closePit(pit) };
    await this.client.request(request, new AbortController().signal).catch(() => undefined);
  }

  private get indexPath(): string {
    return encodeURIComponent(this.index);
  }

  private async send(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const body = orders.map((order) => this.bulkLines(order)).join('');
    const answer = await this.client.request({ method: 'POST', path: '_bulk', headers: NDJSON, body }, signal);
    if (answer.status === 413)
      return { refused: 'the document is larger than the server takes (http.max_content_length)' };
    if (!isSuccess(answer)) throw this.client.unavailable(answer);
    const items = (this.parse(answer)['items'] ?? []) as Record<string, ItemResult>[];
    if (items.length !== orders.length)
      throw new SinkUnavailable(`${this.client.where}: ${items.length} bulk results for ${orders.length} orders`);
    const someTaken = items.some(isTaken);
    return items.map((item) => this.itemAnswer(item, someTaken));
  }

  private bulkLines(order: PushOrder): string {
    const target = { _index: this.index, _id: createHash('sha256').update(order.uri).digest('hex') };
    if (order.kind === 'delete') return `${JSON.stringify({ delete: target })}\n`;
    return `${JSON.stringify({ index: target })}\n${JSON.stringify(documentSource(order.crawler, order.document))}\n`;
  }

  /** `someTaken`: the index has taken something else of the same request. */
  private itemAnswer(item: Record<string, ItemResult>, someTaken: boolean): OrderAnswer {
    if (isTaken(item)) return { state: 'acknowledged' };
    const { status, error } = Object.values(item)[0]!;
    const words = `${error?.type ?? `status ${status}`}: ${error?.caused_by?.reason ?? error?.reason ?? 'no reason given'}`;
    // An internal error of one document among others that are taken is its own, and would come again for ever.
    const ownFault = status === 500 && someTaken;
    const passes = status === 429 || (status >= 500 && !ownFault) || NOT_THE_DOCUMENT.has(error?.type ?? '');
    if (passes) throw new SinkUnavailable(`${this.client.where}: ${words}`);
    return { state: 'refused', message: words };
  }

  private async ensureIndex(signal: AbortSignal): Promise<void> {
    if (this.indexReady) return;
    const found = await this.client.request({ method: 'HEAD', path: this.indexPath }, signal);
    // 403: credentials that may write documents need not be allowed to look at the index.
    if (!isSuccess(found) && found.status !== 403) {
      if (found.status !== 404) throw this.client.unavailable(found);
      const body = JSON.stringify(indexSettings(this.dialect));
      const made = await this.client.request({ method: 'PUT', path: this.indexPath, headers: JSON_TYPE, body }, signal);
      const another = made.status === 400 && made.body.includes('resource_already_exists_exception');
      if (!isSuccess(made) && !another) throw this.client.unavailable(made);
    }
    this.indexReady = true;
  }

  private async json(request: SinkRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const answer = await this.client.request(request, signal);
    if (!isSuccess(answer)) throw this.client.unavailable(answer);
    return this.parse(answer);
  }

  private parse(answer: SinkAnswer): Record<string, unknown> {
    try {
      return JSON.parse(answer.body);
    } catch {
      throw new SinkUnavailable(`${this.client.where}: the answer is not JSON; is it ${this.dialect.product}?`);
    }
  }
}

function isTaken(item: Record<string, ItemResult>): boolean {
  const [[action, { status, error }]] = Object.entries(item) as [[string, ItemResult]];
  const isGone = action === 'delete' && status === 404 && !error;
  return isGone || (status >= 200 && status < 300);
}

function searchRequest(pit: string, after: readonly unknown[] | undefined): SinkRequest {
  const search = {
    size: ENTRIES_AT_ONCE,
    _source: ['uri', 'stamp'],
    pit: { id: pit, keep_alive: KEEP_ALIVE },
    sort: [{ uri: 'asc' }],
    track_total_hits: false,
    search_after: after,
  };
  return { method: 'POST', path: '_search', headers: JSON_TYPE, body: JSON.stringify(search) };
}

/** Documents that others put into the index have no stamp. */
const entryOf = ({ _source: source }: Hit) =>
  source?.uri !== undefined && source.stamp !== undefined ? [{ uri: source.uri, stamp: source.stamp }] : [];
