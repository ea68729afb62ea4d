/** A server of WebSockets (RFC 6455) whose clients say short texts. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface SocketClient {
  send(text: string): void;
}

export class SocketSite {
  /** Of the handshakes. */
  readonly seen: IncomingHttpHeaders[] = [];
  /** Connections that clients have ended. */
  ended = 0;
  port = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** `heard` is called with each text of a client, and with an empty one when it has come. */
  static async start(heard: (client: SocketClient, text: string) => void, address = '127.0.0.1'): Promise<SocketSite> {
    const site = new SocketSite(createServer((_, response) => response.writeHead(404).end()));
    site.server.on('upgrade', ({ headers }, socket: Socket) => site.welcome(headers, socket, heard));
    await new Promise<void>((resolve) => site.server.listen(0, address, resolve));
    site.port = (site.server.address() as AddressInfo).port;
    return site;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private welcome(headers: IncomingHttpHeaders, socket: Socket, heard: (client: SocketClient, text: string) => void) {
    this.seen.push(headers);
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.ended++;
      this.sockets.delete(socket);
    });
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const client: SocketClient = { send: (text) => void socket.write(frame(text)) };
    socket.on('data', (data) => {
      for (const text of textsOf(data)) heard(client, text);
    });
    heard(client, '');
  }
}

function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(body.length < 126 ? 2 : 10);
  head[0] = 0x81;
  head[1] = body.length < 126 ? body.length : 127;
  if (head.length > 2) head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}

/** Of masked frames of less than 126 bytes that arrive whole. */
function* textsOf(data: Buffer): Generator<string> {
  for (let at = 0; at + 6 <= data.length; ) {
    const length = data[at + 1]! & 0x7f;
    const mask = data.subarray(at + 2, at + 6);
    const body = data.subarray(at + 6, at + 6 + length);
    if ((data[at]! & 0x0f) === 1) yield Buffer.from(body.map((byte, n) => byte ^ mask[n % 4]!)).toString();
    at += 6 + length;
  }
}
