import { HttpException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/**
 * Answers 405, with the methods in `Allow`, where a path has no such method, instead of 404. To be called before routes
 * are registered.
 */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  const routes: { readonly path: RegExp; readonly methods: readonly string[]; readonly endsInName: boolean }[] = [];
  fastify.addHook('onRoute', ({ url, method }) => {
    // Files of the console, whose paths are a pattern that matches everything.
    if (!url.includes('*'))
      routes.push({ path: toExpression(url), methods: [method].flat(), endsInName: !/:\w+$/.test(url) });
  });
  fastify.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    if (!request.is404 && !isTakenByMistake(request.routeOptions.url, path)) return;
    const matching = routes.filter((route) => route.path.test(path));
    // `/rules/move` is a path of its own, though `/rules/{index}` matches it.
    const own = matching.filter(({ endsInName }) => endsInName);
    const allowed = new Set((own.length > 0 ? own : matching).flatMap(({ methods }) => methods));
    if (allowed.size === 0 || allowed.has(request.method)) return;
    const list = [...allowed].sort().join(', ');
    reply.header('allow', list);
    throw new HttpException(`The path does not have the method ${request.method}; it has ${list}.`, 405);
  });
}

/** By the files of the console, which match every path, or by a route that ends in a number. */
const isTakenByMistake = (route: string | undefined, path: string): boolean =>
  route?.includes('*') || (/:(?:index|version|id)$/.test(route ?? '') && !/\/[\d.]+$/.test(path));

const toExpression = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.+?^$()[\]{}|\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}/?$`);
