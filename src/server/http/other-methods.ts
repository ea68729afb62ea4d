import { HttpException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/**
 * Answers 405, with the methods in `Allow`, where a path has no such method, instead of 404. To be called before routes
 * are registered.
 */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  const routes: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];
  fastify.addHook('onRoute', ({ url, method }) => {
    // Files of the console, whose paths are a pattern that matches everything.
    if (!url.includes('*')) routes.push({ path: toExpression(url), methods: [method].flat() });
  });
  fastify.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0]!;
    const allowed = new Set(routes.flatMap((route) => (route.path.test(path) ? route.methods : [])));
    if (allowed.size === 0 || allowed.has(request.method)) return;
    const list = [...allowed].sort().join(', ');
    reply.header('allow', list);
    throw new HttpException(`The path does not have the method ${request.method}; it has ${list}.`, 405);
  });
}

const toExpression = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.+?^$()[\]{}|\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}/?$`);
