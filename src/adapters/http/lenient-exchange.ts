import type { Socket } from 'node:net';
import { MAX_HEADER_SIZE } from './connection-pool.js';
import { ConnectionAttempt, type Connector } from './connector.js';
import type { Deadlines } from './deadlines.js';
import { Exchange, type Settle, TOO_LATE_MESSAGE } from './exchange.js';
import { FetchFailure } from './fetch-failure.js';
import { LenientParser } from './lenient-parser.js';
import type { RequestPlan } from './request-plan.js';

/**
 * An exchange read by the lenient parser, for servers whose responses browsers accept but undici does not. Every
 * request has its own connection: after a response with doubtful framing, the next one could begin anywhere.
 */
export class LenientExchange extends Exchange {
  readonly reused = false;
  address = '';
  private readonly attempt = new ConnectionAttempt();
  private socket: Socket | undefined;

  constructor(
    plan: RequestPlan,
    deadlines: Deadlines<Exchange>,
    settle: Settle,
    private readonly connector: Connector,
  ) {
    super(plan, deadlines, settle);
  }

  protected get awaited(): ConnectionAttempt['phase'] {
    return this.attempt.phase;
  }

  protected get bytesRead(): number {
    return this.socket?.bytesRead ?? 0;
  }

  protected start(): void {
    this.connector.open(this.plan.target, this.attempt).then(
      ({ socket, address }) => {
        this.address = address;
        if (!this.settled) this.sendRequest(socket);
      },
      (error: unknown) => this.fail(error),
    );
  }

  protected release(): void {
    this.attempt.cancel();
  }

  private sendRequest(socket: Socket): void {
    this.socket = socket;
    if (this.isTooLate) {
      this.fail(new FetchFailure('connection-failed', TOO_LATE_MESSAGE));
      return;
    }
    const parser = new LenientParser(
      {
        onHeader: (status, fields) => this.onHeader(status, fields),
        onBody: (chunk) => this.onBody(chunk),
        onEnd: () => this.onEnd(),
      },
      MAX_HEADER_SIZE,
    );
    socket
      .on('data', (chunk: Buffer) => this.runGuarded(() => parser.push(chunk)))
      .on('end', () => this.runGuarded(() => parser.finish()))
      .on('error', (error) => this.fail(error))
      .on('close', () => this.fail(new FetchFailure('connection-reset', 'The connection was closed.')));
    this.runGuarded(() => {
      socket.write(formatRequest(this.plan), 'latin1');
      if (this.plan.body) socket.write(this.plan.body);
    });
    this.onSent();
  }

  private runGuarded(action: () => void): void {
    try {
      if (!this.settled) action();
    } catch (error) {
      this.fail(error);
    }
  }
}

function formatRequest(plan: RequestPlan): string {
  const lines = [`${plan.method} ${plan.path} HTTP/1.1`, `host: ${plan.host}`, 'connection: close'];
  if (plan.method !== 'GET') lines.push(`content-length: ${plan.body?.length ?? 0}`);
  for (let index = 0; index < plan.headers.length; index += 2) {
    lines.push(`${plan.headers[index]}: ${plan.headers[index + 1]}`);
  }
  if (lines.some((line) => /[\r\n\0]/.test(line))) {
    throw new FetchFailure('connection-failed', 'A request header contains a line break.');
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
