/**
 * Requests a URL that cannot exist from each host once a day, so that its error page is recognized if other URLs return
 * it with status 200. Each probe takes the turn of a visit to the host: the same claim, the same pause.
 */
import {
  createImpossibleUrl,
  detectErrorPage,
  isErrorPage,
  type PageFingerprint,
} from '../../../domain/fetch/error-pages.js';
import { after, type Duration, days, hours, type Instant } from '../../../domain/time/units.js';
import { getHostKey, getOrigin, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { Clock } from '../../ports/clock.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import type { Host, Hosts } from './hosts.js';

interface HostProbe {
  readonly until: Instant;
  /**
   * What the host sends for pages that do not exist; absent if it sends an honest status, or nothing that can be told
   * from other pages.
   */
  readonly errorPage?: PageFingerprint;
  /** The response to the impossible URL, and the good page that must still be requested for comparison. */
  readonly unfinished?: { readonly answer: PageFingerprint; readonly good: string; readonly redirects: number };
}

const KNOWN_FOR = days(1);
/** How long a probe that got no response counts. */
const FAILED_FOR = hours(1);
const MOST_HOSTS = 10_000;
const MOST_REDIRECTS = 3;
/** Stands for no stored URL: the response to a probe belongs to no page. */
const NO_URL = 0;

export class ErrorPageProbes {
  private readonly known = new Map<string, HostProbe>();

  constructor(
    private readonly processor: Pick<PageProcessor, 'process'>,
    private readonly hosts: Pick<Hosts, 'recordRequestStart'>,
    private readonly clock: Clock,
  ) {}

  /** Whether a probe is needed before the host's next page. */
  isDue(key: string): boolean {
    const probe = this.known.get(key);
    return !probe || probe.unfinished !== undefined || probe.until <= this.clock.now();
  }

  isErrorPage(key: string, page: PageFingerprint): boolean {
    const errorPage = this.known.get(key)?.errorPage;
    return errorPage !== undefined && isErrorPage(page, errorPage);
  }

  /**
   * Sends the next probe to a host that the caller has claimed, on behalf of the task's page and under its rules;
   * undefined if it may not be sent.
   */
  async probe(
    task: PageTask,
    host: Host,
    { delay, mayAsk }: { delay: Duration; mayAsk: (url: string) => boolean },
  ): Promise<PageResult | undefined> {
    const unfinished = this.findFresh(host.key)?.unfinished;
    const url = unfinished ? unfinished.good : createImpossibleUrl(task.url, this.createToken(task.url));
    if (!mayAsk(url)) {
      this.storeProbe(host.key, { until: after(this.clock.now(), KNOWN_FOR) });
      return undefined;
    }
    host.waitsForAnswer = true;
    try {
      await this.hosts.recordRequestStart(host, delay);
      const { crawler, root, hops, now, sendBy } = task;
      const question = { crawler, root, hops, now, sendBy, redirects: 0, rereadLinks: false, inheritedMetas: [] };
      const result = await this.processor.process({
        ...question,
        id: NO_URL,
        url,
        discoveredVia: 'link',
        inspect: true,
      });
      this.storeProbe(
        host.key,
        unfinished ? this.compareWithGoodPage(unfinished, host.key, result) : this.recordResponse(url, result),
      );
      return result;
    } finally {
      host.waitsForAnswer = false;
    }
  }

  private recordResponse(url: string, result: PageResult): HostProbe {
    const answer = computeFingerprint(result);
    const until = this.getExpiry(result);
    return answer ? { until, unfinished: { answer, good: `${getOrigin(toCrawlUrl(url))}/`, redirects: 0 } } : { until };
  }

  private compareWithGoodPage(
    { answer, redirects }: NonNullable<HostProbe['unfinished']>,
    key: string,
    result: PageResult,
  ): HostProbe {
    const until = this.getExpiry(result);
    const { outcome } = result;
    if (outcome.kind === 'redirect' && redirects < MOST_REDIRECTS && getHostKey(toCrawlUrl(outcome.target)) === key)
      return { until, unfinished: { answer, good: outcome.target, redirects: redirects + 1 } };
    if (outcome.kind !== 'document') return { until };
    // A good page with too little text for a fingerprint differs from the error page, which has one.
    const good = computeFingerprint(result);
    return { until, errorPage: good ? detectErrorPage(answer, good) : answer };
  }

  private getExpiry(result: PageResult): Instant {
    return after(this.clock.now(), result.status === undefined ? FAILED_FOR : KNOWN_FOR);
  }

  private findFresh(key: string): HostProbe | undefined {
    const probe = this.known.get(key);
    return probe && probe.until > this.clock.now() ? probe : undefined;
  }

  /** Depends on the current time, so that no real page can exist at the probe's URL. */
  private createToken(url: string): string {
    return BigInt.asUintN(64, computeUrlKey(`${this.clock.now()} ${url}`)).toString(36);
  }

  private storeProbe(key: string, probe: HostProbe): void {
    this.known.delete(key);
    this.known.set(key, probe);
    if (this.known.size > MOST_HOSTS) this.known.delete(this.known.keys().next().value as string);
  }
}

const computeFingerprint = ({ outcome }: PageResult): PageFingerprint | undefined =>
  outcome.kind === 'document' ? outcome.facts.fingerprint : undefined;
