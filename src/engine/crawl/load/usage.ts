/**
 * What each crawler uses, by day (UTC). It is counted in memory and written to the store at most every half minute, so a
 * crash loses half a minute of it. Several nodes each write what they have used themselves.
 */
import { formatIsoTime } from '../../../domain/time/http-date.js';
import { after, type Duration, type Instant, instant, milliseconds, seconds } from '../../../domain/time/units.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { Nodes } from '../../ports/nodes.js';
import type { Ports } from '../../ports/ports.js';

const SAVE_INTERVAL = seconds(30);
const DAY_MS = 86_400_000;
const PREFIX = 'usage/';
/** Number of days for which usage is kept. */
const USAGE_DAYS = 400;

export interface UsageCounts {
  readonly visits: number;
  /** Bytes received. */
  readonly bytes: number;
  /** Time for rendering pages. */
  readonly rendering: Duration;
  /** Numbers of stored URLs and of documents in the index when the crawler last worked on that day. */
  readonly urls: number;
  readonly documents: number;
}

export interface UsageEntry extends UsageCounts {
  /** Like 2026-03-09. */
  readonly day: string;
  readonly crawler: string;
}

export interface UsageFilter {
  /** The first and the last day, like 2026-03-09. */
  readonly from: string;
  readonly to: string;
  /** Absent for all. */
  readonly crawlers?: ReadonlySet<string>;
}

interface UsageServices extends Pick<Ports, 'clock' | 'log'> {
  readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting' | 'listSettings' | 'countByStatus'>;
  readonly nodes: Pick<Nodes, 'name'>;
}

type Counters = { -readonly [K in keyof UsageCounts]: UsageCounts[K] };

const NOTHING: UsageCounts = { visits: 0, bytes: 0, rendering: milliseconds(0), urls: 0, documents: 0 };

export class Usage {
  /** What this node has used, by day and crawler, as far as it is of today or not saved yet. */
  private readonly own = new Map<string, Counters>();
  private readonly unsaved = new Set<string>();
  /** What other nodes, and earlier processes of a cluster, have used today, by crawler. */
  private others = new Map<string, UsageCounts>();
  private othersDay = '';
  /** The last day that was asked for: nearly always today, and each visit asks. */
  private day = { number: 0, name: toDay(instant(0)) };
  private cancelTimer: (() => void) | undefined;
  private saving: Promise<void> | undefined;
  /** Called after each save. */
  onSaved: () => Promise<void> = async () => undefined;

  constructor(private readonly services: UsageServices) {}

  /** Loads what has been used today. */
  async open(): Promise<void> {
    const day = this.today;
    const others = new Map<string, UsageCounts>();
    for (const [setting, text] of await this.services.store.listSettings(`${PREFIX}${day}/`)) {
      const { crawler, node } = parseName(setting);
      const counts: UsageCounts = { ...NOTHING, ...JSON.parse(text) };
      const key = toKey(day, crawler);
      if (node !== this.services.nodes.name) others.set(crawler, add(others.get(crawler) ?? NOTHING, counts));
      else if (!this.own.has(key)) this.own.set(key, { ...counts });
    }
    this.others = others;
    this.othersDay = day;
  }

  get today(): string {
    const now = this.services.clock.now();
    const number = Math.floor(now / DAY_MS);
    if (number !== this.day.number) this.day = { number, name: toDay(now) };
    return this.day.name;
  }

  get endOfToday(): Instant {
    return instant((Math.floor(this.services.clock.now() / DAY_MS) + 1) * DAY_MS);
  }

  note(crawler: string, used: { readonly bytes: number; readonly rendering: Duration }): void {
    const key = toKey(this.today, crawler);
    const counters = this.own.get(key) ?? { ...NOTHING };
    if (counters.visits === 0) this.own.set(key, counters);
    counters.visits++;
    counters.bytes += used.bytes;
    counters.rendering = milliseconds(counters.rendering + used.rendering);
    this.unsaved.add(key);
    this.saveSoon();
  }

  /** What all nodes have used today, as far as this one knows. */
  getToday(crawler: string): Pick<UsageCounts, 'bytes' | 'rendering'> {
    const own = this.own.get(toKey(this.today, crawler)) ?? NOTHING;
    const others = (this.othersDay === this.today ? this.others.get(crawler) : undefined) ?? NOTHING;
    return { bytes: own.bytes + others.bytes, rendering: milliseconds(own.rendering + others.rendering) };
  }

  /** Lists what was used, by day and crawler. */
  async list({ from, to, crawlers }: UsageFilter): Promise<UsageEntry[]> {
    await this.save();
    const merged = new Map<string, UsageEntry>();
    const prefix = from === to ? `${PREFIX}${from}/` : PREFIX;
    for (const [setting, text] of await this.services.store.listSettings(prefix)) {
      const { day, crawler } = parseName(setting);
      if (day < from || day > to || (crawlers && !crawlers.has(crawler))) continue;
      const key = toKey(day, crawler);
      const counts = add(merged.get(key) ?? NOTHING, { ...NOTHING, ...JSON.parse(text) });
      merged.set(key, { day, crawler, ...counts });
    }
    return [...merged.values()].sort((a, b) => (toKey(a.day, a.crawler) < toKey(b.day, b.crawler) ? -1 : 1));
  }

  /** Forgets what is older than it is kept for. */
  async prune(): Promise<void> {
    const { store, clock } = this.services;
    const oldest = toDay(instant(clock.now() - USAGE_DAYS * DAY_MS));
    for (const setting of (await store.listSettings(PREFIX)).keys())
      if (parseName(setting).day < oldest) await store.putSetting(setting, undefined);
  }

  /** Writes what has not been written yet. */
  async save(): Promise<void> {
    await this.saving;
    this.saving = this.write().finally(() => {
      this.saving = undefined;
    });
    await this.saving;
  }

  async close(): Promise<void> {
    this.cancelTimer?.();
    await this.save().catch(() => undefined);
    this.cancelTimer?.();
  }

  private saveSoon(): void {
    const { clock, log } = this.services;
    this.cancelTimer ??= clock.at(after(clock.now(), SAVE_INTERVAL), () => {
      this.cancelTimer = undefined;
      this.save().catch((error: unknown) => {
        log.warn('what crawlers have used could not be saved; trying again', { error: String(error) });
        this.saveSoon();
      });
    });
  }

  private async write(): Promise<void> {
    const { store, nodes } = this.services;
    for (const key of [...this.unsaved]) {
      const [day, crawler] = splitKey(key);
      const { byStatus, indexed } = await store.countByStatus(crawler);
      const counters = this.own.get(key)!;
      counters.urls = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
      counters.documents = indexed;
      this.unsaved.delete(key);
      try {
        await store.putSetting(toName(day, crawler, nodes.name), JSON.stringify(counters));
      } catch (error) {
        this.unsaved.add(key);
        throw error;
      }
    }
    for (const key of this.own.keys())
      if (splitKey(key)[0] !== this.today && !this.unsaved.has(key)) this.own.delete(key);
    if (nodes.name !== '') await this.open();
    await this.onSaved();
  }
}

/** Adds up what nodes have used. Each counts all stored URLs, so that is the same number on each. */
const add = (a: UsageCounts, b: UsageCounts): UsageCounts => ({
  visits: a.visits + b.visits,
  bytes: a.bytes + b.bytes,
  rendering: milliseconds(a.rendering + b.rendering),
  urls: Math.max(a.urls, b.urls),
  documents: Math.max(a.documents, b.documents),
});

const toDay = (at: Instant): string => formatIsoTime(at).slice(0, 10);
const toKey = (day: string, crawler: string): string => `${day} ${crawler}`;
const splitKey = (key: string): [day: string, crawler: string] => [key.slice(0, 10), key.slice(11)];

const toName = (day: string, crawler: string, node: string): string => `${PREFIX}${day}/${crawler}/${node}`;

function parseName(setting: string): { day: string; crawler: string; node: string } {
  const [day = '', crawler = '', node = ''] = setting.slice(PREFIX.length).split('/');
  return { day, crawler, node };
}
