import type { Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

interface Connection {
  readonly address: string;
  /** Whether a request with a valid key came over it. */
  isKnown: boolean;
  activeRequests: number;
}

/** Responses after which the caller has to connect anew: what it sends further is not read. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 413, 429]);

/**
 * Limits the open connections, so that the process does not run out of file descriptors. Anybody may open them, so a new
 * connection takes the place of one that is worth less: first of one whose callers never had a key, from the address
 * that has most of those, idle ones first and the oldest among them; then of an idle one with a key. Callers with a key
 * and probes therefore always get in.
 */
export class Connections {
  private readonly open = new Map<Socket, Connection>();

  constructor(private readonly max: number) {}

  guard(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const victim = this.open.size >= this.max ? this.findVictim() : undefined;
      if (this.open.size >= this.max && !victim) {
        socket.destroy();
        return;
      }
      if (victim) {
        this.open.delete(victim);
        victim.destroy();
      }
      this.open.set(socket, { address: toNetwork(socket.remoteAddress ?? ''), isKnown: false, activeRequests: 0 });
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** To be called after the caller of each request has been identified. */
  observe(fastify: FastifyInstance): void {
    fastify.addHook('preParsing', async ({ caller, raw }) => {
      const connection = this.open.get(raw.socket);
      if (!connection) return;
      connection.activeRequests++;
      connection.isKnown ||= caller !== undefined;
    });
    fastify.addHook('onResponse', async ({ raw }) => {
      const connection = this.open.get(raw.socket);
      if (connection && connection.activeRequests > 0) connection.activeRequests--;
    });
    fastify.addHook('onSend', async (_request, reply, payload) => {
      if (REFUSALS.has(reply.statusCode)) reply.header('connection', 'close');
      return payload;
    });
  }

  private findVictim(): Socket | undefined {
    const all = [...this.open];
    const unknown = all.filter(([, { isKnown }]) => !isKnown);
    if (unknown.length === 0) return all.find(([, { activeRequests }]) => activeRequests === 0)?.[0];
    const counts = new Map<string, number>();
    for (const [, { address }] of unknown) counts.set(address, (counts.get(address) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const candidates = unknown.filter(([, { address }]) => counts.get(address) === most);
    const idle = candidates.find(([, { activeRequests }]) => activeRequests === 0);
    return (idle ?? candidates[0]!)[0];
  }
}

/** An IPv6 caller usually has a network of 64 bits. */
export const toNetwork = (address: string): string =>
  address.includes(':') && !address.includes('.') ? address.split(':', 4).join(':') : address;
