import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import type { OrderAnswer, OrderKind, PushOrder } from '../../../domain/push/order.js';
import { FORMER_CONNECTOR, type Sink, SinkUnavailable } from '../../../engine/ports/sink.js';
import { BodyBuffers } from '../body-buffers.js';
import { readLines } from '../lines.js';
import { isSuccess, type SinkAnswer, SinkClient, type SinkRequest } from '../sink-client.js';
import { acknowledgeAll, groupRunsByKind, type RequestAnswer, sendWithSplitting } from '../splitting.js';
import { extractText } from './markup-text.js';
import { encodeDocuments } from './multipart.js';
import { ALL_DOCUMENTS, COMMAND, connectorPath, PARAMETER, parseEntry } from './names.js';

const CHECKPOINT_NAME = 'crawlway';
/**
 * Maximum number of sessions that one delivery begins before it gives up: a server that restarts this often is
 * unhealthy.
 */
const MOST_SESSIONS = 3;
const FORM = 'application/x-www-form-urlencoded; charset=UTF-8';

/** The server has restarted and may have lost whatever was not synced. */
class SessionOver extends Error {
  constructor(readonly current: string) {
    super('the session is over');
  }
}

/**
 * CloudView Push API v4 over HTTP. Every batch ends with a synced checkpoint, which is the only thing that makes orders
 * durable at the server; all requests of a batch name one session, so that a restart in between is detected and the
 * batch is sent again.
 */
export class PapiSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;
  private readonly bodies = new BodyBuffers();
  private readonly withText: boolean;
  private session: string | undefined;

  constructor(definition: SinkDefinitionOf<'papi'>) {
    this.name = definition.name;
    this.withText = definition.options.documentText !== 'omit';
    this.client = new SinkClient(definition, connectorPath(definition.options.connector ?? FORMER_CONNECTOR));
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    for (let startedAt = 0; startedAt < MOST_SESSIONS; startedAt++) {
      this.session ??= await this.fetchCurrentSession(signal);
      try {
        return await this.deliverInSession(this.session, batch, signal);
      } catch (error) {
        if (!(error instanceof SessionOver)) throw error;
        this.session = error.current;
      }
    }
    throw new SinkUnavailable(`${this.client.displayName}: it restarted ${MOST_SESSIONS} times during one delivery`);
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
    const answers: OrderAnswer[] = [];
    for (const { kind, orders } of groupRunsByKind(batch)) {
      const send = (some: readonly PushOrder[]) => this.send(kind, some, session, signal);
      answers.push(...(await sendWithSplitting(orders, send)));
    }
    if (answers.some(({ state }) => state === 'acknowledged')) await this.synchronize(session, batch, signal);
    return answers;
  }

  private async send(
    kind: OrderKind,
    orders: readonly PushOrder[],
    session: string,
    signal: AbortSignal,
  ): Promise<RequestAnswer> {
    const answer = await this.sendCommand(
      kind === 'add' ? buildAddRequest(orders, this.bodies, this.withText) : buildDeleteRequest(orders),
      session,
      signal,
    );
    if (isSuccess(answer)) return acknowledgeAll(orders);
    if (answer.status !== 400 && answer.status !== 413) throw this.client.toUnavailable(answer);
    await this.checkSession(session, signal);
    return { refused: extractText(answer.body) || `status ${answer.status}` };
  }

  /** The durable barrier: everything sent before it in this session is safe once the server has responded to it. */
  private async synchronize(session: string, batch: readonly PushOrder[], signal: AbortSignal): Promise<void> {
    const query = {
      [PARAMETER.checkpoint]: String(batch.at(-1)?.id ?? 0),
      [PARAMETER.name]: CHECKPOINT_NAME,
      [PARAMETER.sync]: 'true',
    };
    const answer = await this.sendCommand({ method: 'POST', path: COMMAND.setCheckpoint, query }, session, signal);
    if (isSuccess(answer)) return;
    if (answer.status === 400) await this.checkSession(session, signal);
    throw this.client.toUnavailable({ ...answer, body: extractText(answer.body) });
  }

  private sendCommand(request: SinkRequest, session: string, signal: AbortSignal): Promise<SinkAnswer> {
    return this.client.request({ ...request, query: { ...request.query, [PARAMETER.session]: session } }, signal);
  }

  /** A 400 means either that an order is invalid or that the session has ended; only the current session id tells which. */
  private async checkSession(session: string, signal: AbortSignal): Promise<void> {
    const current = await this.fetchCurrentSession(signal);
    if (current !== session) throw new SessionOver(current);
  }

  private async fetchCurrentSession(signal: AbortSignal): Promise<string> {
    const answer = await this.client.request({ method: 'GET', path: COMMAND.sessionId }, signal);
    if (!isSuccess(answer)) throw this.client.toUnavailable({ ...answer, body: extractText(answer.body) });
    const id = answer.body.trim();
    if (!/^-?\d{1,20}$/.test(id))
      throw new SinkUnavailable(
        `${this.client.displayName}: ${COMMAND.sessionId} did not return an integer; is it a Push API server?`,
      );
    return id;
  }
}

function buildAddRequest(orders: readonly PushOrder[], bodies: BodyBuffers, withText: boolean): SinkRequest {
  const documents = orders.flatMap((order) => (order.kind === 'add' ? [order.document] : []));
  const { contentType, body } = encodeDocuments(documents, (length) => bodies.acquire(length), { withText });
  const onBodySent = (): void => bodies.release(body);
  return { method: 'POST', path: COMMAND.add, headers: { 'content-type': contentType }, body, bodySent: onBodySent };
}

function buildDeleteRequest(orders: readonly PushOrder[]): SinkRequest {
  const uris = orders.map(({ uri }): [string, string] => [PARAMETER.uri, uri]);
  return buildFormRequest(COMMAND.delete, new URLSearchParams(uris));
}

function buildFormRequest(path: string, fields: URLSearchParams): SinkRequest {
  return { method: 'POST', path, headers: { 'content-type': FORM }, body: fields.toString() };
}
