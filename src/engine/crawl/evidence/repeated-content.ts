/** Learns per host which blocks of text stand on most of its pages, for crawlers whose `cw:Content` leaves them out. */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { RepeatedBlocks, type StoredBlocks } from '../../../domain/content/repeated-blocks.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings } from '../../ports/frontier-store.js';
import type { PageResult } from '../../ports/page-task.js';

/** Maximum number of hosts in memory, about 50 KB each; the others are in the store. */
const MAX_HOSTS = 200;
/** What a host's pages say is stored after so many of them, and whenever something has been learned or forgotten. */
const STORED_AFTER = 16;

interface HostBlocks {
  readonly blocks: RepeatedBlocks;
  /** When blocks were last learned or forgotten. */
  since: Instant | undefined;
  unstored: number;
}

type StoredHost = StoredBlocks & Pick<HostBlocks, 'since'>;

export interface RepeatedContentServices {
  readonly store: Pick<Settings, 'getSetting' | 'putSetting'>;
  readonly clock: Pick<Clock, 'now'>;
}

export class RepeatedContent {
  private readonly hosts = new BoundedMap<string, Promise<HostBlocks>>(MAX_HOSTS);

  constructor(
    private readonly crawler: string,
    private readonly services: RepeatedContentServices,
    private readonly getDefinition: () => Pick<CrawlerDefinition, 'contents'>,
  ) {}

  /** Whether the crawler leaves out repeated blocks. */
  get isOn(): boolean {
    return this.getDefinition().contents?.some(({ omitRepeated }) => omitRepeated) ?? false;
  }

  /**
   * Returns the hashes of the blocks to leave out of the host's pages, undefined if the crawler does not ask for it, and
   * when they last changed: a page that was read before must be read again, even if it has not changed.
   */
  async find(
    hostKey: string,
  ): Promise<{ readonly blocks: Int32Array; readonly since: Instant | undefined } | undefined> {
    if (!this.isOn) return undefined;
    const { blocks, since } = await this.load(hostKey);
    return { blocks: blocks.learned, since };
  }

  /** Records what a visit has found. */
  async note(
    { id, hostKey }: Pick<UrlState, 'id' | 'hostKey'>,
    { outcome, blocks, status }: PageResult,
  ): Promise<void> {
    if (!this.isOn) return;
    const isPassing = outcome.kind === 'error' && status !== 404 && status !== 410;
    if (outcome.kind === 'unchanged' || isPassing) return;
    const host = await this.load(hostKey);
    const isDocument = outcome.kind === 'document' && outcome.index;
    const change = isDocument && blocks ? host.blocks.record(id, blocks) : host.blocks.forget(id);
    if (change === 'none') return;
    if (change === 'learned') host.since = this.services.clock.now();
    if (++host.unstored < STORED_AFTER && change === 'sample') return;
    host.unstored = 0;
    const stored: StoredHost = { ...host.blocks.toStored(), since: host.since };
    await this.services.store.putSetting(this.getSettingName(hostKey), JSON.stringify(stored));
  }

  /** To be called when hosts have been taken over from another node: what is known about them is read again. */
  reset(): void {
    this.hosts.clear();
  }

  private load(hostKey: string): Promise<HostBlocks> {
    const known = this.hosts.get(hostKey) ?? this.readStored(hostKey);
    this.hosts.set(hostKey, known);
    known.catch(() => this.hosts.delete(hostKey));
    return known;
  }

  private async readStored(hostKey: string): Promise<HostBlocks> {
    const text = await this.services.store.getSetting(this.getSettingName(hostKey));
    const stored = text === undefined ? undefined : (JSON.parse(text) as StoredHost);
    return { blocks: new RepeatedBlocks(stored), since: stored?.since, unstored: 0 };
  }

  private getSettingName(hostKey: string): string {
    return `repeated/${this.crawler}/${hostKey}`;
  }
}
