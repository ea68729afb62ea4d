/**
 * Without API keys the server trusts everybody on this machine. A web page in a browser on this machine is not such a person, but
 * it can send requests under a host name that it controls (DNS rebinding): the Host header reveals it.
 */
import { ForbiddenException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../options.js';

export function requireLocalHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request) => {
    const name = parseHostName(request.headers.host);
    if (name === undefined || isLoopback(name)) return;
    throw new ForbiddenException(
      `The server has no API keys and answers on this machine's own names only, not as ${name}. Set CRAWLWAY_API_KEYS to open it.`,
    );
  });
}

/** Without the port; undefined if the header is missing, which no browser omits. */
const parseHostName = (header: string | undefined): string | undefined => header?.replace(/:\d+$/, '');
