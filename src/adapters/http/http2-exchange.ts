import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { TOO_LATE_MESSAGE } from './exchange.js';
import { FetchFailure, UnsupportedHttpVersion } from './fetch-failure.js';
import type { Http2Connection } from './http2-connection.js';
import { PooledExchange } from './pooled-exchange.js';
import type { RequestPlan } from './request-plan.js';

/** Connection-specific header fields, which HTTP/2 does not allow (RFC 9113, 8.2.2). */
const CONNECTION_FIELDS = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** An exchange that is the only stream of a pooled connection, read by nghttp2. */
export class Http2Exchange extends PooledExchange<Http2Connection> {
  /** The connection watches its own traffic. */
  protected readonly bytesRead = 0;

  protected start(): void {
    this.connection.whenReady().then(
      (session) => {
        if (!this.settled) this.sendRequest(session);
      },
      (error: unknown) => this.fail(error),
    );
  }

  protected release(clean: boolean): void {
    if (clean && this.connection.isUsable) {
      this.connection.servedCount++;
      this.connection.endRequest();
      this.pool.release(this.connection);
    } else {
      this.pool.discard(this.connection);
    }
  }

  private sendRequest(session: ClientHttp2Session): void {
    if (this.isTooLate) {
      this.fail(new FetchFailure('connection-failed', TOO_LATE_MESSAGE));
      return;
    }
    this.connection.beginRequest(() => this.reader.transferred);
    const { body } = this.plan;
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(toHttp2Headers(this.plan), { endStream: body === undefined });
    } catch (error) {
      this.fail(this.connection.isUsable ? error : new FetchFailure('connection-reset', CLOSED_MESSAGE));
      return;
    }
    this.onSent();
    stream.on('response', (headers, _flags, rawHeaders) =>
      this.onHeader(headers[':status'] ?? 0, collectFields(rawHeaders)),
    );
    stream.on('data', (chunk: Buffer) => this.onBody(chunk));
    stream.on('error', (error) => this.fail(toRefusalFailure(stream.rstCode) ?? error));
    // The stream emits `end` even if the connection ends in the middle of the body; only its error code reveals the
    // difference.
    stream.on('close', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR) this.onEnd();
      else this.fail(toRefusalFailure(stream.rstCode) ?? this.createTruncationFailure());
    });
    if (body) stream.end(body);
  }

  private createTruncationFailure(): FetchFailure {
    return this.isUnanswered
      ? new FetchFailure('connection-reset', CLOSED_MESSAGE)
      : new FetchFailure('body-truncated', 'The connection was closed in the middle of the body.');
  }
}

const CLOSED_MESSAGE = 'The server closed the connection.';

/** Error codes (RFC 9113, 7) that mean that the server has not processed the request. */
function toRefusalFailure(code: number | undefined): FetchFailure | undefined {
  if (code === constants.NGHTTP2_HTTP_1_1_REQUIRED)
    return new UnsupportedHttpVersion('protocol', 'The server requires HTTP/1.1 for this request.');
  if (code === constants.NGHTTP2_REFUSED_STREAM)
    return new FetchFailure('connection-reset', 'The server refused the request without processing it.');
  return undefined;
}

function toHttp2Headers({ method, path, host, headers }: RequestPlan): Record<string, string> {
  const fields: Record<string, string> = { ':method': method, ':authority': host, ':path': path };
  for (let index = 0; index < headers.length; index += 2)
    if (!CONNECTION_FIELDS.has(headers[index]!)) fields[headers[index]!] = headers[index + 1]!;
  return fields;
}

/** Collects all values of each field: for some fields, Node's own header object drops the second value. */
function collectFields(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index]!, rawHeaders[index + 1]!];
    if (name.startsWith(':')) continue;
    const previous = fields[name];
    if (previous === undefined) fields[name] = value;
    else if (typeof previous === 'string') fields[name] = [previous, value];
    else previous.push(value);
  }
  return fields;
}
