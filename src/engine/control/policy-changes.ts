import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import { instant } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { CrawlServices } from '../crawl/services.js';
import type { Rejudging } from './rejudging.js';

/** Has the stored URLs judged again when the policy is not the one that they were judged by, also across a restart. */
export class PolicyChanges {
  /** Judging under way, by crawler. */
  private readonly runs = new Map<string, AbortController>();
  /** What each crawler judges by in this process. */
  private readonly policies = new Map<string, string>();

  constructor(
    private readonly services: Pick<CrawlServices, 'store' | 'log' | 'clock' | 'partitions'>,
    private readonly rejudging: Rejudging,
  ) {}

  async look(crawler: Crawler, server: ServerDefinition): Promise<void> {
    const { store, clock, partitions } = this.services;
    const setting = `policy/${crawler.name}`;
    const policy = policyText(crawler.context.definition, server);
    const now = clock.now();
    const before = this.policies.get(crawler.name);
    this.policies.set(crawler.name, policy);
    const known = await store.getSetting(setting);
    const isNew = known !== policy || (before !== undefined && before !== policy);
    // At once, and never back: a page that is visited while the store is told, or on a node that heard of it late, is read again.
    if (isNew) crawler.policySince = now;
    if (!partitions.leads && known !== policy) return;
    const since = `policy-since/${crawler.name}`;
    if (isNew) await store.putSetting(since, String(now));
    else crawler.policySince = instant(Math.max(crawler.policySince, Number(await store.getSetting(since))));
    const unfinished = await this.rejudging.isUnfinished(crawler.name);
    if (!partitions.leads || (known === policy && !unfinished)) return;
    this.stop(crawler.name); // its progress would count as that of the next run
    if (known !== undefined && known !== policy) await store.putSetting(`rejudging/${crawler.name}`, '0');
    await store.putSetting(setting, policy);
    if (known !== undefined) this.judgeAgain(crawler);
  }

  stop(crawler: string): void {
    this.runs.get(crawler)?.abort();
  }

  stopAll(): void {
    for (const run of this.runs.values()) run.abort();
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

const PARTS = [
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

/** Everything that a verdict depends on, without the places in the file: moving a line changes no verdict. */
function policyText(crawler: CrawlerDefinition, server: ServerDefinition): string {
  const parts = Object.fromEntries(PARTS.map((part) => [part, crawler[part]]));
  const roots = crawler.roots.map(({ url, site, entireSite, followLinks, metas }) => {
    return { url, site, entireSite, followLinks, metas };
  });
  return JSON.stringify({ ...parts, roots, global: server.globalCrawlSpace }, (key, value: unknown) =>
    key === 'place' ? undefined : value,
  );
}
