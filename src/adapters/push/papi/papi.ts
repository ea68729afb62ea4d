import { addAbortSignal, type Readable } from 'node:stream';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import type { OrderAnswer, OrderKind, PushOrder } from '../../../domain/push/order.js';
import { DEFAULT_CONNECTOR, type Sink, SinkUnavailable } from '../../../engine/ports/sink.js';
import { isSuccess, SinkClient, type SinkRequest, type SinkResponse } from '../sink-client.js';
import { acknowledgeAll, type RequestAnswer, sendByKind, sendWithSplitting } from '../splitting.js';
import { BodyBuffers, encodeDocuments } from './multipart.js';
import { ALL_DOCUMENTS, buildConnectorPath, COMMAND, PARAMETER, parseEntry } from './names.js';

/** Maximum number of characters of URIs in the URL of a request, after which it ends. */
const MAX_URL_LENGTH = 4_000;
const CHECKPOINT_NAME = 'crawlway';
/**
 * Maximum number of sessions for one delivery, which then fails, because a server that restarts this often is
 * unhealthy.
 */
const MAX_SESSIONS = 3;
const FORM_TYPE = 'application/x-www-form-urlencoded; charset=UTF-8';

/** Thrown if the server has restarted, because it may have lost all orders that were not synced. */
class SessionEnded extends Error {
  constructor(readonly currentSession: string) {
    super('the session has ended');
  }
}

/**
 * Sends orders through CloudView's Push API v4 over HTTP. Every batch ends with a synced checkpoint, because nothing
 * else makes orders durable at the server. All requests of a batch contain the same session id, so that a restart of
 * the server is detected and the batch is sent again.
 */
export class PapiSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;
  private readonly bodyBuffers = new BodyBuffers();
  private readonly options: SinkDefinitionOf<'papi'>['options'];
  private session: string | undefined;

  constructor(definition: SinkDefinitionOf<'papi'>) {
    this.name = definition.name;
    this.options = definition.options;
    this.client = new SinkClient(definition, buildConnectorPath(definition.options.connector ?? DEFAULT_CONNECTOR));
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    for (let attempt = 0; attempt < MAX_SESSIONS; attempt++) {
      this.session ??= await this.fetchCurrentSession(signal);
      try {
        return await this.deliverInSession(this.session, batch, signal);
      } catch (error) {
        if (!(error instanceof SessionEnded)) throw error;
        this.session = error.currentSession;
      }
    }
    throw new SinkUnavailable(`${this.client.displayName}: restarted ${MAX_SESSIONS} times during one delivery`);
  }

  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    const query = { [PARAMETER.rootPath]: '', [PARAMETER.mode]: ALL_DOCUMENTS };
    for await (const line of readLines(this.client, { method: 'GET', path: COMMAND.enumerate, query }, signal)) {
      const entry = parseEntry(line);
      if (!entry)
        throw new SinkUnavailable(
          `${this.client.displayName}: ${COMMAND.enumerate} returned lines in an unknown format`,
        );
      yield entry;
    }
  }

  /** Reads no more than the first line of the listing. */
  async isEmpty(signal: AbortSignal): Promise<boolean> {
    for await (const _ of this.listEntries(signal)) return false;
    return true;
  }

  async probe(signal: AbortSignal): Promise<void> {
    await this.fetchCurrentSession(signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async deliverInSession(
    session: string,
    batch: readonly PushOrder[],
    signal: AbortSignal,
  ): Promise<OrderAnswer[]> {
    const answers = await sendByKind(batch, (kind, orders) =>
      kind === 'delete' && this.options.deleteUriIn !== undefined && this.options.deleteUriIn !== 'form'
        ? this.deleteByUrl(orders, session, signal)
        : this.send(kind, orders, session, signal),
    );
    if (answers.some(({ state }) => state === 'acknowledged')) await this.synchronize(session, batch, signal);
    return answers;
  }

  private async send(
    kind: OrderKind,
    orders: readonly PushOrder[],
    session: string,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const response = await this.sendCommand(
      kind === 'add' ? this.buildAddRequest(orders) : this.buildDeleteRequest(orders),
      session,
      signal,
    );
    if (isSuccess(response)) return acknowledgeAll(orders);
    if (response.status !== 400 && response.status !== 413) throw this.client.toUnavailable(response);
    await this.checkSession(session, signal);
    return { refused: extractText(response.body) || `status ${response.status}` };
  }

  /** Servers limit the length of a URL, so that it cannot name all documents of a batch. */
  private async deleteByUrl(
    orders: readonly PushOrder[],
    session: string,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const answers: OrderAnswer[] = [];
    for (let start = 0, end = 0; start < orders.length; start = end) {
      for (let length = 0; end < orders.length && (end === start || length < MAX_URL_LENGTH); end++)
        length += encodeURIComponent(orders[end]!.uri).length;
      const part = orders.slice(start, end);
      answers.push(...(await sendWithSplitting(part, (half) => this.send('delete', half, session, signal))));
    }
    return answers;
  }

  /** Sets a synced checkpoint. Once the server has confirmed it, all earlier orders of the session are durable. */
  private async synchronize(session: string, batch: readonly PushOrder[], signal: AbortSignal): Promise<void> {
    const { checkpointIn = 'url', syncName = PARAMETER.sync } = this.options;
    const parameters: [string, string][] = [
      [PARAMETER.checkpoint, String(batch.at(-1)?.id ?? 0)],
      [PARAMETER.name, CHECKPOINT_NAME],
      [syncName, 'true'],
    ];
    const request = buildRequest(COMMAND.setCheckpoint, parameters, checkpointIn);
    const response = await this.sendCommand(request, session, signal);
    if (isSuccess(response)) return;
    if (response.status === 400) await this.checkSession(session, signal);
    throw this.client.toUnavailable({ ...response, body: extractText(response.body) });
  }

  private buildAddRequest(orders: readonly PushOrder[]): SinkRequest {
    const { documentText, stampName } = this.options;
    const documents = orders.flatMap((order) => (order.kind === 'add' ? [order.document] : []));
    const allocate = (length: number): Buffer => this.bodyBuffers.acquire(length);
    const withText = documentText !== 'omit';
    const { contentType, body } = encodeDocuments(documents, allocate, { withText, stampName });
    const releaseBody = (): void => this.bodyBuffers.release(body);
    const headers = { 'content-type': contentType };
    return { method: 'POST', path: COMMAND.add, headers, body, onBodySent: releaseBody };
  }

  private buildDeleteRequest(orders: readonly PushOrder[]): SinkRequest {
    const { deleteUriName = PARAMETER.uri, deleteUriIn = 'form' } = this.options;
    const uris = orders.map(({ uri }): [string, string] => [deleteUriName, uri]);
    return buildRequest(COMMAND.delete, uris, deleteUriIn);
  }

  private async sendCommand(request: SinkRequest, session: string, signal: AbortSignal): Promise<SinkResponse> {
    const query = { ...request.query, [PARAMETER.session]: session };
    const response = await this.client.request({ ...request, query }, signal);
    if (isSuccess(response)) this.client.checkNoWebPage(response);
    return response;
  }

  /**
   * A status of 400 means either that an order is invalid or that the session has ended, so the current session is
   * requested.
   * @throws SessionEnded if the session has ended
   */
  private async checkSession(session: string, signal: AbortSignal): Promise<void> {
    const currentSession = await this.fetchCurrentSession(signal);
    if (currentSession !== session) throw new SessionEnded(currentSession);
  }

  private async fetchCurrentSession(signal: AbortSignal): Promise<string> {
    const response = await this.client.request({ method: 'GET', path: COMMAND.sessionId }, signal);
    if (!isSuccess(response)) throw this.client.toUnavailable({ ...response, body: extractText(response.body) });
    const id = response.body.trim();
    if (!/^-?\d{1,20}$/.test(id))
      throw new SinkUnavailable(
        `${this.client.displayName}: ${COMMAND.sessionId} did not return an integer; is this a Push API server?`,
      );
    return id;
  }
}

/** Puts parameters, whose names may occur several times, where the server expects them. */
function buildRequest(
  command: string,
  parameters: readonly [string, string][],
  place: 'url' | 'form' | 'both',
): SinkRequest {
  const text = new URLSearchParams([...parameters]).toString();
  const path = place === 'form' ? command : `${command}?${text}`;
  if (place === 'url') return { method: 'POST', path };
  return { method: 'POST', path, headers: { 'content-type': FORM_TYPE }, body: text };
}

/** Maximum number of characters in a line, which is more than any pushed URL and stamp have together. */
const MAX_LINE_LENGTH = 1 << 20;

/**
 * Yields the lines of a response as they arrive. Throws SinkUnavailable if the sink sends nothing for longer than its
 * timeout, or if the response is incomplete.
 */
async function* readLines(client: SinkClient, request: SinkRequest, signal: AbortSignal): AsyncGenerator<string> {
  const body = addAbortSignal(signal, await client.stream(request, signal));
  let incompleteLine = '';
  try {
    for await (const chunk of readChunks(body, client.timeout)) {
      // Only what is new is searched: a long line may come in many pieces.
      const [first = '', ...lines] = chunk.split('\n');
      incompleteLine += first;
      if (incompleteLine.length > MAX_LINE_LENGTH)
        throw new Error(`a line is longer than ${MAX_LINE_LENGTH} characters`);
      if (lines.length === 0) continue;
      const lastLine = lines.pop()!;
      yield* [incompleteLine, ...lines];
      incompleteLine = lastLine;
    }
  } catch (error) {
    throw new SinkUnavailable(`${client.displayName}: the listing was interrupted: ${(error as Error).message}`);
  } finally {
    body.destroy();
  }
  if (incompleteLine !== '') yield incompleteLine;
}

/** The timeout applies only while waiting for data, so the consumer may be slow. */
async function* readChunks(body: Readable, timeoutMs: number): AsyncGenerator<string> {
  const iterator = body.setEncoding('utf8')[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error(`no data within ${timeoutMs} ms`)), timeoutMs);
    const result = await iterator.next().finally(() => clearTimeout(timer));
    if (result.done) return;
    yield result.value;
  }
}

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_MARKUP_LENGTH = 64 * 1024;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' };

/**
 * Extracts all text of an XML or HTML error body as one line, because the format of the server's errors is not
 * published.
 */
const extractText = (markup: string): string =>
  stripTags(markup.slice(0, MAX_MARKUP_LENGTH))
    .replace(/&(lt|gt|quot|apos|#39|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH);

/** Treats an unclosed `<` and everything after it as text, so that the input is searched only once. */
function stripTags(markup: string): string {
  const textParts: string[] = [];
  let textStart = 0;
  for (let tagStart = markup.indexOf('<'); tagStart >= 0; tagStart = markup.indexOf('<', textStart)) {
    const tagEnd = markup.indexOf('>', tagStart);
    if (tagEnd < 0) break;
    textParts.push(markup.slice(textStart, tagStart));
    textStart = tagEnd + 1;
  }
  return [...textParts, markup.slice(textStart)].join(' ');
}
