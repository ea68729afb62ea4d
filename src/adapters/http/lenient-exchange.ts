import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_HEADER_SIZE } from './connection-pool.js';
import { ConnectionAttempt, type Connector } from './connector.js';
import type { Deadlines } from './deadlines.js';
import { Exchange, type Settle } from './exchange.js';
import { FetchFailure } from './fetch-failure.js';
import type { RequestPlan } from './request-plan.js';
import { groupRawHeaders } from './response-headers.js';

/**
 * An exchange read by Node's HTTP client with its lenient parser, for servers whose answers browsers accept and the
 * strict parser does not: bare line feeds, odd status lines, sloppy chunks. Slower, and every request has its own
 * connection: after an answer of doubtful framing the next one could begin anywhere.
 */
export class LenientExchange extends Exchange {
  readonly reused = false;
  address = '';
  private readonly attempt = new ConnectionAttempt();
  private request: ClientRequest | undefined;

  constructor(
    plan: RequestPlan,
    deadlines: Deadlines,
    settle: Settle,
    private readonly connector: Connector,
  ) {
    super(plan, deadlines, settle);
  }

  protected get resolving(): boolean {
    return this.attempt.phase === 'name';
  }

  protected start(): void {
    this.connector.open(this.plan.target, this.attempt).then(
      ({ socket, address }) => {
        this.address = address;
        if (!this.settled) this.send(socket);
      },
      (error: unknown) => this.fail(error),
    );
  }

  protected release(): void {
    this.request?.destroy();
    this.attempt.cancel();
  }

  private send(socket: Socket): void {
    this.requestSent();
    try {
      this.request = httpRequest({
        path: this.plan.path,
        headers: ['host', this.plan.host, 'connection', 'close', ...this.plan.headers],
        createConnection: () => socket,
        insecureHTTPParser: true,
        maxHeaderSize: MAX_HEADER_SIZE,
      });
    } catch (error) {
      this.fail(error);
      return;
    }
    this.request
      .on('response', (answer) => this.receive(answer))
      .on('upgrade', () => this.fail(new FetchFailure('protocol', 'The server switches protocols unasked.')))
      .on('error', (error) => this.fail(error))
      .end();
  }

  private receive(answer: IncomingMessage): void {
    this.headerCame(answer.statusCode ?? 0, groupRawHeaders(answer.rawHeaders));
    answer
      .on('data', (chunk: Buffer) => this.bodyCame(chunk))
      .on('end', () => this.ended())
      .on('error', (error: NodeJS.ErrnoException) =>
        // Node reports both a reset and a body that ends early as ECONNRESET.
        this.fail(error.message === 'aborted' ? new FetchFailure('body-truncated', 'The body ends early.') : error),
      );
  }
}
