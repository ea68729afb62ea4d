import type { UrlId } from '../../domain/crawl/url-state.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Hosts } from '../crawl/hosts.js';
import { type HostView, NotFound, Unacceptable } from '../engine-api.js';
import type { FolderStep, FrontierStore, HostRecord } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import { pauseErrand } from './errands.js';
import type { HostNote, HostNotes } from './host-notes.js';
import type { WholeCrawl } from './whole-crawl.js';

interface HostServices {
  readonly store: FrontierStore;
  readonly hosts: Hosts;
  readonly notes: HostNotes;
  readonly whole: WholeCrawl;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  crawlers(): Crawler[];
}

type HostCounts = Awaited<ReturnType<FrontierStore['hosts']>>[number];

/** Web servers with their counts, politeness, robots.txt and health. */
export class HostViews {
  constructor(private readonly services: HostServices) {}

  async list(crawler: string, after: string | undefined, limit: number): Promise<HostView[]> {
    const rows = await this.services.store.hosts(crawler, after, limit);
    const { partitions, whole } = this.services;
    const own = rows.every(({ hostKey }) => partitions.owns(hostKey));
    return this.views(rows, own ? new Map() : await whole.hostNotes(crawler, after, limit));
  }

  /** Over all crawlers. */
  async one(hostKey: string): Promise<HostView> {
    const perCrawler = await Promise.all(this.services.crawlers().map(({ name }) => this.counts(name, hostKey)));
    const counts = perCrawler.reduce(
      (sum, one) => ({
        hostKey,
        urls: sum.urls + one.urls,
        indexed: sum.indexed + one.indexed,
        errors: sum.errors + one.errors,
        queued: sum.queued + one.queued,
      }),
      { hostKey, urls: 0, indexed: 0, errors: 0, queued: 0 },
    );
    if (counts.urls === 0 && !this.services.hosts.peek(hostKey))
      throw new NotFound(`no URL of the host ${hostKey} is known`);
    const { partitions, whole } = this.services;
    const note = partitions.owns(hostKey) ? undefined : await whole.hostNote(hostKey);
    return (await this.views([counts], new Map(note && [[hostKey, note]])))[0]!;
  }

  async folders(crawler: string, hostKey: string, folder: string, after: UrlId): Promise<FolderStep> {
    if (folder !== '' && !/^https?:\/\/[^/]+\/(?:.*\/)?$/s.test(folder))
      throw new Unacceptable(`${JSON.stringify(folder)} is no folder: give the beginning of a URL up to a slash`);
    return this.services.store.folders(crawler, hostKey, folder, after);
  }

  async pause(hostKey: string, paused: boolean): Promise<void> {
    await this.one(hostKey);
    if (!this.services.partitions.owns(hostKey)) {
      await this.services.nodes.send(pauseErrand(hostKey, paused));
      return;
    }
    this.services.hosts.pause(this.services.hosts.get(hostKey), paused);
    await this.services.hosts.save();
  }

  private async counts(crawler: string, hostKey: string): Promise<HostCounts> {
    const { store } = this.services;
    const [urls, indexed, errors, queued] = await Promise.all([
      store.count({ crawler, hostKey }),
      store.indexedOfHost(crawler, hostKey),
      store.count({ crawler, hostKey, status: 'error' }),
      store.count({ crawler, hostKey, queued: true }),
    ]);
    return { hostKey, urls, indexed, errors, queued };
  }

  /** `elsewhere`: what the nodes know that own the hosts. */
  private async views(rows: readonly HostCounts[], elsewhere: ReadonlyMap<string, HostNote>): Promise<HostView[]> {
    const { hosts, store } = this.services;
    const resting = rows.map(({ hostKey }) => hostKey).filter((hostKey) => !hosts.peek(hostKey));
    const stored = resting.length === 0 ? [] : await store.loadHosts(resting);
    const records = new Map(stored.map((record) => [record.hostKey, record]));
    return rows.map((row) => {
      const note = elsewhere.get(row.hostKey) ?? this.services.notes.of(row.hostKey);
      return { ...this.view(row, records.get(row.hostKey)), ...note };
    });
  }

  private view(counts: HostCounts, stored: HostRecord | undefined): Omit<HostView, keyof HostNote> & HostCounts {
    const { hostKey } = counts;
    const known = this.services.hosts.peek(hostKey);
    const record = known ? { ...known.politeness, paused: known.paused, visitPrice: known.visitPrice } : stored;
    return {
      ...counts,
      nextRequestAt: record?.nextRequestAt,
      backOffUntil: record?.backOffUntil,
      paused: record?.paused ?? false,
      visitPrice: record?.visitPrice,
    };
  }
}
