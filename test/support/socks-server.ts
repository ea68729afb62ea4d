/** A SOCKS5 server (RFC 1928, 1929) for tests; whatever it is asked for is on this machine. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SocksServer {
  readonly port: number;
  /** `name:port` or `address:port` of each connection that it was asked for. */
  readonly seen: readonly string[];
}

/** @param login `user:password` that it wants; `refuses`: it connects to nothing. */
export async function socksServer({
  login,
  refuses,
}: {
  login?: string;
  refuses?: boolean;
} = {}): Promise<SocksServer> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const serve = async (socket: Socket): Promise<void> => {
    const read = reader(socket);
    const [, methods] = await read(2);
    await read(methods!);
    socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
    if (login !== undefined) {
      const [, length] = await read(2);
      const user = await read(length!);
      const password = await read((await read(1))[0]!);
      const right = `${user}:${password}` === login;
      socket.write(Buffer.from([1, right ? 0 : 1]));
      if (!right) return void socket.end();
    }
    const kind = (await read(4))[3];
    const host = kind === 3 ? String(await read((await read(1))[0]!)) : [...(await read(4))].join('.');
    const port = (await read(2)).readUInt16BE();
    seen.push(`${host}:${port}`);
    if (refuses) return void socket.end(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]));
    const server = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      server.pipe(socket).pipe(server);
    });
    server.on('error', () => socket.destroy());
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket).catch(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

function reader(socket: Socket): (size: number) => Promise<Buffer> {
  return async (size) => {
    for (;;) {
      const piece = socket.read(size) as Buffer | null;
      if (piece) return piece;
      await once(socket, 'readable');
    }
  };
}
