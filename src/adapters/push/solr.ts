import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, OrderKind, PushDocument, PushOrder } from '../../domain/push/order.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { asList, asRecord, asString, asStrings, isRecord } from './answers.js';
import { formatHeading, groupValuesByName, selectByType, toMetas } from './metas.js';
import { isSuccess, type SinkAnswer, SinkClient } from './sink-client.js';
import { acknowledgeAll, groupRunsByKind, type RequestAnswer, sendWithSplitting } from './splitting.js';

const ENTRIES_AT_ONCE = '1000';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
/** Milliseconds until added documents can be found. */
const COMMIT_WITHIN = '10000';

/**
 * Apache Solr through `/update` with JSON. A batch ends with a hard commit, without which a crash may lose documents
 * that Solr has confirmed; commitWithin makes them visible to searchers. `id` is the URI; the other field names are
 * dynamic fields of Solr's default configuration. Solr keeps fields, not files, so only the text of the main part is
 * sent, not its bytes.
 */
export class SolrSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;

  constructor(definition: SinkDefinitionOf<'solr'>) {
    this.name = definition.name;
    const { index } = definition.options;
    this.client = new SinkClient(definition, index ? `/${encodeURIComponent(index)}` : '');
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const answers: OrderAnswer[] = [];
    for (const { kind, orders } of groupRunsByKind(batch)) {
      answers.push(...(await sendWithSplitting(orders, (some) => this.send(kind, some, signal))));
    }
    if (answers.some(({ state }) => state === 'acknowledged')) await this.commit({ openSearcher: 'false' }, signal);
    return answers;
  }

  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.commit({ openSearcher: 'true', waitSearcher: 'true' }, signal);
    let last: string | undefined;
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
      if (!isSuccess(answer)) throw this.client.toUnavailable({ ...answer, body: parseErrorMessage(answer) });
      const { entries, next } = this.parsePage(answer);
      // A listing that is not in ascending order would never end.
      const first = entries[0]?.uri;
      if (last !== undefined && first !== undefined && Buffer.compare(Buffer.from(first), Buffer.from(last)) <= 0)
        throw new SinkUnavailable(
          `${this.client.displayName}: the pages of select results are not in the order of \`id\``,
        );
      yield* entries;
      if (entries.length === 0) return;
      last = entries.at(-1)!.uri;
      previous = cursor;
      cursor = next;
    }
  }

  /** Includes uncommitted documents, because it uses the real-time get handler. */
  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    const body = new URLSearchParams([['wt', 'json'], ...uris.map((uri): [string, string] => ['id', uri])]).toString();
    const answer = await this.client.request({ method: 'POST', path: 'get', headers: FORM_TYPE, body }, signal);
    if (!isSuccess(answer)) throw this.client.toUnavailable({ ...answer, body: parseErrorMessage(answer) });
    const found = this.parseDocuments(answer);
    return found.flatMap((fields) => toKeptDocument(fields) ?? []);
  }

  async probe(signal: AbortSignal): Promise<void> {
    const query = { q: '*:*', rows: '0', wt: 'json' };
    const answer = await this.client.request({ method: 'GET', path: 'select', query }, signal);
    if (!isSuccess(answer)) throw this.client.toUnavailable({ ...answer, body: parseErrorMessage(answer) });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async send(kind: OrderKind, orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const body = JSON.stringify(
      kind === 'add' ? orders.flatMap(toSolrDocument) : { delete: orders.map(({ uri }) => uri) },
    );
    const query = { commitWithin: COMMIT_WITHIN, wt: 'json' };
    const answer = await this.client.request(
      { method: 'POST', path: 'update', query, headers: JSON_TYPE, body },
      signal,
    );
    if (isSuccess(answer)) return acknowledgeAll(orders);
    const message = parseErrorMessage(answer);
    if (answer.status !== 400 && answer.status !== 413) throw this.client.toUnavailable({ ...answer, body: message });
    return { refused: message || `status ${answer.status}` };
  }

  private async commit(options: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const query = { commit: 'true', wt: 'json', ...options };
    const answer = await this.client.request(
      { method: 'POST', path: 'update', query, headers: JSON_TYPE, body: '{}' },
      signal,
    );
    if (!isSuccess(answer)) throw this.client.toUnavailable({ ...answer, body: parseErrorMessage(answer) });
  }

  /** For one id, Solr returns `doc`; for several ids, it returns a list. */
  private parseDocuments(answer: SinkAnswer): SolrFields[] {
    try {
      const { doc, response } = asRecord(JSON.parse(answer.body));
      return [...(isRecord(doc) ? [doc] : []), ...asList(asRecord(response)['docs']).map(asRecord)];
    } catch {
      throw new SinkUnavailable(`${this.client.displayName}: get returned no documents; is it a Solr core?`);
    }
  }

  private parsePage(answer: SinkAnswer): Page {
    try {
      const { response, nextCursorMark: next } = JSON.parse(answer.body) as {
        response: { docs: Record<string, unknown>[] };
        nextCursorMark: unknown;
      };
      const entries = response.docs.map(({ id, stamp_s }) => ({ uri: id, stamp: stamp_s }));
      if (typeof next === 'string' && entries.every(isEntry)) return { entries: entries.filter(isEntry), next };
    } catch {
      // reported below
    }
    throw new SinkUnavailable(`${this.client.displayName}: select returned no page of documents; is it a Solr core?`);
  }
}

interface Entry {
  readonly uri: string;
  readonly stamp: string;
}

interface Page {
  readonly entries: readonly Entry[];
  readonly next: string;
}

const isEntry = (entry: { uri: unknown; stamp: unknown }): entry is Entry =>
  typeof entry.uri === 'string' && typeof entry.stamp === 'string';

const toSolrDocument = (order: PushOrder) =>
  order.kind === 'add' ? [toSolrFields(order.crawler, order.document)] : [];

function toSolrFields(crawler: string, document: PushDocument): Record<string, unknown> {
  const { uri, stamp, metas, master, text, headings, markdown, chunks } = document;
  const groupByField = (type: string) => (name: string) => `meta_${name.replace(/\W/g, '_')}_${type}`;
  const fields = {
    ...groupValuesByName(metas, metaFieldName),
    ...groupValuesByName(selectByType(metas, 'date'), groupByField('dts')),
    ...groupValuesByName(selectByType(metas, 'number'), groupByField('ds')),
  };
  const title = metas.find(({ name }) => name === 'title')?.value ?? '';
  return {
    ...fields,
    meta_names_ss: [...new Set(metas.map(({ name }) => name))],
    id: uri,
    stamp_s: stamp,
    crawler_s: crawler,
    title_t: title,
    text_t: text,
    mime_type_s: master.mimeType,
    encoding_s: master.encoding,
    file_name_t: master.fileName,
    headings_txt: headings?.map(formatHeading),
    markdown_t: markdown,
    chunks_txt: chunks?.map((chunk) => chunk.text),
    chunk_paths_ss: chunks?.map(({ path }) => path.join(' > ')),
    chunk_starts_is: chunks?.map(({ start }) => start),
    chunk_ends_is: chunks?.map(({ end }) => end),
  };
}

const metaFieldName = (name: string): string => `meta_${name.replace(/\W/g, '_')}_txt`;

type SolrFields = Readonly<Record<string, unknown>>;

/** A field that is multi-valued in the core's schema comes as a list. */
const firstValue = (value: unknown): string | undefined => asString(value) ?? asStrings(value)[0];

/** Undefined if part of the document is not stored, or two meta names share a field. */
function toKeptDocument(fields: SolrFields): KeptDocument | undefined {
  const [uri, stamp, crawler, text, mimeType = ''] = ['id', 'stamp_s', 'crawler_s', 'text_t', 'mime_type_s'].map(
    (name) => firstValue(fields[name]),
  );
  if (uri === undefined || stamp === undefined || crawler === undefined || text === undefined) return undefined;
  const names = asStrings(fields['meta_names_ss']);
  const metaFields = Object.keys(fields).filter((name) => /^meta_.*_txt$/.test(name));
  if (metaFields.length !== names.length || new Set(names.map(metaFieldName)).size < names.length) return undefined;
  const metas = toMetas(Object.fromEntries(names.map((name) => [name, fields[metaFieldName(name)]])));
  const encoding = firstValue(fields['encoding_s']);
  const fileName = firstValue(fields['file_name_t']) ?? '';
  const master = { bytes: new Uint8Array(), mimeType, encoding, fileName };
  return { crawler, document: { uri, stamp, metas, master, text } };
}

/** Solr reports `{"error": {"msg": …}}`; anything before that may be about something else. */
function parseErrorMessage({ body }: SinkAnswer): string {
  try {
    const { error } = JSON.parse(body) as { error?: { msg?: unknown } };
    return String(error?.msg ?? body).slice(0, 1_000);
  } catch {
    return body.slice(0, 1_000);
  }
}
