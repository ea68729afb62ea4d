import { createHash } from 'node:crypto';
import { ACL_FORM, isDecidedByRules } from '../../domain/content/acl.js';
import { listConfigurationCauses } from '../../domain/crawl/configuration-causes.js';
import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import { covers } from '../../domain/crawl/quota-definition.js';
import { AWAITING_TARGET } from '../../domain/crawl/revisit.js';
import { REFRESH as REFRESH_SOURCE } from '../../domain/frontier/sources.js';
import { Secret } from '../../domain/secret.js';
import { runWithPauses, writeJsonInSteps } from '../../domain/steps.js';
import { milliseconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Ports } from '../ports/ports.js';
import type { Backfills } from './backfills.js';
import type { Rejudging } from './rejudging.js';
import { adoptStoredRereading, storeRereading } from './rereading.js';

export type ChangeServices = Pick<Ports, 'store' | 'log' | 'clock' | 'partitions'>;

/** A digest of part of a crawler's definition, compared with the one that the store and this process knew. */
interface StoredDigest {
  readonly setting: string;
  readonly digest: string;
  readonly storedDigest: string | undefined;
  readonly isStored: boolean;
  /** True if the part is new to the store or has changed since this process last saw it. */
  readonly isNew: boolean;
}

/**
 * Has stored URLs judged again if the policy has changed since they were judged, and pages read again if they would now
 * be read differently. Changes made while the server was stopped are detected, too.
 */
export class PolicyChanges {
  /** Rejudging runs in progress, by crawler. */
  private readonly runs = new Map<string, AbortController>();
  /** Digests of the rules by which this process judges URLs and reads pages, by the name of their setting. */
  private readonly digests = new Map<string, string>();
  /** Crawlers whose configuration has been in force since this process started. */
  private readonly started = new Set<string>();

  constructor(
    private readonly services: ChangeServices,
    private readonly rejudging: Rejudging,
    private readonly backfills: Pick<Backfills, 'sendChangedAccess'>,
  ) {}

  async apply(crawler: Crawler, server: ServerDefinition): Promise<void> {
    const { store, clock, partitions } = this.services;
    const { definition } = crawler.context;
    const now = clock.now();
    const acl = await this.compareDigest(
      `acl/${crawler.name}`,
      await this.digestParts(definition, ['acl'], definition.acl && { form: ACL_FORM }),
    );
    const wasNeverSet = acl.storedDigest === undefined && definition.acl === undefined;
    // The visits in flight deliver the former principals. Every node does this for its own.
    if (acl.isNew && !wasNeverSet) crawler.noteRequested(crawler.urlsInFlight.map(({ id }) => id));
    const [policy, reading, refresh] = await Promise.all([
      this.compareDigest(`policy/${crawler.name}`, await this.digestPolicy(definition, server)),
      this.compareDigest(`reading/${crawler.name}`, await this.digestParts(definition, READING)),
      this.compareDigest(
        `refresh/${crawler.name}`,
        await this.digestParts(definition, [...REFRESH, 'canonicalization'], { urlForm: URL_FORM }),
      ),
    ]);
    await this.visitWaitingRedirects(crawler);
    await this.retryFailures(crawler, server);
    const isNew = policy.isNew || (reading.isNew && reading.storedDigest !== undefined);
    // Takes effect at once and is never undone, so that a page visited during the update, or on a node that learns of
    // the change late, is read again.
    if (isNew) crawler.rereadLinksSince(now);
    if (!partitions.isLeader && !(policy.isStored && reading.isStored)) return;
    if (isNew) await storeRereading(crawler, store);
    else await adoptStoredRereading(crawler, store);
    if (!partitions.isLeader) return;
    if (!acl.isStored && !wasNeverSet) await this.scheduleVisits(crawler, acl, reading.storedDigest !== undefined);
    if (!reading.isStored) await store.putSetting(reading.setting, reading.digest);
    const unfinished = await this.rejudging.isUnfinished(crawler.name);
    const hasChanged = [policy, refresh].some(({ storedDigest, isStored }) => storedDigest !== undefined && !isStored);
    if (policy.isStored && refresh.isStored && !unfinished) return;
    this.stop(crawler.name); // its progress would be mistaken for that of the next run
    if (hasChanged) await store.putSetting(`rejudging/${crawler.name}`, '0');
    for (const part of [policy, refresh]) await store.putSetting(part.setting, part.digest);
    if (hasChanged || unfinished) this.rejudgeUrls(crawler);
  }

  /** Judges the stored URLs again although no rule has changed, because there are new ones among them. */
  async judgeAgain(crawler: Crawler): Promise<void> {
    this.stop(crawler.name);
    await this.services.store.putSetting(`rejudging/${crawler.name}`, '0');
    this.rejudgeUrls(crawler);
  }

  /** What a redirect waits for is kept in memory only, so after a start its page is visited again. */
  private async visitWaitingRedirects(crawler: Crawler): Promise<void> {
    if (this.started.has(crawler.name)) return;
    this.started.add(crawler.name);
    const { store, clock } = this.services;
    const now = clock.now();
    const filter = { crawler: crawler.name, status: 'redirected', reasons: [AWAITING_TARGET] } as const;
    if ((await store.makeDue(filter, now, REFRESH_SOURCE)) > 0) await crawler.sweep(now);
  }

  /** Visits again what failed because of a part of the configuration that has changed. */
  private async retryFailures(crawler: Crawler, server: ServerDefinition): Promise<void> {
    const { store, clock, partitions } = this.services;
    for (const { name, reasons, settings } of listConfigurationCauses(crawler.context.definition, server)) {
      const part = await this.compareDigest(`cause-${name}/${crawler.name}`, await this.digest(settings));
      if (part.isNew && part.storedDigest !== undefined) {
        // Visits in flight may still fail under the former configuration.
        crawler.retryInFlight(reasons);
        const now = clock.now();
        if (!part.isStored && partitions.isLeader)
          await store.makeDue({ crawler: crawler.name, reasons }, now, REFRESH_SOURCE);
        await crawler.sweep(now);
      }
      if (!part.isStored && partitions.isLeader) await store.putSetting(part.setting, part.digest);
    }
  }

  /**
   * A change in who may see documents must not wait for the next regular visit. If rules alone decide that, and the
   * sinks can return their documents, no page is fetched.
   */
  private async scheduleVisits(crawler: Crawler, acl: StoredDigest, hasCrawled: boolean): Promise<void> {
    const { store, clock } = this.services;
    const rules = crawler.context.definition.acl;
    const needsNoPage = rules !== undefined && isDecidedByRules(rules);
    if (hasCrawled && !(needsNoPage && (await this.backfills.sendChangedAccess(crawler)))) {
      const now = clock.now();
      await store.makeDue({ crawler: crawler.name, status: 'indexed' }, now, REFRESH_SOURCE);
      await crawler.sweep(now);
    }
    await store.putSetting(acl.setting, acl.digest);
  }

  stop(crawler: string): void {
    this.runs.get(crawler)?.abort();
  }

  stopAll(): void {
    for (const run of this.runs.values()) run.abort();
  }

  private async compareDigest(setting: string, digest: string): Promise<StoredDigest> {
    const previousDigest = this.digests.get(setting);
    this.digests.set(setting, digest);
    const storedDigest = await this.services.store.getSetting(setting);
    const isStored = storedDigest === digest;
    return {
      setting,
      digest,
      storedDigest,
      isStored,
      isNew: !isStored || (previousDigest !== undefined && previousDigest !== digest),
    };
  }

  private digestPolicy(crawler: CrawlerDefinition, server: ServerDefinition): Promise<string> {
    const roots = crawler.roots.map(({ url, site, entireSite, followLinks, metas }) => {
      return { url, site, entireSite, followLinks, metas };
    });
    // With room for more URLs, pages are read again for links that were refused.
    const quotas = (server.quotas ?? []).filter((quota) => quota.limits.urls && covers(quota, crawler.name));
    const maxUrls = quotas.length === 0 ? undefined : quotas.map(({ limits }) => limits.urls);
    return this.digestParts(crawler, JUDGING, { roots, global: server.globalCrawlSpace, maxUrls });
  }

  private digestParts(
    crawler: CrawlerDefinition,
    names: readonly (keyof CrawlerDefinition)[],
    extraParts: object = {},
  ): Promise<string> {
    const parts = Object.fromEntries(names.map((name) => [name, crawler[name]]));
    return this.digest({ ...parts, ...extraParts });
  }

  /**
   * Returns a SHA-256 digest in hex, because the parts contain the values of `${NAME}` references, which must not be
   * stored. Places in the file are left out, so that moving a line changes nothing.
   */
  private async digest(value: unknown): Promise<string> {
    const hash = createHash('sha256');
    const write = (text: string): void => void hash.update(text);
    await runWithPauses(writeJsonInSteps(value, write, omitPlaces), () => this.services.clock.sleep(NO_TIME));
    return hash.digest('hex');
  }

  private rejudgeUrls(crawler: Crawler): void {
    const controller = new AbortController();
    this.runs.set(crawler.name, controller);
    this.rejudging.apply(crawler, controller.signal).catch((error: unknown) => {
      this.services.log.error('judging the stored URLs again failed and will continue after a restart', {
        crawler: crawler.name,
        error: String(error),
      });
    });
  }
}

const NO_TIME = milliseconds(0);

/** Increased when the fixed processing of URLs changes: stored URLs are then converted to the current form. */
const URL_FORM = 2;

/**
 * What a change to each part of a crawler's definition means for its stored URLs. judging: verdicts depend on the part,
 * so URLs are judged again. reading: the part also decides what is extracted from a page, so each page is read again,
 * changed or not. refresh: it decides when pages are visited. none: it only applies from now on. The stored digests
 * depend on the order of the entries.
 */
const EFFECT_OF_CHANGE: Readonly<Record<keyof CrawlerDefinition, 'judging' | 'reading' | 'refresh' | 'none'>> = {
  name: 'judging',
  defaultAccept: 'judging',
  defaultIndex: 'judging',
  defaultFollow: 'judging',
  defaultFollowRoots: 'judging',
  rules: 'judging',
  linkRules: 'judging',
  crawlSpace: 'judging',
  servers: 'judging',
  conditions: 'judging',
  traps: 'judging',
  roots: 'judging',

  ignoreRobotsTxt: 'reading',
  storeTextOnly: 'reading',
  mimeTypes: 'reading',
  mimeTypesMode: 'reading',
  whenUnreadable: 'reading',
  render: 'reading',
  crawlSitemaps: 'reading',
  nearDuplicateDetector: 'reading',
  nearDuplicateScope: 'reading',
  indexRedirectSources: 'reading',
  canonicalization: 'reading',
  softErrors: 'reading',
  contents: 'reading',
  acl: 'reading',
  probeErrorPages: 'reading',
  leaveOut: 'reading',

  refresh: 'refresh',

  keepTexts: 'none',
  place: 'none',
  concurrency: 'none',
  throttle: 'none',
  aggressive: 'none',
  politenessBy: 'none',
  followMoves: 'none',
  schedules: 'none',
  disableConditionalGet: 'none',
  weights: 'none',
  errors: 'none',
  deletionGuard: 'none',
  changeGuard: 'none',
  fetcher: 'none',
  pushTo: 'none',
};

const PARTS = Object.keys(EFFECT_OF_CHANGE) as (keyof CrawlerDefinition)[];
const JUDGING = PARTS.filter((part) => EFFECT_OF_CHANGE[part] === 'judging');
const READING = PARTS.filter((part) => EFFECT_OF_CHANGE[part] === 'reading');
const REFRESH = PARTS.filter((part) => EFFECT_OF_CHANGE[part] === 'refresh');

/** Includes the value of a secret, which leaves this process only as part of a digest. */
function omitPlaces(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key];
  if (original instanceof Secret) return original.reveal();
  return key === 'place' ? undefined : value;
}
