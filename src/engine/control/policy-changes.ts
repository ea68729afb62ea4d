import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import { instant } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { CrawlServices } from '../crawl/services.js';
import type { Rejudging } from './rejudging.js';

/**
 * Has the stored URLs judged again when the policy is not the one that they were judged by, and each page read again when it
 * would be read otherwise now; also across a restart.
 */
export class PolicyChanges {
  /** Judging under way, by crawler. */
  private readonly runs = new Map<string, AbortController>();
  /** What each crawler judges and reads by in this process, by the name of the setting. */
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly services: Pick<CrawlServices, 'store' | 'log' | 'clock' | 'partitions'>,
    private readonly rejudging: Rejudging,
  ) {}

  async look(crawler: Crawler, server: ServerDefinition): Promise<void> {
    const { store, clock, partitions } = this.services;
    const { definition } = crawler.context;
    const now = clock.now();
    const [policy, reading, refresh] = await Promise.all([
      this.compare(`policy/${crawler.name}`, policyText(definition, server)),
      this.compare(`reading/${crawler.name}`, partsText(definition, READING)),
      this.compare(`refresh/${crawler.name}`, partsText(definition, ['refresh'])),
    ]);
    const isNew = policy.isNew || (reading.isNew && reading.known !== undefined);
    // At once, and never back: a page that is visited while the store is told, or on a node that heard of it late, is read again.
    if (isNew) crawler.policySince = now;
    if (!partitions.leads && !(policy.isStored && reading.isStored)) return;
    const since = `policy-since/${crawler.name}`;
    if (isNew) await store.putSetting(since, String(now));
    else crawler.policySince = instant(Math.max(crawler.policySince, Number(await store.getSetting(since))));
    if (!partitions.leads) return;
    if (!reading.isStored) await store.putSetting(reading.setting, reading.text);
    const unfinished = await this.rejudging.isUnfinished(crawler.name);
    const changed = [policy, refresh].some(({ known, isStored }) => known !== undefined && !isStored);
    if (policy.isStored && refresh.isStored && !unfinished) return;
    this.stop(crawler.name); // its progress would count as that of the next run
    if (changed) await store.putSetting(`rejudging/${crawler.name}`, '0');
    for (const part of [policy, refresh]) await store.putSetting(part.setting, part.text);
    if (changed || unfinished) this.judgeAgain(crawler);
  }

  stop(crawler: string): void {
    this.runs.get(crawler)?.abort();
  }

  stopAll(): void {
    for (const run of this.runs.values()) run.abort();
  }

  private async compare(setting: string, text: string) {
    const before = this.texts.get(setting);
    this.texts.set(setting, text);
    const known = await this.services.store.getSetting(setting);
    const isStored = known === text;
    return { setting, text, known, isStored, isNew: !isStored || (before !== undefined && before !== text) };
  }

  private judgeAgain(crawler: Crawler): void {
    const run = new AbortController();
    this.runs.set(crawler.name, run);
    this.rejudging.apply(crawler, run.signal).catch((error: unknown) => {
      this.services.log.error('judging the stored URLs again failed; it goes on after a restart', {
        crawler: crawler.name,
        error: String(error),
      });
    });
  }
}

/** What a verdict depends on, together with the roots and the global crawl space. */
const JUDGING = [
  'name',
  'defaultAccept',
  'defaultIndex',
  'defaultFollow',
  'defaultFollowRoots',
  'rules',
  'linkRules',
  'crawlSpace',
  'servers',
  'conditions',
  'traps',
] as const satisfies readonly (keyof CrawlerDefinition)[];

/** What decides, beside its verdict, what comes of a page: one that has not changed would tell nothing of a change here. */
const READING = [
  'ignoreRobotsTxt',
  'storeTextOnly',
  'mimeTypes',
  'mimeTypesMode',
  'crawlSitemaps',
  'nearDuplicateDetector',
  'indexRedirectSources',
  'canonicalization',
  'softErrors',
  'probeErrorPages',
] as const satisfies readonly (keyof CrawlerDefinition)[];

function policyText(crawler: CrawlerDefinition, server: ServerDefinition): string {
  const roots = crawler.roots.map(({ url, site, entireSite, followLinks, metas }) => {
    return { url, site, entireSite, followLinks, metas };
  });
  return partsText(crawler, JUDGING, { roots, global: server.globalCrawlSpace });
}

/** Without the places in the file: moving a line changes nothing. */
function partsText(crawler: CrawlerDefinition, names: readonly (keyof CrawlerDefinition)[], more: object = {}): string {
  const parts = Object.fromEntries(names.map((name) => [name, crawler[name]]));
  return JSON.stringify({ ...parts, ...more }, (key, value: unknown) => (key === 'place' ? undefined : value));
}
