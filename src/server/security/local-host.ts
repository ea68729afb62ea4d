/**
 * Without API keys the server trusts whoever is on this machine. A web page in a browser on this machine is not such a
 * person, yet it can send requests here under a host name that it controls (DNS rebinding): the Host header gives it away.
 */
import { ForbiddenException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../options.js';

export function requireLocalHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request) => {
    const name = hostName(request.headers.host);
    if (name === undefined || isLoopback(name)) return;
    throw new ForbiddenException(
      `The server has no API keys and answers on this machine's own names only, not as ${name}. Set CRAWLWAY_API_KEYS to open it.`,
    );
  });
}

/** Without the port; undefined when the header is missing, which no browser leaves out. */
const hostName = (header: string | undefined): string | undefined => header?.replace(/:\d+$/, '');
