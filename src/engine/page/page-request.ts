import type { FetchRequest } from '../ports/fetcher.js';
import { findFetcher } from './crawl-context.js';
import { findCanonicalForm, type JudgedUrl, needsLinks } from './judged-url.js';
import { shouldRenderFirst } from './rendering.js';

/** The maximum that sitemaps.org allows; the size limit for documents does not apply to sitemaps. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;

export function createRequest(page: JudgedUrl): FetchRequest {
  const { task, context, effects } = page;
  const { options, fetchUrl } = effects;
  const conditional = canFetchConditionally(page);
  return {
    url: fetchUrl ?? task.variant ?? task.url,
    fetcher: findFetcher(context, options).name,
    session: task.session,
    ifNoneMatch: conditional ? task.etag : undefined,
    ifModifiedSince: conditional ? task.lastModified : undefined,
    headers: page.headers ? { ...options.headers, ...page.headers } : options.headers,
    userAgent: options.userAgent,
    connectTimeout: options.connectTimeout,
    readTimeout: options.readTimeout,
    totalTimeout: options.totalTimeout,
    maxSize: task.discoveredVia === 'robots' ? MAX_SITEMAP_BYTES : options.maxSize,
    credentials: options.credentials,
    proxy: options.proxy,
    sendBy: task.sendBy,
  };
}

/**
 * A document that should be in the index but is not is fetched in full, whatever its ETag says. The same applies to one
 * whose links or metas have not been judged by the current policy.
 */
function canFetchConditionally(page: JudgedUrl): boolean {
  const { task, context, effects, mode } = page;
  if (context.definition.disableConditionalGet) return false;
  const isMissing = task.stamp === undefined && effects.index;
  return !isMissing && !needsLinks(page) && !shouldRenderFirst(mode, task) && findCanonicalForm(page) === undefined;
}
