/**
 * Brings back URLs that were removed after errors when a live page that links to them is visited. A page that has
 * changed, or is read for the first time, reports its links. For an unchanged page, the keys of its links are
 * remembered from the first such visit on, if the crawler has removed URLs; other crawlers incur no cost.
 */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { after, type Instant, instant, seconds } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { type CrawlContext, findRoot } from '../../page/crawl-context.js';
import { LinkCollector } from '../../page/link-collector.js';
import { LinkMemory } from '../../page/link-memory.js';
import type { Clock } from '../../ports/clock.js';
import type { PageLinks, UrlCatalog } from '../../ports/frontier-store.js';
import type { DiscoveredLink, PageResult, PageTask } from '../../ports/page-task.js';

/** Another node may remove the crawler's first URL, so the store is queried again after this time. */
const RECHECK_INTERVAL = seconds(10);

type Task = Pick<PageTask, 'etag' | 'lastModified' | 'stamp' | 'rereadLinks' | 'now'>;

export class Rediscovery {
  private hasRemoved = false;
  private recheckAt: Instant = instant(0);
  /** By visit in flight: the remembered links; absent if the visit is to report all links. */
  private readonly visits = new WeakMap<UrlState, { readonly at: Instant; readonly links?: PageLinks }>();

  constructor(
    private readonly crawler: string,
    private readonly services: {
      readonly store: Pick<UrlCatalog, 'count' | 'getLinks' | 'findRemoved'>;
      readonly clock: Clock;
    },
    /** Whether there are URLs that are requested again when they are linked. */
    private readonly areAwaitingLinks: () => boolean = () => false,
  ) {}

  /** To be called when a URL's status has become removed on this node. */
  noteRemoval(): void {
    this.hasRemoved = true;
    this.recheckAt = after(this.services.clock.now(), RECHECK_INTERVAL);
  }

  /**
   * Decides whether this visit must read the page in full and report all its links, including those reported before.
   */
  needsAllLinks(state: UrlState, task: Task, policySince: Instant): false | Promise<boolean> {
    this.visits.delete(state);
    return state.lastVisitAt !== undefined && this.compareLinks(state, task, policySince);
  }

  private async compareLinks(state: UrlState, task: Task, policySince: Instant): Promise<boolean> {
    if (!((await this.hasAnyRemoved()) || this.areAwaitingLinks())) return false;
    const links = task.rereadLinks ? undefined : await this.services.store.getLinks(state.id);
    const isCurrent = links !== undefined && links.at > policySince && isForThisVersion(links, task);
    this.visits.set(state, isCurrent ? { at: task.now, links } : { at: task.now });
    return !isCurrent;
  }

  /** Finds the removed URLs that the unchanged page links to. */
  findLinked(
    state: UrlState,
    { outcome }: PageResult,
    context: CrawlContext,
  ): readonly DiscoveredLink[] | Promise<readonly DiscoveredLink[]> {
    const links = this.visits.get(state)?.links;
    const isUnchanged =
      outcome.kind === 'unchanged' || (outcome.kind === 'document' && outcome.facts.stamp === links?.stamp);
    return links && isUnchanged ? this.findRemoved(state, links, context) : [];
  }

  private async findRemoved(
    state: UrlState,
    links: PageLinks,
    context: CrawlContext,
  ): Promise<readonly DiscoveredLink[]> {
    const removedUrls = await this.services.store.findRemoved(this.crawler, links.keys);
    if (removedUrls.length === 0) return [];
    const url = toCrawlUrl(state.url);
    const page = { url, root: findRoot(context, state.root, url), hops: state.hops };
    const collector = new LinkCollector(context, new LinkMemory(), page);
    for (const removedUrl of removedUrls) collector.addUrl(toCrawlUrl(removedUrl.url), 'link');
    const metas = new Map(removedUrls.map((removedUrl) => [removedUrl.url, removedUrl.inheritedMetas]));
    return collector.links.map((link) => ({ ...link, inheritedMetas: metas.get(link.url) }));
  }

  /** The keys of the URLs that the visited page links to, as far as they are known. */
  getLinkKeys(state: UrlState, { outcome, links }: PageResult): readonly bigint[] {
    const remembered = this.visits.get(state)?.links;
    const isUnchanged =
      outcome.kind === 'unchanged' || (outcome.kind === 'document' && outcome.facts.stamp === remembered?.stamp);
    if (remembered && isUnchanged) return [...remembered.keys];
    return outcome.kind === 'document' ? links.map(({ key }) => key) : [];
  }

  /** The links to remember of a page that has reported them all. */
  selectLinksToRemember(state: UrlState, { outcome, links }: PageResult): PageLinks | undefined {
    const visit = this.visits.get(state);
    if (!visit || visit.links || outcome.kind !== 'document') return undefined;
    const { stamp, etag, lastModified } = outcome.facts;
    const keys = BigInt64Array.from(
      links.filter(({ discoveredVia }) => discoveredVia === 'link').map(({ key }) => key),
    );
    return { at: visit.at, stamp, validators: joinValidators(etag, lastModified), keys };
  }

  private async hasAnyRemoved(): Promise<boolean> {
    const now = this.services.clock.now();
    if (now >= this.recheckAt) {
      this.recheckAt = after(now, RECHECK_INTERVAL);
      this.hasRemoved = (await this.services.store.count({ crawler: this.crawler, status: 'removed' })) > 0;
    }
    return this.hasRemoved;
  }
}

const joinValidators = (etag = '', lastModified = ''): string => `${etag}\n${lastModified}`;

/** Whether a "not modified" response would refer to the content from which these links were read. */
function isForThisVersion(links: PageLinks, { etag, lastModified, stamp }: Task): boolean {
  if (stamp !== undefined && stamp !== links.stamp) return false;
  const isConditional = etag !== undefined || lastModified !== undefined;
  return !isConditional || joinValidators(etag, lastModified) === links.validators;
}
