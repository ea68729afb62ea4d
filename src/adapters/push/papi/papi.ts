import { addAbortSignal, type Readable } from 'node:stream';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import type { OrderAnswer, OrderKind, PushOrder } from '../../../domain/push/order.js';
import { DEFAULT_CONNECTOR, type Sink, SinkUnavailable } from '../../../engine/ports/sink.js';
import { isSuccess, SinkClient, type SinkRequest, type SinkResponse } from '../sink-client.js';
import { acknowledgeAll, type RequestAnswer, sendByKind } from '../splitting.js';
import { BodyBuffers, encodeDocuments } from './multipart.js';
import { ALL_DOCUMENTS, buildConnectorPath, COMMAND, PARAMETER, parseEntry } from './names.js';

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
  private readonly withText: boolean;
  private session: string | undefined;

  constructor(definition: SinkDefinitionOf<'papi'>) {
    this.name = definition.name;
    this.withText = definition.options.documentText !== 'omit';
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
    const answers = await sendByKind(batch, (kind, orders) => this.send(kind, orders, session, signal));
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
      kind === 'add' ? buildAddRequest(orders, this.bodyBuffers, this.withText) : buildDeleteRequest(orders),
      session,
      signal,
    );
    if (isSuccess(response)) return acknowledgeAll(orders);
    if (response.status !== 400 && response.status !== 413) throw this.client.toUnavailable(response);
    await this.checkSession(session, signal);
    return { refused: extractText(response.body) || `status ${response.status}` };
  }

  /** Sets a synced checkpoint. Once the server has confirmed it, all earlier orders of the session are durable. */
  private async synchronize(session: string, batch: readonly PushOrder[], signal: AbortSignal): Promise<void> {
    const query = {
      [PARAMETER.checkpoint]: String(batch.at(-1)?.id ?? 0),
      [PARAMETER.name]: CHECKPOINT_NAME,
      [PARAMETER.sync]: 'true',
    };
    const response = await this.sendCommand({ method: 'POST', path: COMMAND.setCheckpoint, query }, session, signal);
    if (isSuccess(response)) return;
    if (response.status === 400) await this.checkSession(session, signal);
    throw this.client.toUnavailable({ ...response, body: extractText(response.body) });
  }

  private sendCommand(request: SinkRequest, session: string, signal: AbortSignal): Promise<SinkResponse> {
    return this.client.request({ ...request, query: { ...request.query, [PARAMETER.session]: session } }, signal);
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

function buildAddRequest(orders: readonly PushOrder[], bodyBuffers: BodyBuffers, withText: boolean): SinkRequest {
  const documents = orders.flatMap((order) => (order.kind === 'add' ? [order.document] : []));
  const { contentType, body } = encodeDocuments(documents, (length) => bodyBuffers.acquire(length), { withText });
  const releaseBody = (): void => bodyBuffers.release(body);
  return { method: 'POST', path: COMMAND.add, headers: { 'content-type': contentType }, body, onBodySent: releaseBody };
}

function buildDeleteRequest(orders: readonly PushOrder[]): SinkRequest {
  const uris = orders.map(({ uri }): [string, string] => [PARAMETER.uri, uri]);
  return buildFormRequest(COMMAND.delete, new URLSearchParams(uris));
}

function buildFormRequest(path: string, fields: URLSearchParams): SinkRequest {
  return { method: 'POST', path, headers: { 'content-type': FORM_TYPE }, body: fields.toString() };
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
      const lines = (incompleteLine + chunk).split('\n');
      incompleteLine = lines.pop() ?? '';
      if (incompleteLine.length > MAX_LINE_LENGTH)
        throw new Error(`a line is longer than ${MAX_LINE_LENGTH} characters`);
      yield* lines;
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
