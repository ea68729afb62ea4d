import { SHORT_TEXTS } from '../../domain/content/shortfall.js';
import type { UrlId } from '../../domain/crawl/url-state.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import { toRenderPattern } from '../../domain/render/learning.js';
import { NEEDS_RENDERING } from '../../domain/render/needs-rendering.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import { createPauseCommand } from '../crawl/outcome/owner-commands.js';
import type { Override, RenderedVisits, RenderPatternView } from '../crawl/visit/rendered-visits.js';
import type { Clock } from '../ports/clock.js';
import type { FolderStep, FrontierStore, HostRecord } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import { WeighedCache } from '../support/weighed-cache.js';
import { type HostView } from '../views/host-views.js';
import type { HostNote, HostNotes } from './host-notes.js';

interface HostServices extends Pick<Ports, 'store' | 'partitions' | 'nodes'> {
  readonly hosts: Hosts;
  readonly notes: HostNotes;
  readonly cluster: ClusterView;
  readonly clock: Pick<Clock, 'now'>;
  readonly rendered: Pick<RenderedVisits, 'listPatterns' | 'overrides'>;
  readonly crawlers: Pick<Crawlers, 'get' | 'list'>;
}

/** What is missing in documents of a host that are in the index. */
type DocumentDefects = Pick<HostView, 'needRendering' | 'shortTexts'>;

const RECOUNT_INTERVAL = seconds(60);

type HostCounts = Awaited<ReturnType<FrontierStore['listHosts']>>[number];

/** Web servers with their counts, politeness, robots.txt and health. */
export class HostViews {
  private readonly defectsCache = new WeighedCache<string, { until: Instant; found: DocumentDefects }>(1_000, 1_000);

  constructor(private readonly services: HostServices) {}

  async list(crawler: string, after: string | undefined, limit: number): Promise<HostView[]> {
    const { partitions, cluster, crawlers, store } = this.services;
    const rows = await store.listHosts(crawlers.get(crawler).name, after, limit);
    const ownsAll = rows.every(({ hostKey }) => partitions.owns(hostKey));
    return this.toViews(rows, ownsAll ? new Map() : await cluster.listHostNotes(crawler, after, limit));
  }

  /**
   * Counts the URLs of all crawlers.
   * @throws NotFound
   */
  async get(hostKey: string): Promise<HostView> {
    const perCrawler = await Promise.all(
      this.services.crawlers.list().map(({ name }) => this.countUrls(name, hostKey)),
    );
    const counts = perCrawler.reduce(
      (sum, crawlerCounts) => ({
        hostKey,
        urls: sum.urls + crawlerCounts.urls,
        indexed: sum.indexed + crawlerCounts.indexed,
        errors: sum.errors + crawlerCounts.errors,
        queued: sum.queued + crawlerCounts.queued,
      }),
      { hostKey, urls: 0, indexed: 0, errors: 0, queued: 0 },
    );
    if (counts.urls === 0 && !this.services.hosts.peek(hostKey))
      throw new NotFound(`no URL of the host ${hostKey} is known`);
    const { partitions, cluster } = this.services;
    const note = partitions.owns(hostKey) ? undefined : await cluster.getHostNote(hostKey);
    const [view] = await this.toViews([counts], new Map(note && [[hostKey, note]]));
    return { ...view!, ...(await this.findDefects(hostKey)) };
  }

  /** Counts at most once a minute, because counting reads all URLs of the host. */
  private async findDefects(hostKey: string): Promise<DocumentDefects> {
    const now = this.services.clock.now();
    const cached = this.defectsCache.get(hostKey);
    if (cached && cached.until > now) return cached.found;
    const shortTexts: Record<string, number> = {};
    for (const reason of SHORT_TEXTS) {
      const found = await this.countReason(hostKey, reason);
      if (found) shortTexts[reason] = found.documents;
    }
    const found = {
      needRendering: await this.countReason(hostKey, NEEDS_RENDERING),
      ...(Object.keys(shortTexts).length > 0 ? { shortTexts } : {}),
    };
    this.defectsCache.set(hostKey, { until: after(now, RECOUNT_INTERVAL), found }, 1);
    return found;
  }

  private async countReason(hostKey: string, reason: ReasonCode): Promise<HostView['needRendering']> {
    const { store } = this.services;
    let documents = 0;
    let sample: string | undefined;
    for (const { name } of this.services.crawlers.list()) {
      const filter = { crawler: name, hostKey, reason } as const;
      const [first] = await store.list(filter, 0, 1);
      if (!first) continue;
      sample ??= first.url;
      documents += await store.count(filter);
    }
    return documents === 0 ? undefined : { documents, sample };
  }

  /**
   * Lists the contents of a folder that one step finds.
   * @param folder ends with a slash, or is empty for the whole host
   * @throws NotFound, Unacceptable
   */
  async listFolders(crawler: string, hostKey: string, folder: string, after: UrlId): Promise<FolderStep> {
    if (folder !== '' && !/^https?:\/\/[^/]+\/(?:.*\/)?$/s.test(folder))
      throw new Unacceptable(
        `${JSON.stringify(folder)} is not a folder; enter the beginning of a URL, up to and including a slash`,
      );
    return this.services.store.listFolders(this.services.crawlers.get(crawler).name, hostKey, folder, after);
  }

  async setPaused(hostKey: string, paused: boolean): Promise<void> {
    await this.get(hostKey);
    if (!this.services.partitions.owns(hostKey)) {
      await this.services.nodes.send(createPauseCommand(hostKey, paused));
      return;
    }
    await this.services.hosts.setPaused({ key: hostKey }, paused);
    await this.services.hosts.save();
  }

  /** Lists what `render="auto"` has learned about the host's pages, and what an operator has decided about them. */
  async viewRendering(hostKey: string): Promise<readonly RenderPatternView[]> {
    const { partitions, rendered, cluster } = this.services;
    return partitions.owns(hostKey) ? rendered.listPatterns(hostKey) : cluster.viewRendering(hostKey);
  }

  /**
   * @param patternOrUrl a pattern from the list, or a page's URL
   * @param override undefined restores what has been learned
   * @throws Unacceptable
   */
  async overruleRendering(hostKey: string, patternOrUrl: string, override: Override | undefined): Promise<void> {
    const pattern = /^https?:\/\//.test(patternOrUrl) ? toRenderPattern(patternOrUrl) : patternOrUrl;
    if (!pattern.startsWith('/'))
      throw new Unacceptable(
        `${JSON.stringify(patternOrUrl)} is neither a pattern from the list, such as /product/N, nor a URL`,
      );
    await this.services.rendered.overrides.set(hostKey, pattern, override);
  }

  private async countUrls(crawler: string, hostKey: string): Promise<HostCounts> {
    const { store } = this.services;
    const [urls, indexed, errors, queued] = await Promise.all([
      store.count({ crawler, hostKey }),
      store.countIndexedOfHost(crawler, hostKey),
      store.count({ crawler, hostKey, status: 'error' }),
      store.count({ crawler, hostKey, queued: true }),
    ]);
    return { hostKey, urls, indexed, errors, queued };
  }

  /** @param remoteNotes what the nodes that own the other hosts know */
  private async toViews(rows: readonly HostCounts[], remoteNotes: ReadonlyMap<string, HostNote>): Promise<HostView[]> {
    const { hosts, store } = this.services;
    const unloadedKeys = rows.map(({ hostKey }) => hostKey).filter((hostKey) => !hosts.peek(hostKey));
    const storedRecords = unloadedKeys.length === 0 ? [] : await store.loadHosts(unloadedKeys);
    const records = new Map(storedRecords.map((record) => [record.hostKey, record]));
    return rows.map((row) => {
      const note = remoteNotes.get(row.hostKey) ?? this.services.notes.get(row.hostKey);
      return { ...this.toView(row, records.get(row.hostKey)), ...note };
    });
  }

  private toView(
    counts: HostCounts,
    storedRecord: HostRecord | undefined,
  ): Omit<HostView, keyof HostNote> & HostCounts {
    const { hostKey } = counts;
    const host = this.services.hosts.peek(hostKey);
    const record = host ? { ...host.politeness, paused: host.paused, visitPrice: host.visitPrice } : storedRecord;
    return {
      ...counts,
      nextRequestAt: record?.nextRequestAt,
      backOffUntil: record?.backOffUntil,
      paused: record?.paused ?? false,
      visitPrice: record?.visitPrice,
    };
  }
}
