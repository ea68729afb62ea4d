/**
 * What the scripts of pages of other sites may request from a host that is crawled. Such requests count in the pause of the
 * host, and its crawl space and rests apply to them.
 */
import { computeRequestDelay } from '../../../domain/politeness/politeness.js';
import { type Duration, milliseconds } from '../../../domain/time/units.js';
import { type CrawlUrl, getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { type CrawlContext, toStoredCandidate } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { ScriptPermit } from '../../ports/page-processor.js';
import type { Hosts } from './hosts.js';
import type { RobotsGate } from './robots-gate.js';

/** Layers that say which part of a site is crawled; others are about what can be a page at all. */
const SPACE_LAYERS: ReadonlySet<string | undefined> = new Set(['crawl-space', 'crawl-rules', 'server-records']);

/** Pages of other sites get one request in so many pauses, so that the host's own pages keep their turn. */
const PAUSES_PER_REQUEST = 10;

interface Services {
  readonly hosts: Pick<Hosts, 'peek' | 'recordRequestStartWithPermit'>;
  readonly robots: Pick<RobotsGate, 'findCrawlDelay'>;
  readonly clock: Pick<Clock, 'now'>;
}

export class ScriptRequests {
  constructor(
    private readonly services: Services,
    private readonly listContexts: () => readonly CrawlContext[],
  ) {}

  /** Judges a request that a page of another registrable domain is about to make; if it may, the crawl waits after it. */
  async judge(href: string, isScript: boolean): Promise<ScriptPermit> {
    const url = toCrawlUrl(href);
    const contexts = this.listContexts().filter(({ roots }) => roots.cover(url));
    if (contexts.length === 0) return {};
    const { hosts, clock } = this.services;
    const host = hosts.peek(getHostKey(url));
    if (host && (host.paused || host.isResting(clock.now()))) return { refusal: 'host-rests' };
    if (!isScript && contexts.every((context) => isOutside(context, url))) return { refusal: 'crawl-space' };
    const pause = milliseconds(Math.max(...contexts.map((context) => this.findPause(context, url))));
    if (host) await hosts.recordRequestStartWithPermit(host, pause);
    return { pause: milliseconds(pause * PAUSES_PER_REQUEST) };
  }

  private findPause({ definition, fetcher }: CrawlContext, url: CrawlUrl): Duration {
    if (definition.aggressive) return milliseconds(0);
    return computeRequestDelay(definition.throttle, this.services.robots.findCrawlDelay(url, fetcher.robotsAgent));
  }
}

function isOutside(context: CrawlContext, url: CrawlUrl): boolean {
  const candidate = toStoredCandidate({ discoveredVia: 'link', hops: 1 }, url, context.roots.findBySite(url));
  const verdict = context.policy.judge(candidate);
  return !verdict.accepted && !verdict.needsAddress && SPACE_LAYERS.has(verdict.layer);
}
