/**
 * The receiving side of IndexNow: checks the quota and the site's key file, and passes the URLs to the host's crawlers.
 */
import { BoundedMap } from '../../domain/bounded-map.js';
import type { IndexNowDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import { getMaxRequestsPerHost } from '../../domain/politeness/politeness.js';
import {
  containsKey,
  INDEXNOW_STATUSES,
  type IndexNowResponse,
  type IndexNowStatus,
  type IndexNowSubmission,
} from '../../domain/signals/indexnow.js';
import { after, hours, type Instant, instant, minutes, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { HostSlots } from '../crawl/hosts/host-slots.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import type { Ports } from '../ports/ports.js';
import { type ReportedUrls, toHostKey } from './reported-urls.js';

export const DEFAULT_INDEXNOW: IndexNowDefinition = { enabled: true, urlsPerHour: 50_000 };

const HOUR = hours(1);
/** How long a verified key is trusted without another check. */
const KEY_LIFETIME = hours(24);
/** Limits so that strangers cannot make the server request nonexistent files from a site, nor use up what the site may send. */
const MAX_WRONG_KEYS_PER_SUBMITTER = 10;
const MAX_WRONG_KEYS_PER_HOST = 60;
const MAX_REMEMBERED = 10_000;
/** Limits of the submissions that wait for their key to be checked, since anybody can make one: numbers, and characters of their URLs. */
const MAX_WAITING = 100;
const MAX_WAITING_LENGTH = 10_000_000;
const MAX_WAITING_PER_HOST = 3;
const MAX_WAITING_LENGTH_PER_HOST = 1_000_000;
const RETRY_DELAY = minutes(10);
const MAX_TRIES = 6;
const MAX_KEY_FILE_SIZE = 1_024;
const KEY_TIMEOUT = seconds(10);

interface HostQuota {
  since: Instant;
  urls: number;
  wrongKeys: number;
}

interface Submitter {
  readonly since: Instant;
  wrongKeys: number;
}

type KeyCheck = 'right' | 'wrong' | 'unknown';

export interface IndexNowServices extends Pick<Ports, 'clock' | 'processor' | 'log'> {
  readonly hosts: Hosts;
  readonly slots: Pick<HostSlots, 'claimHost'>;
}

export class IndexNow {
  private readonly quotas = new BoundedMap<string, HostQuota>(MAX_REMEMBERED);
  private readonly submitters = new BoundedMap<string, Submitter>(MAX_REMEMBERED);
  private readonly keys = new BoundedMap<string, Instant>(MAX_REMEMBERED);
  private readonly waiting = new Set<IndexNowSubmission>();
  /** Key files that are being requested: submissions with the same key wait for one answer. */
  private readonly checks = new Map<string, Promise<KeyCheck>>();

  constructor(
    private readonly services: IndexNowServices,
    private readonly reportedUrls: ReportedUrls,
    private readonly crawlers: Pick<Crawlers, 'list'>,
    private readonly settings: () => IndexNowDefinition,
  ) {}

  /** @param from the network of the submitter: whoever sends wrong keys is turned away, not the site they are for */
  async submit(submission: IndexNowSubmission, from = ''): Promise<IndexNowResponse> {
    const { enabled, urlsPerHour } = this.settings();
    if (!enabled) return createAnswer(422, 'IndexNow is turned off on this server (cw:IndexNow)');
    const host = toHostKey(submission.urls[0]!);
    const crawlers = await this.reportedUrls.findCrawlers(host, this.crawlers.list());
    if (crawlers.length === 0) return createAnswer(422, `no crawler on this server crawls ${host}`);
    const quota = this.findOrCreateQuota(host);
    if (quota.urls + submission.urls.length > urlsPerHour)
      return createAnswer(429, `more than ${urlsPerHour} URLs of ${host} in an hour`);
    const submitter = this.findOrCreateSubmitter(`${from} ${host}`);
    const isTurnedAway =
      submitter.wrongKeys >= MAX_WRONG_KEYS_PER_SUBMITTER || quota.wrongKeys >= MAX_WRONG_KEYS_PER_HOST;
    const needsCheck = !this.isKeyKnown(submission) && !this.checks.has(computeIdentity(submission));
    if (isTurnedAway && needsCheck) return createAnswer(429, `too many wrong keys for ${host} in an hour`);
    // Its key file would only be requested once more.
    if (!this.isKeyKnown(submission) && !this.mayWait(submission))
      return createAnswer(429, `too many URLs of ${host} are waiting for their key to be checked, so try again later`);
    quota.urls += submission.urls.length;
    // Counted as wrong until the answer is there, so that many keys at once are no more than one after the other.
    const counters = needsCheck ? [quota, submitter] : [];
    for (const counter of counters) counter.wrongKeys++;
    const check = await this.checkKey(submission, crawlers[0]!);
    if (check !== 'wrong') for (const counter of counters) counter.wrongKeys--;
    // A caller who has not proved that it owns the site must not use up its quota.
    if (check !== 'right') quota.urls -= submission.urls.length;
    if (check === 'wrong') return createAnswer(403, `${submission.keyLocation} does not contain the key`);
    if (check === 'unknown') return this.retryLater(submission, crawlers, 1);
    await this.forward(submission, crawlers);
    return createAnswer(200);
  }

  private async forward({ host, urls }: IndexNowSubmission, crawlers: readonly Crawler[]): Promise<void> {
    for (const crawler of crawlers) {
      const accepted = await this.reportedUrls.accept(crawler, urls, 'indexnow');
      this.services.log.info('a site reported changed URLs through IndexNow', {
        crawler: crawler.name,
        host,
        urls: urls.length,
        taken: accepted,
      });
    }
  }

  private mayWait(submission: IndexNowSubmission): boolean {
    const all = [...this.waiting, submission];
    const ofHost = all.filter(({ host }) => host === submission.host);
    return (
      all.length <= MAX_WAITING &&
      measureUrls(all) <= MAX_WAITING_LENGTH &&
      ofHost.length <= MAX_WAITING_PER_HOST &&
      measureUrls(ofHost) <= MAX_WAITING_LENGTH_PER_HOST
    );
  }

  /** Checks the key again later, because its host is resting or did not respond. */
  private retryLater(submission: IndexNowSubmission, crawlers: readonly Crawler[], tries: number): IndexNowResponse {
    if (!this.mayWait(submission))
      return createAnswer(429, 'too many URLs are waiting for their key to be checked, so try again later');
    this.waiting.add(submission);
    this.services.clock.at(after(this.services.clock.now(), RETRY_DELAY), () => {
      this.waiting.delete(submission);
      this.retry(submission, crawlers, tries).catch((error: unknown) =>
        this.services.log.error('an IndexNow submission could not be stored', { error: String(error) }),
      );
    });
    return createAnswer(202);
  }

  private async retry(submission: IndexNowSubmission, crawlers: readonly Crawler[], tries: number): Promise<void> {
    const check = await this.checkKey(submission, crawlers[0]!);
    if (check === 'right') {
      this.findOrCreateQuota(toHostKey(submission.urls[0]!)).urls += submission.urls.length;
      await this.forward(submission, crawlers);
    } else if (check === 'unknown' && tries < MAX_TRIES) this.retryLater(submission, crawlers, tries + 1);
    else
      this.services.log.warn('URLs reported through IndexNow were dropped: the key could not be verified', {
        host: submission.host,
        keyLocation: submission.keyLocation,
      });
  }

  private isKeyKnown(submission: IndexNowSubmission): boolean {
    const until = this.keys.get(computeIdentity(submission));
    return until !== undefined && until > this.services.clock.now();
  }

  private async checkKey(submission: IndexNowSubmission, crawler: Crawler): Promise<KeyCheck> {
    if (this.isKeyKnown(submission)) return 'right';
    const identity = computeIdentity(submission);
    const check = this.checks.get(identity) ?? this.requestKey(submission, crawler);
    this.checks.set(identity, check);
    return check.finally(() => this.checks.delete(identity));
  }

  private async requestKey(submission: IndexNowSubmission, { context }: Crawler): Promise<KeyCheck> {
    const { clock, hosts, slots, processor } = this.services;
    const { key, keyLocation } = submission;
    const { definition } = context;
    const host = await slots.claimHost(toHostKey(keyLocation), getMaxRequestsPerHost(definition));
    if (!host) return 'unknown';
    let outcome: FetchOutcome;
    try {
      await hosts.recordRequestStartWithPermit(host, definition.throttle);
      outcome = await processor.fetch({
        url: keyLocation,
        fetcher: definition.fetcher,
        maxSize: MAX_KEY_FILE_SIZE,
        truncate: true,
        totalTimeout: KEY_TIMEOUT,
        sendBy: hosts.sendBy,
      });
    } finally {
      hosts.releaseAfterRequest(host, definition.throttle);
    }
    const check = judgeKeyFile(outcome, key);
    if (check === 'right') this.keys.set(computeIdentity(submission), after(clock.now(), KEY_LIFETIME));
    return check;
  }

  private findOrCreateSubmitter(name: string): Submitter {
    const now = this.services.clock.now();
    const existing = this.submitters.get(name);
    if (existing && instant(existing.since + HOUR) > now) return existing;
    const submitter = { since: now, wrongKeys: 0 };
    this.submitters.set(name, submitter);
    return submitter;
  }

  private findOrCreateQuota(host: string): HostQuota {
    const now = this.services.clock.now();
    const existing = this.quotas.get(host);
    if (existing && instant(existing.since + HOUR) > now) return existing;
    const quota = { since: now, urls: 0, wrongKeys: 0 };
    this.quotas.set(host, quota);
    return quota;
  }
}

function measureUrls(submissions: readonly IndexNowSubmission[]): number {
  let length = 0;
  for (const { urls } of submissions) for (const url of urls) length += url.length;
  return length;
}

const computeIdentity = ({ key, keyLocation }: IndexNowSubmission): string => `${keyLocation} ${key}`;

function judgeKeyFile(outcome: FetchOutcome, key: string): KeyCheck {
  if (outcome.kind === 'failure') return 'unknown';
  if (outcome.status >= 500 || outcome.status === 429) return 'unknown';
  return outcome.status === 200 && containsKey(new TextDecoder().decode(outcome.body), key) ? 'right' : 'wrong';
}

const createAnswer = (status: IndexNowStatus, message: string = INDEXNOW_STATUSES[status]): IndexNowResponse => ({
  status,
  message,
});
