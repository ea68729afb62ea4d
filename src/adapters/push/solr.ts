import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, OrderKind, PushDocument, PushOrder } from '../../domain/push/order.js';
import { type ForeignDocuments, type KeptDocument, type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { asList, asRecord, asString, asStrings, isRecord, parseJson } from './answers.js';
import { formatHeading, groupValuesByName, parseForms, selectByType, toMetas } from './metas.js';
import { findSearchFields, type SearchFields } from './search-fields.js';
import { isSuccess, readCount, SinkClient, type SinkRequest, type SinkResponse } from './sink-client.js';
import { type RequestAnswer, sendByKind } from './splitting.js';

const PAGE_SIZE = '1000';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
/** Between the headings of a chunk's path. */
const PATH_SEPARATOR = ' > ';
/** Milliseconds until added documents can be found. */
const COMMIT_WITHIN_MS = '10000';

/**
 * Sends orders to Apache Solr as JSON through `/update`. Each batch ends with a hard commit, without which a crash
 * might lose documents that Solr has confirmed; commitWithin makes them visible to searches. `id` is the URI; the other
 * fields are dynamic fields of Solr's default configuration. Solr stores fields, not files, so only the text of the
 * main part is sent, not its bytes.
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
    const answers = await sendByKind(batch, (kind, orders) => this.send(kind, orders, signal));
    if (answers.some(({ state }) => state === 'acknowledged')) await this.commit({ openSearcher: 'false' }, signal);
    return answers;
  }

  /** Documents of other programs are those without a content hash. */
  readonly foreign: ForeignDocuments = {
    keyedByUri: true,
    list: (field, signal) => this.listForeign(field, signal),
    findOwn: async (uris, signal) => {
      const found = await this.readFields(uris, signal);
      return new Set(found.flatMap(({ id, stamp_s }) => (stamp_s === undefined ? [] : (getFirstValue(id) ?? []))));
    },
    remove: (ids, signal) => this.commit({ openSearcher: 'true' }, signal, { delete: ids }),
  };

  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    for await (const { id, stamp_s } of this.listDocuments('stamp_s:*', 'stamp_s', signal)) {
      const stamp = getFirstValue(stamp_s);
      if (stamp !== undefined) yield { uri: id, stamp };
    }
  }

  private async *listForeign(field: string, signal: AbortSignal): AsyncGenerator<{ id: string; uri: string }> {
    for await (const document of this.listDocuments('*:* -stamp_s:*', field, signal))
      yield { id: document.id, uri: getFirstValue(document[field]) ?? document.id };
  }

  private async *listDocuments(q: string, field: string, signal: AbortSignal): AsyncGenerator<IdentifiedFields> {
    await this.commit({ openSearcher: 'true', waitSearcher: 'true' }, signal);
    let lastId: string | undefined;
    for (let cursor = '*', previous = ''; cursor !== previous; ) {
      const paging = { sort: 'id asc', rows: PAGE_SIZE, cursorMark: cursor, wt: 'json' };
      const query = { q, fl: `id,${field}`, ...paging };
      const response = await this.client.request({ method: 'GET', path: 'select', query }, signal);
      if (!isSuccess(response)) throw this.client.toUnavailable({ ...response, body: parseErrorMessage(response) });
      const { documents, next } = this.parsePage(response);
      // A listing that is not in ascending order might never end.
      const firstId = documents[0]?.id;
      if (
        lastId !== undefined &&
        firstId !== undefined &&
        Buffer.compare(Buffer.from(firstId), Buffer.from(lastId)) <= 0
      )
        throw new SinkUnavailable(`${this.client.displayName}: the results of select are not sorted by \`id\``);
      yield* documents;
      if (documents.length === 0) return;
      lastId = documents.at(-1)!.id;
      previous = cursor;
      cursor = next;
    }
  }

  /** Also returns uncommitted documents, because it uses the real-time get handler; none if that may not be used. */
  async readDocuments(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]> {
    return (await this.readFields(uris, signal)).flatMap((fields) => toKeptDocument(fields) ?? []);
  }

  private async readFields(uris: readonly string[], signal: AbortSignal): Promise<SolrFields[]> {
    const body = new URLSearchParams([['wt', 'json'], ...uris.map((uri): [string, string] => ['id', uri])]).toString();
    const response = await this.client.request({ method: 'POST', path: 'get', headers: FORM_TYPE, body }, signal);
    if (response.status === 403 || response.status === 404) return [];
    if (!isSuccess(response)) throw this.client.toUnavailable({ ...response, body: parseErrorMessage(response) });
    return this.parseDocuments(response);
  }

  async isEmpty(signal: AbortSignal): Promise<boolean> {
    return (await this.countDocuments(signal)) === 0;
  }

  async countDocuments(signal: AbortSignal): Promise<number> {
    const query = { q: 'stamp_s:*', rows: '0', wt: 'json' };
    const response = await this.client.request({ method: 'GET', path: 'select', query }, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable({ ...response, body: parseErrorMessage(response) });
    return readCount(response, 'numFound');
  }

  async probe(signal: AbortSignal): Promise<void> {
    await this.countDocuments(signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async send(kind: OrderKind, orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const body = JSON.stringify(
      kind === 'add' ? orders.flatMap(toSolrDocument) : { delete: orders.map(({ uri }) => uri) },
    );
    const query = { commitWithin: COMMIT_WITHIN_MS, wt: 'json' };
    const request: SinkRequest = { method: 'POST', path: 'update', query, headers: JSON_TYPE, body };
    const response = await this.client.request(request, signal);
    if (isSuccess(response)) return this.parseAnswers(response, orders);
    const message = parseErrorMessage(response);
    if (response.status !== 400 && response.status !== 413)
      throw this.client.toUnavailable({ ...response, body: message });
    return { refused: message || `status ${response.status}` };
  }

  /** A core with a TolerantUpdateProcessor reports what it refuses, by id, with a good status. */
  private parseAnswers(response: SinkResponse, orders: readonly PushOrder[]): RequestAnswer {
    const messages = new Map<string | undefined, string>();
    for (const error of asList(this.parseHeader(response)['errors']).map(asRecord))
      messages.set(asString(error['id']), asString(error['message'])?.slice(0, 1_000) ?? 'no reason given');
    const answers = orders.map(({ uri }): OrderAnswer => {
      const message = messages.get(uri);
      messages.delete(uri);
      return message === undefined ? { state: 'acknowledged' } : { state: 'refused', message };
    });
    const [unassigned] = messages.values();
    return unassigned === undefined ? answers : { refused: unassigned };
  }

  /** @throws SinkUnavailable if the response to an update is not one of Solr, but that of a proxy */
  private parseHeader(response: SinkResponse): Readonly<Record<string, unknown>> {
    let header: unknown;
    try {
      header = asRecord(parseJson(response.body))['responseHeader'];
    } catch {
      // reported below
    }
    if (isRecord(header) && header['status'] === 0) return header;
    throw new SinkUnavailable(`${this.client.displayName}: the response to update is not valid; is this a Solr core?`);
  }

  private async commit(
    options: Readonly<Record<string, string>>,
    signal: AbortSignal,
    commands: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const query = { commit: 'true', wt: 'json', ...options };
    const body = JSON.stringify(commands);
    const response = await this.client.request(
      { method: 'POST', path: 'update', query, headers: JSON_TYPE, body },
      signal,
    );
    if (!isSuccess(response)) throw this.client.toUnavailable({ ...response, body: parseErrorMessage(response) });
    this.parseHeader(response);
  }

  /** For one id, Solr returns `doc`; for several ids, it returns a list. */
  private parseDocuments(httpResponse: SinkResponse): SolrFields[] {
    try {
      const { doc, response } = asRecord(parseJson(httpResponse.body));
      return [...(isRecord(doc) ? [doc] : []), ...asList(asRecord(response)['docs']).map(asRecord)];
    } catch {
      throw new SinkUnavailable(`${this.client.displayName}: the response to get is not valid; is this a Solr core?`);
    }
  }

  private parsePage(httpResponse: SinkResponse): Page {
    try {
      const { response, nextCursorMark: next } = parseJson(httpResponse.body) as {
        response: { docs: Record<string, unknown>[] };
        nextCursorMark: unknown;
      };
      const documents = response.docs.filter(hasId);
      if (typeof next === 'string' && documents.length === response.docs.length) return { documents, next };
    } catch {
      // reported below
    }
    throw new SinkUnavailable(`${this.client.displayName}: the response to select is not valid; is this a Solr core?`);
  }
}

type IdentifiedFields = SolrFields & { readonly id: string };

interface Page {
  readonly documents: readonly IdentifiedFields[];
  readonly next: string;
}

const hasId = (fields: SolrFields): fields is IdentifiedFields => typeof fields['id'] === 'string';

const toSolrDocument = (order: PushOrder) =>
  order.kind === 'add' ? [toSolrFields(order.crawler, order.document)] : [];

function toSolrFields(crawler: string, document: PushDocument): Record<string, unknown> {
  const { uri, stamp, metas, master, text, headings, markdown, chunks } = document;
  const createFieldNamer = (type: string) => (name: string) => `meta_${name.replace(/\W/g, '_')}_${type}`;
  const fields = {
    ...groupValuesByName(metas, toMetaFieldName),
    ...groupValuesByName(selectByType(metas, 'date'), createFieldNamer('dts')),
    ...groupValuesByName(selectByType(metas, 'number'), createFieldNamer('ds')),
  };
  const title = metas.find(({ name }) => name === 'title')?.value ?? '';
  return {
    ...fields,
    ...toSolrSearchFields(findSearchFields(document)),
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
    chunk_ids_ss: chunks?.map(({ id }) => id ?? ''),
    chunk_anchors_ss: chunks?.map(({ anchor }) => anchor ?? ''),
    chunks_txt: chunks?.map((chunk) => chunk.text),
    chunk_paths_ss: chunks?.map(({ path }) => path.join(PATH_SEPARATOR)),
    chunk_starts_is: chunks?.map(({ start }) => start),
    chunk_ends_is: chunks?.map(({ end }) => end),
  };
}

const toSolrSearchFields = ({ host, path, language, contentType, lastModified, description }: SearchFields) => ({
  host_s: host,
  path_ss: path,
  language_s: language,
  content_type_s: contentType,
  last_modified_dt: lastModified,
  description_t: description,
});

const toMetaFieldName = (name: string): string => `meta_${name.replace(/\W/g, '_')}_txt`;

type SolrFields = Readonly<Record<string, unknown>>;

/** Also accepts a list, which Solr returns for fields that are multi-valued in the core's schema. */
const getFirstValue = (value: unknown): string | undefined => asString(value) ?? asStrings(value)[0];

/** Returns undefined if part of the document is not stored, or if two meta names are mapped to the same field. */
function toKeptDocument(fields: SolrFields): KeptDocument | undefined {
  const [uri, stamp, crawler, text, mimeType = ''] = ['id', 'stamp_s', 'crawler_s', 'text_t', 'mime_type_s'].map(
    (name) => getFirstValue(fields[name]),
  );
  if (uri === undefined || stamp === undefined || crawler === undefined || text === undefined) return undefined;
  const names = asStrings(fields['meta_names_ss']);
  const metaFields = Object.keys(fields).filter((name) => /^meta_.*_txt$/.test(name));
  if (metaFields.length !== names.length || new Set(names.map(toMetaFieldName)).size < names.length) return undefined;
  const metas = toMetas(Object.fromEntries(names.map((name) => [name, fields[toMetaFieldName(name)]])));
  const encoding = getFirstValue(fields['encoding_s']);
  const fileName = getFirstValue(fields['file_name_t']) ?? '';
  const master = { bytes: new Uint8Array(), mimeType, encoding, fileName };
  return { crawler, document: { uri, stamp, metas, master, text, ...parseSolrForms(fields) } };
}

function parseSolrForms(fields: SolrFields): ReturnType<typeof parseForms> {
  const [ids, anchors, paths, starts, ends] = ['ids_ss', 'anchors_ss', 'paths_ss', 'starts_is', 'ends_is'].map((name) =>
    asList(fields[`chunk_${name}`]),
  );
  const chunks =
    fields['chunks_txt'] &&
    asStrings(fields['chunks_txt']).map((text, i) => ({
      id: ids?.[i],
      anchor: anchors?.[i],
      text,
      path: asString(paths?.[i])
        ?.split(PATH_SEPARATOR)
        .filter((heading) => heading !== ''),
      start: starts?.[i],
      end: ends?.[i],
    }));
  return parseForms({ headings: fields['headings_txt'], markdown: getFirstValue(fields['markdown_t']), chunks });
}

/** Returns Solr's message in `{"error": {"msg": …}}`, or the beginning of the body if there is none. */
function parseErrorMessage({ body }: SinkResponse): string {
  try {
    const { error } = parseJson(body) as { error?: { msg?: unknown } };
    return String(error?.msg ?? body).slice(0, 1_000);
  } catch {
    return body.slice(0, 1_000);
  }
}
