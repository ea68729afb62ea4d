/**
 * Requests a URL that cannot exist from a host, once a day or once one of its pages looks like an error page, so that its
 * error page is recognized if other URLs return it with status 200; and whenever the change guard wants to know what the
 * host says to nonsense. Each probe takes the place of a visit to the host, with the same claim and the same pause.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { hasSameText } from '../../../domain/content/exact-duplicates.js';
import { sharesAlmostNothing } from '../../../domain/content/text-sketch.js';
import type { NonsenseAnswer } from '../../../domain/crawl/change-guard.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import {
  createImpossibleUrl,
  detectErrorPage,
  isErrorPage,
  type PageFingerprint,
} from '../../../domain/fetch/error-pages.js';
import type { Effects } from '../../../domain/policy/verdict.js';
import { after, type Duration, days, hours, type Instant } from '../../../domain/time/units.js';
import { getHostKey, getOrigin, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { Clock } from '../../ports/clock.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { DocumentFacts, PageResult } from '../../ports/page-task.js';
import type { Partitions } from '../../ports/partitions.js';
import type { Host, Hosts } from './hosts.js';

interface HostProbe {
  readonly until: Instant;
  /**
   * What the host sends for pages that do not exist; absent if it sends a proper error status, or a page that cannot be
   * distinguished from others.
   */
  readonly errorPage?: PageFingerprint;
  /** The response to the impossible URL, and the good page that must still be requested for comparison. */
  readonly unfinished?: { readonly fingerprint: PageFingerprint; readonly goodUrl: string; readonly redirects: number };
}

interface ProbeTerms {
  /** The pause after the request. */
  readonly delay: Duration;
  /** Resolves to what is granted to the URL; undefined if it may not be requested. */
  readonly judge: (url: string) => Promise<Effects | undefined>;
}

/** A page that was read for the first time. */
type NewPage = Pick<DocumentFacts, 'stamp' | 'title' | 'textSketch'> & { readonly id: UrlId };

/** Number of new pages of a host that are compared with the next one. */
const MAX_NEW_PAGES = 8;
const RESULT_LIFETIME = days(1);
/** How long no new probe is sent after one that got no response. */
const FAILURE_LIFETIME = hours(1);
const MAX_HOSTS = 10_000;
const MAX_REDIRECTS = 3;
/** The id in the task of a probe, which belongs to no stored URL. */
const NO_URL = 0;

export class ErrorPageProbes {
  private readonly probes = new BoundedMap<string, HostProbe>(MAX_HOSTS);
  /** Hosts that are to be asked for the change guard; their answer, once there is one. */
  private readonly answers = new BoundedMap<string, NonsenseAnswer | 'wanted'>(MAX_HOSTS);

  /** Hosts of which a page has looked like an error page: they are probed whenever the last answer is out of date. */
  private readonly suspects = new BoundedMap<string, true>(MAX_HOSTS);

  private readonly newPages = new BoundedMap<string, readonly NewPage[]>(MAX_HOSTS);

  constructor(
    private readonly processor: Pick<PageProcessor, 'process'>,
    private readonly hosts: Pick<Hosts, 'recordRequestStart'>,
    private readonly clock: Clock,
    private readonly partitions: Pick<Partitions, 'sendBy'>,
  ) {}

  /** Whether a probe is needed before the host's next page. */
  isDue(key: string): boolean {
    const probe = this.probes.get(key);
    return !probe || probe.unfinished !== undefined || probe.until <= this.clock.now();
  }

  /** Records that a page of the host looks like an error page; returns true if the host has to be probed first. */
  suspect(key: string): boolean {
    if (!this.isDue(key)) return false;
    this.suspects.set(key, true);
    return true;
  }

  /** Whether a new page says much the same as another one, as error pages do that differ in the address they repeat. */
  resemblesAnother(key: string, page: NewPage): boolean {
    if (!this.isDue(key)) return false;
    const others = (this.newPages.get(key) ?? []).filter(({ id }) => id !== page.id);
    this.newPages.set(key, [...others.slice(1 - MAX_NEW_PAGES), page]);
    return others.some((other) => isAlike(page, other));
  }

  isSuspected(key: string): boolean {
    return this.suspects.get(key) === true && this.isDue(key);
  }

  /** Whether the host is known to send an error page with status 200. */
  hasErrorPage(key: string): boolean {
    return this.findCurrentProbe(key)?.errorPage !== undefined;
  }

  /** Has the host asked for a URL that cannot exist before its next page; what it answered before is forgotten. */
  wantAnswer(key: string): void {
    this.answers.set(key, 'wanted');
  }

  isAnswerWanted(key: string): boolean {
    return this.answers.get(key) === 'wanted';
  }

  /** What the host has answered since `wantAnswer`; undefined until it has been asked. */
  findAnswer(key: string): NonsenseAnswer | undefined {
    const answer = this.answers.get(key);
    return answer === 'wanted' ? undefined : answer;
  }

  /** Like `probe`, for `wantAnswer`. */
  async askForAnswer(state: UrlState, host: Host, terms: ProbeTerms): Promise<PageResult | undefined> {
    this.answers.set(host.key, 'unknown');
    const result = await this.send(state, createImpossibleUrl(state.url, this.createToken(state.url)), host, terms);
    if (result?.status === undefined) return result;
    this.answers.set(host.key, (result.outcome.kind === 'document' && result.outcome.facts.sample) || 'refused');
    return result;
  }

  isErrorPage(key: string, page: PageFingerprint): boolean {
    const errorPage = this.probes.get(key)?.errorPage;
    return errorPage !== undefined && isErrorPage(page, errorPage);
  }

  /**
   * Sends the next probe to a host that the caller has claimed for a visit of the given URL; undefined if it may not be
   * sent.
   */
  async probe(state: UrlState, host: Host, terms: ProbeTerms): Promise<PageResult | undefined> {
    const unfinished = this.findCurrentProbe(host.key)?.unfinished;
    const url = unfinished ? unfinished.goodUrl : createImpossibleUrl(state.url, this.createToken(state.url));
    const result = await this.send(state, url, host, terms);
    this.probes.set(
      host.key,
      result === undefined
        ? { until: after(this.clock.now(), RESULT_LIFETIME) }
        : unfinished
          ? this.compareWithGoodPage(unfinished, host.key, result)
          : this.recordResponse(url, result),
    );
    return result;
  }

  /** Undefined if the URL may not be requested. */
  private async send(
    { crawler, root, hops }: UrlState,
    url: string,
    host: Host,
    { delay, judge }: ProbeTerms,
  ): Promise<PageResult | undefined> {
    // From now on: visits that begin before the URL is judged would send one, too.
    host.waitsForResponse = true;
    try {
      const effects = await judge(url);
      if (!effects) return undefined;
      await this.hosts.recordRequestStart(host, delay);
      return await this.processor.process({
        id: NO_URL,
        crawler,
        url,
        discoveredVia: 'link',
        root,
        hops,
        redirects: 0,
        effects,
        rereadLinks: false,
        inheritedMetas: [],
        now: this.clock.now(),
        sendBy: this.partitions.sendBy,
        inspect: true,
        wantsFingerprint: true,
      });
    } finally {
      host.waitsForResponse = false;
    }
  }

  private recordResponse(url: string, result: PageResult): HostProbe {
    const fingerprint = computeFingerprint(result);
    const until = this.getExpiry(result);
    return fingerprint
      ? { until, unfinished: { fingerprint, goodUrl: `${getOrigin(toCrawlUrl(url))}/`, redirects: 0 } }
      : { until };
  }

  private compareWithGoodPage(
    { fingerprint, redirects }: NonNullable<HostProbe['unfinished']>,
    key: string,
    result: PageResult,
  ): HostProbe {
    const until = this.getExpiry(result);
    const { outcome } = result;
    if (outcome.kind === 'redirect' && redirects < MAX_REDIRECTS && getHostKey(toCrawlUrl(outcome.target)) === key)
      return { until, unfinished: { fingerprint, goodUrl: outcome.target, redirects: redirects + 1 } };
    if (outcome.kind !== 'document') return { until };
    // A good page with too little text for a fingerprint cannot be mistaken for the error page, which has one.
    const goodFingerprint = computeFingerprint(result);
    return { until, errorPage: goodFingerprint ? detectErrorPage(fingerprint, goodFingerprint) : fingerprint };
  }

  private getExpiry(result: PageResult): Instant {
    return after(this.clock.now(), result.status === undefined ? FAILURE_LIFETIME : RESULT_LIFETIME);
  }

  private findCurrentProbe(key: string): HostProbe | undefined {
    const probe = this.probes.get(key);
    return probe && probe.until > this.clock.now() ? probe : undefined;
  }

  /** Depends on the current time, so that no real page can exist at the probe's URL. */
  private createToken(url: string): string {
    return BigInt.asUintN(64, computeUrlKey(`${this.clock.now()} ${url}`)).toString(36);
  }
}

const computeFingerprint = ({ outcome }: PageResult): PageFingerprint | undefined =>
  outcome.kind === 'document' ? outcome.facts.fingerprint : undefined;

/** Whether two pages have one title and texts that are much the same, or short; pages with one text are no two documents. */
function isAlike(page: NewPage, other: NewPage): boolean {
  if (page.title === '' || page.title !== other.title || hasSameText(page.stamp, other.stamp)) return false;
  const [own, others] = [page.textSketch, other.textSketch];
  return own === undefined || others === undefined ? own === others : !sharesAlmostNothing(own, others);
}
