/** Handles responses that send visitors elsewhere, by Location or by a refresh. */
import { isSiteMove } from '../../domain/policy/site-mode.js';
import { resolveAsWritten } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, stripUserInfo } from '../../domain/url/crawl-url.js';
import type { PageOutcome } from '../ports/page-task.js';
import { findFetcher } from './crawl-context.js';
import type { JudgedUrl } from './judged-url.js';
import type { LinkCollector } from './link-collector.js';
import { createFailure, type HttpResponse, isPermanentRedirect } from './page-outcome.js';

export interface RedirectResult {
  readonly outcome: PageOutcome;
  /** If the URL redirects to itself: how to request it from now on. */
  readonly selfRedirect?: { readonly setCookie?: string; readonly variant?: string };
}

export function followRedirect(page: JudgedUrl, response: HttpResponse, collector: LinkCollector): RedirectResult {
  const { task, context, url } = page;
  const location = response.headers['location'];
  const requestedUrl = task.variant ?? task.url;
  const target = location === undefined ? undefined : context.canonicalize(location, requestedUrl);
  if (!target || (target.scheme !== 'http' && target.scheme !== 'https')) {
    const locationText = location === undefined ? 'missing' : JSON.stringify(stripUserInfo(location).slice(0, 200));
    return { outcome: createFailure('redirect-malformed', `Location is ${locationText}`) };
  }
  if (target.href === url.href) {
    const writtenUrl = resolveAsWritten(location!, requestedUrl);
    const variant = writtenUrl !== requestedUrl && task.variant === undefined ? writtenUrl : undefined;
    const outcome = createFailure('redirect-loop', 'the URL redirects to itself');
    return { outcome, selfRedirect: { setCookie: response.headers['set-cookie'], variant } };
  }
  return {
    outcome: checkRedirectLimit(page) ?? createRedirect(page, target, collector, isPermanentRedirect(response)),
  };
}

/**
 * Treats a page that sends visitors on at once as a redirect, unless the crawl may not follow it; then the page itself
 * is used.
 * @returns undefined if the page is not a redirect
 */
export function followRefresh(
  page: JudgedUrl,
  target: CrawlUrl | undefined,
  links: LinkCollector,
): PageOutcome | undefined {
  if (!target) return undefined;
  const limitFailure = checkRedirectLimit(page);
  if (limitFailure) return limitFailure;
  const outcome = createRedirect(page, target, links);
  return outcome.refused === undefined ? outcome : undefined;
}

export function createRedirect(
  { task, root }: JudgedUrl,
  target: CrawlUrl,
  collector: LinkCollector,
  permanent = false,
): Extract<PageOutcome, { kind: 'redirect' }> {
  const refused = collector.addUrl(target, 'redirect');
  const moved = refused === undefined && isSiteMove({ url: target, root, discoveredVia: 'redirect', hops: task.hops });
  return { kind: 'redirect', permanent, target: target.href, refused, movesSite: moved };
}

function checkRedirectLimit({ task, context, effects }: JudgedUrl): PageOutcome | undefined {
  const { maxRedirects } = findFetcher(context, effects.options);
  if (task.redirects < maxRedirects) return undefined;
  return createFailure('redirect-limit', `more than ${maxRedirects} redirects in a row`);
}
