/**
 * Detects what a single response does not reveal: a redirect that is a login wall or closes a loop, a document that is
 * its host's error page. Such a result becomes an error, and its links are dropped.
 */
import { isSuspicious } from '../../../domain/content/text-sample.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import { LoginWalls, looksLikeLoginUrl } from '../../../domain/fetch/login-wall.js';
import { before, minutes } from '../../../domain/time/units.js';
import { stripQuery } from '../../../domain/url/crawl-url.js';
import type { Clock } from '../../ports/clock.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageResult } from '../../ports/page-task.js';
import type { ErrorPageProbes } from '../hosts/error-page-probes.js';

/** How long ago the first redirect of a chain may have been seen if a later one leads back to it. */
const CHAIN_WINDOW = minutes(10);

/** How the target of a redirect was found: what a sitemap redirects to belongs to robots.txt. */
const LEADS_ON: ReadonlySet<UrlState['discoveredVia']> = new Set(['redirect', 'robots']);

/** The URLs whose redirects led to this one, the last one first. */
async function* readChain(store: Pick<UrlCatalog, 'find'>, state: UrlState): AsyncIterable<UrlState> {
  let current: UrlState | undefined = state;
  for (let steps = state.redirects; steps > 0 && current?.foundOn && LEADS_ON.has(current.discoveredVia); steps--) {
    current = await store.find(state.crawler, current.foundOn);
    if (!current) return;
    yield current;
  }
}

export interface ReviewServices {
  readonly store: Pick<UrlCatalog, 'find'>;
  readonly clock: Clock;
  readonly probes: Pick<ErrorPageProbes, 'isErrorPage' | 'suspect' | 'resemblesAnother'>;
  readonly processor: Pick<PageProcessor, 'forget'>;
}

export class ResultReview {
  readonly walls = new LoginWalls();

  constructor(private readonly services: ReviewServices) {}

  /**
   * Returns `again` if the page can only be judged once its host has been probed.
   * @param mayProbe false if the host rests, or is not to be probed at all
   * @param isCookieCheck true if the redirect leads back to a URL that is requested again with a new cookie
   */
  async review(
    state: UrlState,
    result: PageResult,
    { mayProbe = false, isCookieCheck = false } = {},
  ): Promise<PageResult | 'again'> {
    try {
      if (mayProbe && this.needsProbe(state, result)) {
        this.forgetReportedLinks(result);
        return 'again';
      }
      const reviewed = isCookieCheck ? result : this.reviewDocument(state, result);
      return reviewed instanceof Promise ? await reviewed : reviewed;
    } catch (error) {
      this.forgetReportedLinks(result);
      throw error;
    }
  }

  /**
   * To be called when the page's links are dropped: the page processor has recorded them as reported and would not
   * report them again.
   */
  forgetReportedLinks(result: PageResult): void {
    if (result.links.length === 0) return;
    this.services.processor.forget(
      result.crawler,
      result.links.map((link) => link.url),
    );
  }

  /** To be called with what the change guard has made of a result: it may have found that the page is its host's error page. */
  noteReviewed({ hostKey }: UrlState, { outcome }: PageResult): void {
    if (outcome.kind === 'error' && outcome.code === 'soft-error') this.services.probes.suspect(hostKey);
  }

  private needsProbe({ id, hostKey, visits }: UrlState, { outcome }: PageResult): boolean {
    if (outcome.kind !== 'document') return false;
    // The change guard asks the host; during an outage, its error page would be that of every page.
    if (outcome.facts.sample?.isDrastic === true) return false;
    const { probes } = this.services;
    const { fingerprint, stamp, title, textSketch } = outcome.facts;
    const mayBeErrorPage =
      fingerprint !== undefined ||
      (visits === 0 && outcome.index && probes.resemblesAnother(hostKey, { id, stamp, title, textSketch }));
    return mayBeErrorPage && probes.suspect(hostKey);
  }

  private reviewDocument(state: UrlState, result: PageResult): PageResult | Promise<PageResult> {
    const { outcome } = result;
    switch (outcome.kind) {
      case 'redirect':
        return this.reviewRedirect(state, result, outcome.target);
      case 'document': {
        const { fingerprint, sample } = outcome.facts;
        // An indexed page that says something else is a matter of the change guard: the whole host may say it now.
        const isJudgedByGuard = state.stamp !== undefined && sample !== undefined && isSuspicious(sample);
        if (fingerprint && !isJudgedByGuard && this.services.probes.isErrorPage(state.hostKey, fingerprint))
          return this.toFailure(result, 'soft-error', 'the page is what the host sends for a URL that cannot exist');
        this.walls.recordSuccess(state.hostKey, state.url, this.services.clock.now());
        return result;
      }
      case 'unchanged':
        this.walls.recordSuccess(state.hostKey, state.url, this.services.clock.now());
        return result;
      default:
        return result;
    }
  }

  private async reviewRedirect(state: UrlState, result: PageResult, target: string): Promise<PageResult> {
    if (await this.redirectsBack(state, target))
      return this.toFailure(
        result,
        'redirect-loop',
        `the redirect to ${target} leads back to an earlier URL of the redirect chain`,
      );
    const { hostKey, url, stamp } = state;
    const indexed = stamp !== undefined;
    const now = this.services.clock.now();
    if (this.walls.judgeRedirect({ hostKey, from: url, target, indexed, now }) === 'wall')
      return this.toFailure(
        result,
        looksLikeLoginUrl(target) ? 'login-wall' : 'redirect-wall',
        `the host sends many of its pages to ${stripQuery(target)}`,
      );
    // The first of many pages behind a wall to be visited must not lose its document because no others have been seen.
    const isSuspicious = indexed && looksLikeLoginUrl(target) && stripQuery(target) !== stripQuery(url);
    if (isSuspicious)
      return this.toFailure(result, 'login-wall', `an indexed page redirects its visitors to ${stripQuery(target)}`);
    return result;
  }

  /**
   * Whether the target is one of the URLs whose redirects have just led here. One whose redirect was seen long ago may
   * have its document again.
   */
  private async redirectsBack(state: UrlState, target: string): Promise<boolean> {
    const recent = before(this.services.clock.now(), CHAIN_WINDOW);
    for await (const { url, status, lastVisitAt } of readChain(this.services.store, state)) {
      // A waiting URL is still being recorded: its visit is the one that led here.
      if (status !== 'redirected' && status !== 'waiting') return false;
      if (url === target) return lastVisitAt === undefined || lastVisitAt >= recent;
    }
    return false;
  }

  private toFailure(result: PageResult, code: ErrorCode, detail: string): PageResult {
    this.forgetReportedLinks(result);
    return { ...result, outcome: { kind: 'error', code, detail }, links: [], refused: [] };
  }
}
