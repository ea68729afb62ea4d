import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A stretch of network between two programs, which can be cut. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private state: 'whole' | 'silent' | 'refusing' = 'whole';

  private constructor(private readonly server: Server) {}

  static async start(to: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true });
    const proxy = new TcpProxy(server);
    server.on('connection', (near) => proxy.join(near, connect(to)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `silent`: nothing gets through, and nobody is told; `refusing`: connections end, and new ones too. */
  cut(how: 'silent' | 'refusing'): void {
    this.state = how;
    for (const socket of this.sockets) {
      if (how === 'refusing') socket.destroy();
      else socket.unpipe().pause();
    }
  }

  /** New connections work; the old ones have gone. */
  heal(): void {
    this.state = 'whole';
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        if (this.state !== 'silent') other.destroy();
      });
      if (this.state === 'whole') socket.pipe(other);
    }
    if (this.state === 'refusing') near.destroy();
  }
}
