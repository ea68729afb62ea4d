/** Judges stored URLs again, with the same policy that the crawl uses, and applies what has changed for them. */
import { decideReEvaluation } from '../../domain/crawl/re-evaluation.js';
import { toVisitSchedule } from '../../domain/crawl/revisit.js';
import type { Disposition } from '../../domain/crawl/state-changes.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Candidate, RootContext, Verdict } from '../../domain/policy/verdict.js';
import { seconds } from '../../domain/time/units.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import { toDispositionRules } from '../crawl/visit/disposition-rules.js';
import { type CrawlContext, findKnownRoot, toStoredCandidate } from '../page/crawl-context.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { Ports } from '../ports/ports.js';
import { retryUntilDone } from '../support/persistently.js';

const PAGE_SIZE = 1_000;
const RETRY_DELAY = seconds(1);

interface RejudgingServices extends Pick<Ports, 'store' | 'clock' | 'log' | 'cron'> {
  readonly processor: Pick<PageProcessor, 'resolve'>;
}

interface StoredVerdict {
  readonly verdict: Verdict;
  /** The root on whose site the URL is if the URL was first found through a different one. */
  readonly root?: RootContext;
}

export class Rejudging {
  constructor(private readonly services: RejudgingServices) {}

  /**
   * Judges every stored URL of the crawler again, in the background at a limited pace. After a store failure or a
   * restart, it resumes where it left off.
   */
  async apply(crawler: Crawler, signal: AbortSignal): Promise<void> {
    // The visit of a URL in flight began under the previous configuration, which still applies to it.
    const deferred: UrlState[] = crawler.urlsInFlight;
    const work = () => this.resume(crawler, deferred, signal);
    await retryUntilDone(`judging the stored URLs of ${crawler.name} again`, work, this.services, signal);
  }

  /** @param deferred URLs in flight, which are judged once their visit has ended */
  private async resume(crawler: Crawler, deferred: UrlState[], signal: AbortSignal): Promise<void> {
    const { store, clock } = this.services;
    const setting = getProgressSettingName(crawler.name);
    const start = Number((await store.getSetting(setting)) ?? 0);
    await store.putSetting(setting, String(start));
    for await (const states of listStoredUrls(store, crawler.name, start)) {
      const isDone = await Promise.all(states.map((state) => this.applyToUrl(crawler, state)));
      if (signal.aborted) return; // the stored progress now belongs to the next run
      deferred.push(...states.filter((_, i) => isDone[i] === false));
      await store.putSetting(setting, String(states.at(-1)!.id));
    }
    while (deferred.length > 0 && !signal.aborted) {
      const [state] = await store.get([deferred[0]!.id]);
      const isDone = !state || (!crawler.isInFlight(state) && (await this.applyToUrl(crawler, state)));
      if (isDone) deferred.shift();
      else await clock.sleep(RETRY_DELAY, signal);
    }
    if (!signal.aborted) await store.putSetting(setting, undefined);
  }

  async isUnfinished(crawler: string): Promise<boolean> {
    return (await this.services.store.getSetting(getProgressSettingName(crawler))) !== undefined;
  }

  private async applyToUrl(crawler: Crawler, state: UrlState): Promise<boolean> {
    const needsChange = (await this.decide(crawler.context, state)) !== undefined;
    return needsChange ? crawler.decide(state, { do: 'judge' }) : true;
  }

  /** Resolves to undefined if nothing changes for this URL. */
  async decide(context: CrawlContext, state: UrlState): Promise<Disposition | undefined> {
    if (state.status === 'removed') return undefined;
    const { verdict, root } = await this.judge(context, state);
    const now = this.services.clock.now();
    const rules = toDispositionRules(context.definition, toVisitSchedule(verdict.effects), this.services.cron, now);
    const disposition = decideReEvaluation({ state, verdict, rules, canonicalize: context.canonicalize, now });
    return root && verdict.accepted ? assignRoot(root, disposition) : disposition;
  }

  async judge(context: CrawlContext, state: UrlState): Promise<StoredVerdict> {
    // A URL first found through a link may have become a root since, or become one under the previewed configuration.
    const ownRoot = context.roots.get(state.url);
    const firstRoot = ownRoot ?? (state.root === undefined ? undefined : findKnownRoot(context, state.root));
    const verdict = await this.judgeUnderRoot(firstRoot, context, state);
    if (verdict.accepted || (verdict.layer !== 'site-mode' && verdict.reason !== 'not-accepted')) return { verdict };
    const root = context.roots.findBySite(toCrawlUrl(state.url));
    return root ? { verdict: await this.judgeUnderRoot(root, context, state), root } : { verdict };
  }

  private async judgeUnderRoot(
    root: RootContext | undefined,
    context: CrawlContext,
    state: UrlState,
  ): Promise<Verdict> {
    const url = toCrawlUrl(state.url);
    const isRoot = root && (root.url.href === url.href || state.discoveredVia === 'root');
    const candidate: Candidate = { ...toStoredCandidate(state, url, root), discoveredVia: isRoot ? 'root' : 'stored' };
    const verdict = context.policy.judge(candidate);
    if (!verdict.needsAddress) return verdict;
    const address = await this.services.processor.resolve(url.host);
    return address === undefined ? verdict : context.policy.judge({ ...candidate, address });
  }
}

/** Lists the crawler's URLs with an id above `start`. */
export async function* listStoredUrls(
  store: Pick<FrontierStore, 'list'>,
  crawler: string,
  start = 0,
): AsyncIterable<UrlState[]> {
  let last = start;
  for (;;) {
    const states = await store.list({ crawler }, last, PAGE_SIZE);
    if (states.length > 0) yield states;
    last = states.at(-1)?.id ?? last;
    if (states.length < PAGE_SIZE) return;
  }
}

/** The site of the root that led to the URL has changed: assigns the URL to the root on whose site it is now. */
const assignRoot = (
  { url }: RootContext,
  disposition: Disposition = { remove: false, changes: {}, changed: false },
): Disposition => ({ ...disposition, changes: { ...disposition.changes, root: url.href } });

const getProgressSettingName = (crawler: string): string => `rejudging/${crawler}`;
