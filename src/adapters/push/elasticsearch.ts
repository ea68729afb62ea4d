import { createHash } from 'node:crypto';
import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { asList, asRecord, asString, isRecord } from './answers.js';
import { buildIndexBody, getDialect, type SearchDialect, toKeptDocument, toSource } from './elasticsearch-schema.js';
import { isSuccess, type SinkAnswer, SinkClient, type SinkRequest } from './sink-client.js';
import { type RequestAnswer, sendWithSplitting } from './splitting.js';

const DEFAULT_INDEX = 'crawlway';
const ENTRIES_AT_ONCE = 1_000;
const KEEP_ALIVE = '5m';
const LONGEST_MESSAGE = 1_000;
/** Takes precedence over the products' built-in templates. */
const TEMPLATE_PRIORITY = 500;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Item errors that concern the whole index or cluster although their status looks like an error of one document. */
const NOT_THE_DOCUMENT = new Set([
  'index_not_found_exception',
  'invalid_index_name_exception',
  'index_closed_exception',
  'cluster_block_exception',
  'security_exception',
]);

/** The result of one action of a bulk request. */
interface ItemResult {
  readonly action: string;
  /** 0 if there is no readable status, which counts as the sink's fault. */
  readonly status: number;
  readonly failed: boolean;
  readonly type?: string;
  readonly reason?: string;
}

type SearchOptions = SinkDefinitionOf<'elasticsearch' | 'opensearch'>['options'];

/**
 * Elasticsearch (7.10 and later) and OpenSearch (2.4 and later) through the bulk API. A document's id is the SHA-256 of
 * its URI. Items with a status of 20x are durable (index.translog.durability `request`, both products' default); no
 * refresh is forced. A missing index is created with a mapping that accepts every document; an existing one is left
 * unchanged and must map `uri` as keyword for `listEntries`.
 */
export class ElasticsearchSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;
  private readonly index: string;
  private readonly options: SearchOptions;
  private readonly dialect: SearchDialect;
  private indexReady = false;

  constructor(definition: SinkDefinitionOf<'elasticsearch' | 'opensearch'>) {
    this.name = definition.name;
    this.options = definition.options;
    this.index = definition.options.index ?? DEFAULT_INDEX;
    this.dialect = getDialect(definition.type);
    this.client = new SinkClient(definition, '', 'ApiKey');
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    await this.ensureIndex(signal);
    return sendWithSplitting(batch, (orders) => this.send(orders, signal));
  }

  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.requestJson({ method: 'POST', path: `${this.indexPath}/_refresh` }, signal);
    const opened = await this.requestJson(
      { method: 'POST', ...this.dialect.openPointInTime(this.indexPath, KEEP_ALIVE) },
      signal,
    );
    let pit = String(opened[this.dialect.pitField]);
    try {
      let after: string | undefined;
      do {
        const page = await this.requestJson(searchRequest(pit, after), signal);
        if (typeof page['pit_id'] === 'string') pit = page['pit_id'];
        const hits = this.parseHits(page);
        yield* hits.flatMap(toEntries);
        after = hits.length < ENTRIES_AT_ONCE ? undefined : this.findNextPosition(after, hits.at(-1)!);
      } while (after);
    } finally {
      await this.closePointInTime(pit);
    }
  }

  /** Includes documents that searches do not find yet. */
  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    const wanted = uris.map((uri) => ({ _id: documentId(uri), routing: this.routingKey(uri) }));
    const body = JSON.stringify({ docs: wanted });
    const query = { _source_excludes: 'master.bytes' };
    const request: SinkRequest = { method: 'POST', path: `${this.indexPath}/_mget`, query, headers: JSON_TYPE, body };
    const { docs } = await this.requestJson(request, signal);
    return asList(docs).flatMap((found) => toKeptDocument(asRecord(asRecord(found)['_source'])) ?? []);
  }

  async probe(signal: AbortSignal): Promise<void> {
    const found = await this.client.request({ method: 'HEAD', path: this.indexPath }, signal);
    if (!isSuccess(found) && found.status !== 403 && found.status !== 404) throw this.client.toUnavailable(found);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Called even if the reader stopped early. A point in time that stays open expires after KEEP_ALIVE. */
  private async closePointInTime(pit: string): Promise<void> {
    const request: SinkRequest = { method: 'DELETE', headers: JSON_TYPE, ...this.dialect.closePointInTime(pit) };
    await this.client.request(request, new AbortController().signal).catch(() => undefined);
  }

  private get indexPath(): string {
    return encodeURIComponent(this.index);
  }

  private async send(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const body = orders.map((order) => this.toBulkLines(order)).join('');
    const { pipeline } = this.options;
    const query = pipeline === undefined ? undefined : { pipeline };
    const answer = await this.client.request({ method: 'POST', path: '_bulk', query, headers: NDJSON, body }, signal);
    if (answer.status === 413)
      return { refused: 'the document is larger than the server accepts (http.max_content_length)' };
    if (!isSuccess(answer)) throw this.client.toUnavailable(answer);
    const items = asList(this.parse(answer)['items']).map(parseItemResult);
    if (items.length !== orders.length)
      throw new SinkUnavailable(`${this.client.displayName}: ${items.length} bulk results for ${orders.length} orders`);
    const someTaken = items.some(isAccepted);
    return items.map((item) => this.toOrderAnswer(item, someTaken));
  }

  private parseHits(page: Record<string, unknown>): Record<string, unknown>[] {
    const hits = asRecord(page['hits'])['hits'];
    if (Array.isArray(hits)) return hits.map(asRecord);
    throw new SinkUnavailable(
      `${this.client.displayName}: the response to a search has no hits; is it ${this.dialect.product}?`,
    );
  }

  /** Finds where the next page begins. A listing that is not in ascending order would never end. */
  private findNextPosition(after: string | undefined, last: Record<string, unknown>): string {
    const uri = asList(last['sort'])[0];
    if (typeof uri === 'string' && (after === undefined || Buffer.compare(Buffer.from(uri), Buffer.from(after)) > 0))
      return uri;
    throw new SinkUnavailable(
      `${this.client.displayName}: the pages of search results are not in the order of \`uri\``,
    );
  }

  private toBulkLines(order: PushOrder): string {
    const version =
      this.options.versions === 'external' ? { version: order.decidedAt, version_type: 'external_gte' } : undefined;
    const target = { _index: this.index, _id: documentId(order.uri), routing: this.routingKey(order.uri), ...version };
    if (order.kind === 'delete') return `${JSON.stringify({ delete: target })}\n`;
    return `${JSON.stringify({ index: target })}\n${JSON.stringify(toSource(order.crawler, order.document))}\n`;
  }

  /** `someTaken`: the index has accepted other documents in the same request. */
  private toOrderAnswer(result: ItemResult, someTaken: boolean): OrderAnswer {
    if (isAccepted(result) || this.isSuperseded(result)) return { state: 'acknowledged' };
    const { status, type, reason = 'no reason given' } = result;
    const words = `${type ?? `status ${status}`}: ${reason}`.slice(0, LONGEST_MESSAGE);
    // If other documents were accepted, an internal error concerns only this document and would recur every time.
    const ownFault = status === 500 && someTaken;
    const passes = status === 429 || status === 0 || (status >= 500 && !ownFault) || NOT_THE_DOCUMENT.has(type ?? '');
    if (passes) throw new SinkUnavailable(`${this.client.displayName}: ${words}`);
    return { state: 'refused', message: words };
  }

  /** True if the index already has a newer version of the document, so the order has nothing left to do. */
  private isSuperseded({ status, type }: ItemResult): boolean {
    return this.options.versions === 'external' && status === 409 && type === 'version_conflict_engine_exception';
  }

  private async ensureIndex(signal: AbortSignal): Promise<void> {
    if (this.indexReady) return;
    const found = await this.client.request({ method: 'HEAD', path: this.indexPath }, signal);
    // Credentials that may write documents are not necessarily allowed to examine the index (403).
    if (!isSuccess(found) && found.status !== 403) {
      if (found.status !== 404) throw this.client.toUnavailable(found);
      const { template, alias } = this.options;
      const settings = buildIndexBody(this.dialect, template, alias);
      if (template !== undefined) await this.putTemplate(settings, signal);
      const body = JSON.stringify(settings);
      const made = await this.client.request({ method: 'PUT', path: this.indexPath, headers: JSON_TYPE, body }, signal);
      const another = made.status === 400 && made.body.includes('resource_already_exists_exception');
      if (!isSuccess(made) && !another) throw this.client.toUnavailable(made);
    } else if (isSuccess(found)) await this.ensureAlias(signal);
    this.indexReady = true;
  }

  /** The template applies when a person recreates the index. */
  private async putTemplate(template: object, signal: AbortSignal): Promise<void> {
    const path = `_index_template/${encodeURIComponent(`crawlway-${this.index}`)}`;
    const body = JSON.stringify({ index_patterns: [this.index], priority: TEMPLATE_PRIORITY, template });
    await this.requestJson({ method: 'PUT', path, headers: JSON_TYPE, body }, signal);
  }

  /** If the alias also points to another index, it keeps doing so. */
  private async ensureAlias(signal: AbortSignal): Promise<void> {
    const { alias } = this.options;
    if (alias === undefined) return;
    const body = JSON.stringify({ actions: [{ add: { index: this.index, alias } }] });
    await this.requestJson({ method: 'POST', path: '_aliases', headers: JSON_TYPE, body }, signal);
  }

  private routingKey(uri: string): string | undefined {
    return this.options.routing === 'host' ? (URL.parse(uri)?.host ?? uri) : undefined;
  }

  private async requestJson(request: SinkRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const answer = await this.client.request(request, signal);
    if (!isSuccess(answer)) throw this.client.toUnavailable(answer);
    return this.parse(answer);
  }

  private parse(answer: SinkAnswer): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(answer.body);
      if (isRecord(value)) return value;
    } catch {
      // reported below
    }
    throw new SinkUnavailable(
      `${this.client.displayName}: the response is not a JSON object; is it ${this.dialect.product}?`,
    );
  }
}

const isAccepted = ({ action, status, failed }: ItemResult): boolean =>
  (action === 'delete' && status === 404 && !failed) || (status >= 200 && status < 300);

function parseItemResult(item: unknown): ItemResult {
  const [[action, result] = ['', undefined]] = Object.entries(asRecord(item));
  const { status, error } = asRecord(result);
  const { type, reason, caused_by: cause } = asRecord(error);
  return {
    action,
    status: typeof status === 'number' ? status : 0,
    failed: error !== undefined,
    type: asString(type),
    reason: asString(asRecord(cause)['reason']) ?? asString(reason),
  };
}

const documentId = (uri: string): string => createHash('sha256').update(uri).digest('hex');

function searchRequest(pit: string, after: string | undefined): SinkRequest {
  const search = {
    size: ENTRIES_AT_ONCE,
    _source: ['uri', 'stamp'],
    pit: { id: pit, keep_alive: KEEP_ALIVE },
    sort: [{ uri: 'asc' }],
    track_total_hits: false,
    search_after: after === undefined ? undefined : [after],
  };
  return { method: 'POST', path: '_search', headers: JSON_TYPE, body: JSON.stringify(search) };
}

/** Documents that others have put into the index have no content hash and are skipped. */
function toEntries(hit: Record<string, unknown>): { uri: string; stamp: string }[] {
  const { uri, stamp } = asRecord(hit['_source']);
  return typeof uri === 'string' && typeof stamp === 'string' ? [{ uri, stamp }] : [];
}
