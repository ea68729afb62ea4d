import type { SinkDefinition } from '../../domain/crawl/definition.js';
import type { OrderAnswer, OrderKind, PushDocument, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { valuesByName } from './metas.js';
import { isSuccess, type SinkAnswer, SinkClient } from './sink-client.js';
import { allAcknowledged, type RequestAnswer, runsOfOneKind, sendSplitting } from './splitting.js';

const ENTRIES_AT_ONCE = '1000';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Milliseconds until what was added can be found. */
const COMMIT_WITHIN = '10000';

/**
 * Apache Solr through `/update` with JSON. A batch ends with a hard commit, without which a crash may lose what Solr has
 * answered; searchers see it by commitWithin. `id` is the URI; the other field names are dynamic fields of Solr's default
 * configuration. Solr keeps fields, not files, so the bytes of the main part are not sent, only its text.
 */
export class SolrSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;

  constructor(definition: SinkDefinition) {
    this.name = definition.name;
    this.client = new SinkClient(definition, definition.index ? `/${encodeURIComponent(definition.index)}` : '');
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const answers: OrderAnswer[] = [];
    for (const { kind, orders } of runsOfOneKind(batch)) {
      answers.push(...(await sendSplitting(orders, (some) => this.send(kind, some, signal))));
    }
    if (answers.some(({ state }) => state === 'acknowledged')) await this.commit({ openSearcher: 'false' }, signal);
    return answers;
  }

  async *entries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.commit({ openSearcher: 'true', waitSearcher: 'true' }, signal);
    for (let cursor = '*', previous = ''; cursor !== previous; ) {
      const query = {
        q: 'stamp_s:*',
        fl: 'id,stamp_s',
        sort: 'id asc',
        rows: ENTRIES_AT_ONCE,
        cursorMark: cursor,
        wt: 'json',
      };
      const answer = await this.client.request({ method: 'GET', path: 'select', query }, signal);
      if (!isSuccess(answer)) throw this.client.unavailable({ ...answer, body: errorMessage(answer) });
      const page = this.parsePage(answer);
      yield* page.response.docs.map((document) => ({ uri: document.id, stamp: document.stamp_s }));
      previous = cursor;
      cursor = page.nextCursorMark;
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async send(kind: OrderKind, orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const body = JSON.stringify(
      kind === 'add' ? orders.flatMap(solrDocument) : { delete: orders.map(({ uri }) => uri) },
    );
    const query = { commitWithin: COMMIT_WITHIN, wt: 'json' };
    const answer = await this.client.request(
      { method: 'POST', path: 'update', query, headers: JSON_TYPE, body },
      signal,
    );
    if (isSuccess(answer)) return allAcknowledged(orders);
    const message = errorMessage(answer);
    if (answer.status !== 400 && answer.status !== 413) throw this.client.unavailable({ ...answer, body: message });
    return { refused: message || `status ${answer.status}` };
  }

  private async commit(options: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const query = { commit: 'true', wt: 'json', ...options };
    const answer = await this.client.request(
      { method: 'POST', path: 'update', query, headers: JSON_TYPE, body: '{}' },
      signal,
    );
    if (!isSuccess(answer)) throw this.client.unavailable({ ...answer, body: errorMessage(answer) });
  }

  private parsePage(answer: SinkAnswer): Page {
    try {
      const page: Page = JSON.parse(answer.body);
      if (Array.isArray(page.response.docs) && typeof page.nextCursorMark === 'string') return page;
    } catch {
      // said below
    }
    throw new SinkUnavailable(`${this.client.where}: select answers no page of documents; is it a Solr core?`);
  }
}

interface Page {
  readonly response: { readonly docs: readonly { readonly id: string; readonly stamp_s: string }[] };
  readonly nextCursorMark: string;
}

const solrDocument = (order: PushOrder) => (order.kind === 'add' ? [solrFields(order.crawler, order.document)] : []);

function solrFields(crawler: string, { uri, stamp, metas, master, text }: PushDocument): Record<string, unknown> {
  const fields = valuesByName(metas, (name) => `meta_${name.replace(/\W/g, '_')}_txt`);
  const title = metas.find(({ name }) => name === 'title')?.value ?? '';
  return {
    ...fields,
    id: uri,
    stamp_s: stamp,
    crawler_s: crawler,
    title_t: title,
    text_t: text,
    mime_type_s: master.mimeType,
    encoding_s: master.encoding,
    file_name_t: master.fileName,
  };
}

/** Solr says `{"error": {"msg": …}}`; what stands before it may say something else. */
function errorMessage({ body }: SinkAnswer): string {
  try {
    const { error } = JSON.parse(body) as { error?: { msg?: unknown } };
    return String(error?.msg ?? body).slice(0, 1_000);
  } catch {
    return body.slice(0, 1_000);
  }
}
