/**
 * Without API keys, the server trusts everyone on this machine. A web page in a browser on this machine must not be
 * trusted, but it can send requests under a host name that it controls (DNS rebinding); the Host header reveals this.
 */
import { ForbiddenException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../options.js';

export function requireLocalHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request) => {
    const name = parseHostName(request.headers.host);
    if (name === undefined || isLoopback(name)) return;
    throw new ForbiddenException(
      `The server has no API keys and accepts requests only under this machine's own names, not under ${name}. Set CRAWLWAY_API_KEYS to allow other names.`,
    );
  });
}

/** The host name without the port; undefined if the header, which browsers always send, is missing. */
const parseHostName = (header: string | undefined): string | undefined => header?.replace(/:\d+$/, '');
