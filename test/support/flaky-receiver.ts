import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one call: it passes, never arrives, gets no response, is refused, or arrives and the response is lost. */
export type CallFate = 'pass' | 'fail' | 'say nothing' | 'refuse' | 'lose answer';

/** A proxy before a receiver of orders that decides what happens to each call. */
export class FlakyReceiver {
  failures = 0;
  /** Decides the fate of a call by its content and its path. */
  fate: (body: string, path: string) => CallFate = () => 'pass';
  private readonly server = createServer((request, response) => void this.take(request, response));

  private constructor(
    /** `http://host:port` of the receiver behind it. */
    public target: string,
  ) {}

  static async start(target = ''): Promise<FlakyReceiver> {
    const receiver = new FlakyReceiver(target);
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the sender died
    }
    const body = Buffer.concat(chunks);
    const fate = this.fate(body.toString('latin1'), request.url ?? '');
    if (fate !== 'pass') this.failures++;
    if (fate === 'say nothing') return;
    if (fate === 'fail') response.writeHead(503).end('not now');
    else if (fate === 'refuse') response.writeHead(400, { 'content-type': 'text/xml' }).end(REFUSAL);
    else this.forward(request, body, fate === 'lose answer' ? undefined : response);
  }

  private forward(request: IncomingMessage, body: Buffer, response: ServerResponse | undefined): void {
    const { method, headers, url } = request;
    const onward = httpRequest(`${this.target}${url}`, { method, headers }, (answer) => {
      if (response) answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
      else answer.resume().on('close', () => request.socket.destroy());
    });
    onward.on('error', () => request.socket.destroy());
    onward.end(body);
  }
}

const REFUSAL = '<error><message>this document is poison</message></error>';
