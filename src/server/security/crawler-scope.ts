/**
 * Roles that are limited to crawlers. Every call declares what such a caller gets of it (`crawlers` of its Operation);
 * a call that declares nothing and names no crawler in its path is refused, so a new call is closed until somebody has
 * decided.
 */
import {
  type CallHandler,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';

const SCOPES = {
  query: '`crawler` has to name one of these, and may be left out if there is only one.',
  items: 'only items of these crawlers.',
  handler: 'only what belongs to these crawlers.',
  none: 'the answer says nothing about crawlers.',
  server: 'may not make the call.',
} as const;

/**
 * - `query`: the query parameter `crawler` has to name one of the caller's
 * - `items`: items of other crawlers are left out of the answer
 * - `handler`: the handler limits itself to `request.crawlers`
 * - `none`: the answer says nothing about crawlers
 * - `server`: the call concerns the whole server, even if its path names a crawler
 */
export type CrawlerScope = keyof typeof SCOPES;

export const describeScope = (scope: CrawlerScope | undefined): string =>
  scope === undefined ? '' : ` A role that is limited to crawlers: ${SCOPES[scope]}`;

declare module 'fastify' {
  interface FastifyRequest {
    /** The crawlers to which the caller's role for this call is limited. Absent: it is not. */
    crawlers?: ReadonlySet<string>;
    /** True if items of other crawlers have to be left out of the answer. */
    itemsLimited?: true;
  }
}

/** The crawler that a call names in its path or query. */
export function findNamedCrawler({ params, query }: FastifyRequest): string | undefined {
  const named = (params as Named).crawler ?? (query as Named).crawler;
  return typeof named === 'string' ? named : undefined;
}

interface Named {
  crawler?: unknown;
}

/** @throws ForbiddenException if the call concerns anything but the crawlers */
export function limitToCrawlers(
  request: FastifyRequest,
  crawlers: ReadonlySet<string>,
  scope: CrawlerScope | undefined,
): void {
  request.crawlers = crawlers;
  if (scope === 'none' || scope === 'handler') return;
  if (scope === 'items') {
    request.itemsLimited = true;
    return;
  }
  const names = [...crawlers].join(', ');
  const holder = scope === undefined ? (request.params as Named) : scope === 'query' ? (request.query as Named) : {};
  if (scope === 'query' && holder.crawler === undefined && crawlers.size === 1) [holder.crawler] = crawlers;
  const { crawler } = holder;
  if (typeof crawler === 'string' && crawlers.has(crawler)) return;
  if (scope === 'query' && crawler === undefined)
    throw new ForbiddenException(`Your role is limited to crawlers: name one with crawler= (${names}).`);
  throw new ForbiddenException(
    typeof crawler === 'string'
      ? `Your role is limited to the crawlers ${names}.`
      : `Your role is limited to the crawlers ${names}, and the call concerns the whole server.`,
  );
}

/** Something of a crawler, or a crawler itself. */
type Item = { readonly crawler: string } | { readonly name: string };

/** Leaves items of other crawlers out of the answers of calls that declare `items`. */
@Injectable()
export class ItemScope implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { crawlers, itemsLimited } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!itemsLimited || !crawlers) return next.handle();
    return next.handle().pipe(
      map((page: { readonly items: readonly Item[] }) => ({
        ...page,
        items: page.items.filter((item) => crawlers.has('crawler' in item ? item.crawler : item.name)),
      })),
    );
  }
}
