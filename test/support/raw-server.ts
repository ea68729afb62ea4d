/** A TCP server that sends exactly the bytes of the test, valid as HTTP or not. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface RawServer {
  readonly port: number;
  /** Header of each request, in order of arrival. */
  readonly requests: string[];
  /** Connections accepted so far. */
  connections: number;
  close(): Promise<void>;
}

/** `respond` is called for every complete request header; `number` counts from 1 over all connections. */
export type Respond = (socket: Socket, request: string, number: number) => void;

export interface RawServerOptions {
  readonly host?: string;
  readonly tls?: TlsOptions;
}

/** Sends the same text (one character per byte) to every request. */
export const always =
  (answer: string): Respond =>
  (socket) => {
    socket.write(answer, 'latin1');
  };

/** A complete response with its length. */
export const answer = (body: string, ...fields: string[]): string =>
  ['HTTP/1.1 200 OK', ...fields, `content-length: ${body.length}`, '', body].join('\r\n');

export async function rawServer(respond: Respond, options: RawServerOptions = {}): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const accept = (socket: Socket): void => {
    running.connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const request = received.slice(0, end);
        received = received.slice(end + 4);
        requests.push(request);
        respond(socket, request, requests.length);
      }
    });
  };
  const server: Server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  server.on('tlsClientError', () => {});
  server.listen(0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const running: RawServer = {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}
