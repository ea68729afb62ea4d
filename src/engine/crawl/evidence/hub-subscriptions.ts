/**
 * Subscribes to the hubs named by feeds (WebSub), and has a feed visited when its hub reports a change. The callback
 * URL contains everything needed about the subscription, with a digest that only this server can compute, so nothing is
 * stored. The content that a hub sends is not read, since the visit finds out what has changed, so no one can inject
 * content into the index this way.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../../../domain/bounded-map.js';
import { getMaxRequestsPerHost } from '../../../domain/politeness/politeness.js';
import {
  createSubscriptionForm,
  type FeedHub,
  type HubRequest,
  mayUseHub,
  type WebSubDefinition,
} from '../../../domain/signals/websub.js';
import { after, days, hours, type Instant, instant, milliseconds, seconds } from '../../../domain/time/units.js';
import { getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { HostSlots } from '../hosts/host-slots.js';
import type { Hosts } from '../hosts/hosts.js';

interface HubSubscriptionServices {
  readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting' | 'find'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly processor: Pick<PageProcessor, 'fetch'>;
  readonly hosts: Hosts;
  readonly slots: Pick<HostSlots, 'claimHost'>;
  readonly crawlers: { find(name: string): { readonly context: Pick<CrawlContext, 'definition'> } | undefined };
}

interface Subscription extends FeedHub {
  readonly crawler: string;
  readonly feed: string;
}

const WEBSUB_PATH = 'websub';

const SALT_SETTING = 'websub/salt';
const LEASE_SECONDS = 864_000;
/** Delay before a failed subscription is requested again. */
const RETRY_DELAY = hours(6);
const DENIAL_DELAY = days(7);
/** Fraction of a lease after which it is renewed. */
const RENEWAL_POINT = 0.8;
const MIN_LEASE = seconds(600);
const MAX_SUBSCRIPTIONS = 5_000;
/** Changes that a hub reports within this time lead to one visit. */
const NOTIFICATION_WINDOW = seconds(10);
const MAX_ANSWER_SIZE = 16_384;
const REQUEST_TIMEOUT = seconds(20);
const DIGEST_BYTES = 16;
/** Time from one reading of the salt for a token that does not match to the next: anybody may send such tokens. */
const SALT_INTERVAL = seconds(10);

const toRequestKey = ({ crawler, feed, topic }: Pick<Subscription, 'crawler' | 'feed' | 'topic'>): string =>
  `${crawler} ${feed} ${topic}`;

export class HubSubscriptions {
  /** By crawler, feed and topic, since any feed may name the topic of another: when the next subscription may be requested. */
  private readonly nextRequests = new BoundedMap<string, Instant>(MAX_SUBSCRIPTIONS);
  /** Feeds reported a moment ago, and whether they have been reported again since. */
  private readonly reportedFeeds = new Map<string, { wasReportedAgain: boolean }>();
  private definition: WebSubDefinition | undefined;
  /** Of two servers that made one at the same moment, that of the later one counts, so it is read again. */
  private salt: string | undefined;
  private nextSaltReading: Instant = instant(0);
  /** Has a feed visited; set by the engine. */
  visit: (crawler: string, feed: string) => Promise<void> = async () => undefined;

  constructor(private readonly services: HubSubscriptionServices) {}

  configure(definition: WebSubDefinition | undefined): void {
    this.definition = definition;
  }

  /** To be called when a feed that was read names a hub. */
  subscribeIfAllowed(crawler: string, feed: string, hub: FeedHub): void {
    if (!this.definition || !mayUseHub(hub, feed, this.definition.hubs)) return;
    const key = toRequestKey({ crawler, feed, topic: hub.topic });
    const { clock, log } = this.services;
    const now = clock.now();
    if ((this.nextRequests.get(key) ?? 0) > now) return;
    this.nextRequests.set(key, after(now, RETRY_DELAY));
    this.requestSubscription({ crawler, feed, ...hub }).catch((error: unknown) =>
      log.warn('could not subscribe to a feed at its hub', { feed, hub: hub.hub, error: String(error) }),
    );
  }

  /** Returns the response to a hub that verifies the intent of a subscription; undefined if none was intended. */
  async confirm(token: string, { mode, topic, challenge, leaseSeconds }: HubRequest): Promise<string | undefined> {
    const subscription = await this.readToken(token);
    if (!subscription || !this.definition || topic !== subscription.topic) return undefined;
    const { clock, log } = this.services;
    const key = toRequestKey(subscription);
    const { feed, hub } = subscription;
    if (mode === 'denied') {
      this.nextRequests.set(key, after(clock.now(), DENIAL_DELAY));
      log.info('a hub refuses to report changes to a feed', { feed, hub });
      return '';
    }
    if (mode !== 'subscribe' || challenge === '') return undefined;
    const lease = Math.max(MIN_LEASE, seconds(leaseSeconds));
    const renewAt = after(clock.now(), milliseconds(lease * RENEWAL_POINT));
    this.nextRequests.set(key, renewAt);
    clock.at(renewAt, () => void this.scheduleRenewal(subscription, key, renewAt));
    log.info('a hub will report changes to a feed from now on', {
      crawler: subscription.crawler,
      feed,
      hub,
      leaseSeconds,
    });
    return challenge;
  }

  /**
   * To be called when a hub reports that a feed has changed. Resolves to false if this server did not subscribe to the
   * feed.
   */
  async handleNotification(token: string): Promise<boolean> {
    const subscription = await this.readToken(token);
    if (!subscription || !this.definition || !this.services.crawlers.find(subscription.crawler)) return false;
    const recentMark = this.reportedFeeds.get(token);
    if (recentMark) recentMark.wasReportedAgain = true;
    else if (this.reportedFeeds.size < MAX_SUBSCRIPTIONS) this.visitFeed(token, subscription);
    return true;
  }

  private visitFeed(token: string, subscription: Pick<Subscription, 'crawler' | 'feed'>): void {
    const { clock, log } = this.services;
    const { crawler, feed } = subscription;
    const mark = { wasReportedAgain: false };
    this.reportedFeeds.set(token, mark);
    this.visit(crawler, feed).catch((error: unknown) =>
      log.warn('could not visit a feed that its hub reported as changed', { feed, error: String(error) }),
    );
    clock.at(after(clock.now(), NOTIFICATION_WINDOW), () => {
      this.reportedFeeds.delete(token);
      // A change reported in the meantime may be newer than the visit.
      if (mark.wasReportedAgain) this.visitFeed(token, subscription);
    });
  }

  private async scheduleRenewal(subscription: Subscription, key: string, renewAt: Instant): Promise<void> {
    const { crawler, feed } = subscription;
    if (this.nextRequests.get(key) !== renewAt) return;
    const state = await this.services.store.find(crawler, feed).catch(() => undefined);
    if (state && state.status !== 'removed') this.subscribeIfAllowed(crawler, feed, subscription);
  }

  private async requestSubscription(subscription: Subscription): Promise<void> {
    const { services } = this;
    const definition = services.crawlers.find(subscription.crawler)?.context.definition;
    if (!definition || !this.definition) return;
    const { hub, topic, feed } = subscription;
    const callback = new URL(`${WEBSUB_PATH}/${await this.createToken(subscription)}`, this.definition.callback).href;
    const host = await services.slots.claimHost(getHostKey(toCrawlUrl(hub)), getMaxRequestsPerHost(definition));
    if (!host) return;
    try {
      await services.hosts.recordRequestStartWithPermit(host, definition.throttle);
      const outcome = await services.processor.fetch({
        url: hub,
        // Whoever writes the feed chooses the URL.
        anonymous: true,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new TextEncoder().encode(createSubscriptionForm(callback, topic, LEASE_SECONDS)),
        fetcher: definition.fetcher,
        maxSize: MAX_ANSWER_SIZE,
        truncate: true,
        totalTimeout: REQUEST_TIMEOUT,
        sendBy: services.hosts.sendBy,
      });
      const result = outcome.kind === 'failure' ? outcome.code : `${outcome.status}`;
      services.log.info('requested a subscription to a feed from its hub', {
        crawler: subscription.crawler,
        feed,
        hub,
        answer: result,
      });
    } finally {
      services.hosts.releaseAfterRequest(host, definition.throttle);
    }
  }

  private async createToken({ crawler, feed, topic, hub }: Subscription): Promise<string> {
    const content = Buffer.from(JSON.stringify([crawler, feed, topic, hub])).toString('base64url');
    this.salt = undefined;
    return `${content}.${(await this.computeDigest(content)).toString('base64url')}`;
  }

  private async readToken(token: string): Promise<Subscription | undefined> {
    const [content = '', givenDigest = ''] = token.split('.', 2);
    const digest = Buffer.from(givenDigest, 'base64url');
    if (!(await this.isOwnDigest(content, digest))) {
      const now = this.services.clock.now();
      if (now < this.nextSaltReading) return undefined;
      this.nextSaltReading = after(now, SALT_INTERVAL);
      this.salt = undefined;
      if (!(await this.isOwnDigest(content, digest))) return undefined;
    }
    const [crawler, feed, topic, hub] = JSON.parse(Buffer.from(content, 'base64url').toString()) as string[];
    return { crawler: crawler!, feed: feed!, topic: topic!, hub: hub! };
  }

  private async isOwnDigest(content: string, digest: Buffer): Promise<boolean> {
    const expected = await this.computeDigest(content);
    return digest.length === expected.length && timingSafeEqual(digest, expected);
  }

  private async computeDigest(content: string): Promise<Buffer> {
    this.salt ??= await this.readOrCreateSalt();
    return createHmac('sha256', this.salt).update(content).digest().subarray(0, DIGEST_BYTES);
  }

  private async readOrCreateSalt(): Promise<string> {
    const { store } = this.services;
    const storedSalt = await store.getSetting(SALT_SETTING);
    if (storedSalt !== undefined) return storedSalt;
    await store.putSetting(SALT_SETTING, randomBytes(32).toString('hex'));
    return (await store.getSetting(SALT_SETTING))!;
  }
}
