import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Instant, instant } from '../../domain/time/units.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { asList, asRecord, asString } from './answers.js';
import { computeDocumentId, ForeignHits, parseJsonObject } from './elasticsearch-foreign.js';
import { SearchIndex } from './elasticsearch-index.js';
import { getDialect, type SearchDialect, toKeptDocument, toSourceDocument } from './elasticsearch-schema.js';
import { isSuccess, readCount, SinkClient, type SinkRequest, type SinkResponse } from './sink-client.js';
import { type RequestAnswer, sendWithSplitting } from './splitting.js';

const PAGE_SIZE = 1_000;
const KEEP_ALIVE = '5m';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Item errors that concern the whole index or cluster, although their status suggests an error in one document. */
const INDEX_ERROR_TYPES = new Set([
  'index_not_found_exception',
  'invalid_index_name_exception',
  'index_closed_exception',
  'cluster_block_exception',
  'security_exception',
]);

/** The result of one action of a bulk request. */
interface ItemResult {
  readonly action: string;
  /** 0 if the status cannot be read, which is treated as an error of the sink. */
  readonly status: number;
  readonly failed: boolean;
  readonly type?: string;
  readonly reason?: string;
}

const omit = (source: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(source).filter(([name]) => !names.includes(name)));

type SearchOptions = SinkDefinitionOf<'elasticsearch' | 'opensearch'>['options'];

/**
 * Writes to Elasticsearch (7.10 and later) or OpenSearch (2.4 and later) through the bulk API. A document's id is the
 * SHA-256 of its URI. Items with a status of 20x are durable (index.translog.durability `request`, both products'
 * default); no refresh is forced. A missing index is created with a mapping that accepts every document; an existing
 * one is left unchanged and must map `uri` as keyword for `listEntries`.
 */
export class ElasticsearchSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;
  private readonly index: string;
  private readonly options: SearchOptions;
  private readonly dialect: SearchDialect;
  readonly alias: Sink['alias'];
  readonly foreign: Sink['foreign'];
  private readonly searchIndex: SearchIndex;

  constructor(definition: SinkDefinitionOf<'elasticsearch' | 'opensearch'>) {
    this.name = definition.name;
    this.options = definition.options;
    this.index = definition.options.index;
    this.dialect = getDialect(definition.type);
    this.client = new SinkClient(definition, '', 'ApiKey');
    this.searchIndex = new SearchIndex(this.client, this.dialect, definition.options);
    this.foreign = new ForeignHits(this.client, this.dialect, this.index);
    const { alias } = definition.options;
    if (alias !== undefined)
      this.alias = {
        name: alias,
        index: this.index,
        read: (signal) => this.searchIndex.readAlias(signal),
        move: (indexes, signal) => this.searchIndex.moveAlias(indexes, signal),
      };
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    await this.searchIndex.ensure(signal);
    return sendWithSplitting(batch, (orders) => this.sendNewest(orders, signal));
  }

  /** @throws SinkUnsuitable if the mapping makes it impossible */
  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.searchIndex.checkListable(signal);
    await this.requestJson({ method: 'POST', path: `${this.indexPath}/_refresh` }, signal);
    const pointInTime = await this.requestJson(
      { method: 'POST', ...this.dialect.openPointInTime(this.indexPath, KEEP_ALIVE) },
      signal,
    );
    let pit = String(pointInTime[this.dialect.pitField]);
    try {
      let lastUri: string | undefined;
      do {
        const page = await this.requestJson(buildSearchRequest(pit, lastUri), signal);
        if (typeof page['pit_id'] === 'string') pit = page['pit_id'];
        const hits = this.parseHits(page);
        yield* hits.flatMap(toEntries);
        lastUri = hits.length < PAGE_SIZE ? undefined : this.findNextPosition(lastUri, hits.at(-1)!);
      } while (lastUri);
    } finally {
      await this.closePointInTime(pit);
    }
  }

  /** Also returns documents that searches do not find yet; none if the credentials may only write. */
  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    const requestedDocs = uris.map((uri) => ({ _id: computeDocumentId(uri), routing: this.getRoutingKey(uri) }));
    const body = JSON.stringify({ docs: requestedDocs });
    const query = { _source_excludes: 'master.bytes,analyzed' };
    const request: SinkRequest = { method: 'POST', path: `${this.indexPath}/_mget`, query, headers: JSON_TYPE, body };
    const response = await this.client.request(request, signal);
    if (response.status === 403) return [];
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    const { docs } = this.parseBody(response);
    return asList(docs).flatMap((doc) => toKeptDocument(asRecord(asRecord(doc)['_source'])) ?? []);
  }

  async probe(signal: AbortSignal): Promise<void> {
    const response = await this.client.request({ method: 'HEAD', path: this.indexPath }, signal);
    if (!isSuccess(response) && response.status !== 403 && response.status !== 404)
      throw this.client.toUnavailable(response);
  }

  identify(signal: AbortSignal): Promise<readonly string[] | undefined> {
    return this.searchIndex.identify(signal);
  }

  async isEmpty(signal: AbortSignal): Promise<boolean> {
    return (await this.countDocuments(signal)) === 0;
  }

  async countDocuments(signal: AbortSignal): Promise<number> {
    const body = JSON.stringify({ query: { exists: { field: 'stamp' } } });
    const path = `${encodeURIComponent(this.index)}/_count`;
    const response = await this.client.request({ method: 'POST', path, headers: JSON_TYPE, body }, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    return readCount(response, 'count');
  }

  checkSchema(signal: AbortSignal): Promise<string | undefined> {
    return this.searchIndex.checkSchema(signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Ignores errors, because a point in time that stays open expires after KEEP_ALIVE. */
  private async closePointInTime(pit: string): Promise<void> {
    const request: SinkRequest = { method: 'DELETE', headers: JSON_TYPE, ...this.dialect.closePointInTime(pit) };
    await this.client.request(request, new AbortController().signal).catch(() => undefined);
  }

  private get indexPath(): string {
    return encodeURIComponent(this.index);
  }

  /**
   * With external versions: a document whose version lies in the future was written before a clock was set back, and
   * would refuse every order until then. Such orders are sent again with the version after that.
   */
  private async sendNewest(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const answers = await this.send(orders, signal);
    if ('refused' in answers) return answers;
    const now = Date.now();
    const versions = new Map(
      orders.flatMap((order, i): [PushOrder, number][] => {
        const answer = answers[i]!;
        const storedVersion = answer.state === 'acknowledged' ? (answer.supersededBy ?? 0) : 0;
        return storedVersion > now ? [[order, storedVersion + 1]] : [];
      }),
    );
    if (versions.size === 0) return answers;
    const newAnswers = await this.send([...versions.keys()], signal, versions);
    if ('refused' in newAnswers) return newAnswers;
    const remaining = [...newAnswers];
    return orders.map((order, i) => (versions.has(order) ? remaining.shift()! : answers[i]!));
  }

  private async send(
    orders: readonly PushOrder[],
    signal: AbortSignal,
    versions?: ReadonlyMap<PushOrder, number>,
  ): Promise<RequestAnswer> {
    const deletions = this.listFurtherDeletions(orders);
    const body = [...orders.map((order) => this.toBulkLines(order, versions?.get(order))), ...deletions].join('');
    const { pipeline } = this.options;
    const query = {
      ...(pipeline === undefined ? {} : { pipeline }),
      // Otherwise the engine would create an index with the name of an alias that was removed.
      ...(this.searchIndex.isAlias ? { require_alias: 'true' } : {}),
    };
    const response = await this.client.request({ method: 'POST', path: '_bulk', query, headers: NDJSON, body }, signal);
    if (response.status === 413) {
      const limit = 'larger than the server, or a proxy in front of it, accepts (http.max_content_length)';
      return { refused: `a request of ${Buffer.byteLength(body)} bytes is ${limit}` };
    }
    // Of a request that cannot be read, one document may be the reason; if all are refused alike, the sink is ill.
    if (response.status === 400) return { refused: this.client.toUnavailable(response).message };
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    const allItems = asList(this.parseBody(response)['items']).map(parseItemResult);
    const items = allItems.slice(0, orders.length);
    if (allItems.length !== orders.length + deletions.length)
      throw new SinkUnavailable(
        `${this.client.displayName}: ${allItems.length} bulk results were returned for ${orders.length} orders`,
      );
    for (const item of allItems.slice(orders.length)) this.checkFurtherDeletion(item);
    const someAccepted = items.some(isAccepted);
    return items.map((item) => this.toOrderAnswer(item, someAccepted));
  }

  private parseHits(page: Record<string, unknown>): Record<string, unknown>[] {
    const hits = asRecord(page['hits'])['hits'];
    if (Array.isArray(hits)) return hits.map(asRecord);
    throw new SinkUnavailable(
      `${this.client.displayName}: the response to a search has no hits; is this an ${this.dialect.product} server?`,
    );
  }

  /**
   * Returns where the next page begins. Throws if the listing is not in ascending order, because it might never end.
   */
  private findNextPosition(previousUri: string | undefined, lastHit: Record<string, unknown>): string {
    const uri = asList(lastHit['sort'])[0];
    if (
      typeof uri === 'string' &&
      (previousUri === undefined || Buffer.compare(Buffer.from(uri), Buffer.from(previousUri)) > 0)
    )
      return uri;
    throw new SinkUnavailable(
      `${this.client.displayName}: the search results are not sorted by \`uri\`; the index must map it as keyword`,
    );
  }

  /** Deletions from the indexes that serve searches while this one is being filled. */
  private listFurtherDeletions(orders: readonly PushOrder[]): string[] {
    return this.searchIndex.servingIndexes.flatMap((index) =>
      orders.flatMap(({ kind, uri }) => {
        const target = { _index: index, _id: computeDocumentId(uri), routing: this.getRoutingKey(uri) };
        return kind === 'delete' ? `${JSON.stringify({ delete: target })}\n` : [];
      }),
    );
  }

  /** An index that is gone serves nothing; any other failure delays the batch. */
  private checkFurtherDeletion(result: ItemResult): void {
    if (isAccepted(result) || result.status === 404) return;
    const { type, status, reason } = result;
    throw new SinkUnavailable(`${this.client.displayName}: ${type ?? `status ${status}`}: ${reason ?? ''}`);
  }

  private toBulkLines(order: PushOrder, newVersion: number = order.decidedAt): string {
    const version =
      this.options.versions === 'external' ? { version: newVersion, version_type: 'external_gte' } : undefined;
    const target = {
      _index: this.index,
      _id: computeDocumentId(order.uri),
      routing: this.getRoutingKey(order.uri),
      ...version,
    };
    if (order.kind === 'delete') return `${JSON.stringify({ delete: target })}\n`;
    const source = toSourceDocument(order.crawler, order.document, this.options.analysis);
    const { takenFields } = this.searchIndex;
    const fitting = takenFields.length === 0 ? source : omit(source, takenFields);
    return `${JSON.stringify({ index: target })}\n${JSON.stringify(fitting)}\n`;
  }

  /** `someAccepted`: whether the index has accepted other documents in the same request. */
  private toOrderAnswer(result: ItemResult, someAccepted: boolean): OrderAnswer {
    if (isAccepted(result)) return { state: 'acknowledged' };
    if (this.isSuperseded(result)) return { state: 'acknowledged', supersededBy: parseCurrentVersion(result.reason) };
    const { status, type, reason = 'no reason given' } = result;
    const description = `${type ?? `status ${status}`}: ${reason}`;
    // If other documents were accepted, an internal error concerns only this document and would recur on every attempt.
    const isDocumentError = status === 500 && someAccepted;
    const isTemporary =
      status === 429 || status === 0 || (status >= 500 && !isDocumentError) || INDEX_ERROR_TYPES.has(type ?? '');
    if (type === 'index_not_found_exception') this.searchIndex.forget();
    if (isTemporary) throw new SinkUnavailable(`${this.client.displayName}: ${description}`);
    return { state: 'refused', message: description };
  }

  /** Whether the index already holds a newer version of the document, so that the order is obsolete. */
  private isSuperseded({ status, type }: ItemResult): boolean {
    return this.options.versions === 'external' && status === 409 && type === 'version_conflict_engine_exception';
  }

  private getRoutingKey(uri: string): string | undefined {
    return this.options.routing === 'host' ? (URL.parse(uri)?.host ?? uri) : undefined;
  }

  private async requestJson(request: SinkRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const response = await this.client.request(request, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable(response);
    return this.parseBody(response);
  }

  private parseBody(response: SinkResponse): Record<string, unknown> {
    return parseJsonObject(response, this.client, this.dialect);
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
    reason: joinReasons(asString(reason), asString(asRecord(cause)['reason'])),
  };
}

/** Returns 0 if the message does not name the version that the index holds. */
const parseCurrentVersion = (reason = ''): Instant =>
  instant(Number(/current version \[(\d{1,15})\]/.exec(reason)?.[1] ?? 0));

/** The reason names field and document, and its cause names what is wrong with the value. */
function joinReasons(reason: string | undefined, cause: string | undefined): string | undefined {
  if (reason === undefined || cause === undefined) return reason ?? cause;
  return reason.includes(cause) ? reason : `${reason}: ${cause}`;
}

function buildSearchRequest(pit: string, lastUri: string | undefined): SinkRequest {
  const search = {
    size: PAGE_SIZE,
    _source: ['uri', 'stamp'],
    pit: { id: pit, keep_alive: KEEP_ALIVE },
    sort: [{ uri: 'asc' }],
    track_total_hits: false,
    search_after: lastUri === undefined ? undefined : [lastUri],
  };
  return { method: 'POST', path: '_search', headers: JSON_TYPE, body: JSON.stringify(search) };
}

/** Skips documents without a content hash, which other programs have put into the index. */
function toEntries(hit: Record<string, unknown>): { uri: string; stamp: string }[] {
  const { uri, stamp } = asRecord(hit['_source']);
  return typeof uri === 'string' && typeof stamp === 'string' ? [{ uri, stamp }] : [];
}
