/** Notifies the configured webhooks of events in the crawl, as Standard Webhooks. */
import { randomUUID } from 'node:crypto';
import { BoundedMap } from '../../domain/bounded-map.js';
import { isHoldCause } from '../../domain/crawl/change-guard.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { WebhookDefinition } from '../../domain/crawl/sink-definition.js';
import type { WebhookEvent } from '../../domain/push/webhook.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import { type WebhookChannel, WebhookQueue } from './webhook-queue.js';

/** Maximum number of hosts and crawlers counted at the same time; beyond it, counting starts again. */
const MAX_COUNTED = 10_000;

interface WebhookServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly getDefinition: () => ServerDefinition;
  readonly openChannel: (webhook: WebhookDefinition) => WebhookChannel;
}

export class Webhooks {
  private queues: readonly WebhookQueue[] = [];
  private configuredWebhooks: readonly WebhookDefinition[] | undefined;
  private readonly counts = new BoundedMap<string, number>(MAX_COUNTED);
  private readonly unresponsiveHosts = new Set<string>();
  private readonly downSinks = new Set<string>();
  private readonly failingLogins = new Set<string>();

  constructor(private readonly services: WebhookServices) {}

  readonly handleEvent = (event: CrawlEvent): void => {
    if (!this.services.getDefinition().webhooks) return;
    const webhookEvent = this.toWebhookEvent(event);
    if (webhookEvent) this.publish(webhookEvent);
  };

  publishCaughtUp(crawler: string): void {
    this.publish({ type: 'crawl.caught-up', data: { crawler } });
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close()));
  }

  private publish({ type, data }: WebhookEvent): void {
    this.updateQueues();
    const { clock } = this.services;
    for (const queue of this.queues) {
      const { events } = queue.definition;
      if (events.length > 0 && !events.includes(type)) continue;
      const timestamp = new Date(clock.now()).toISOString();
      queue.add({ id: `msg_${randomUUID()}`, body: JSON.stringify({ type, timestamp, data }) });
    }
  }

  /** Adopts changes of the configured webhooks; the waiting messages of a changed webhook are dropped. */
  private updateQueues(): void {
    const { webhooks = [] } = this.services.getDefinition();
    if (webhooks === this.configuredWebhooks) return;
    this.configuredWebhooks = webhooks;
    const { clock, log, openChannel } = this.services;
    const previousQueues = this.queues;
    this.queues = webhooks.map(
      (webhook) =>
        previousQueues.find(({ definition }) => isSameWebhook(definition, webhook)) ??
        new WebhookQueue(webhook, openChannel(webhook), clock, log),
    );
    for (const queue of previousQueues) if (!this.queues.includes(queue)) void queue.close();
  }

  private toWebhookEvent(event: CrawlEvent): WebhookEvent | undefined {
    switch (event.type) {
      case 'order':
        return this.toOrderEvent(event);
      case 'sink': {
        const { sink, state, message } = event;
        if (state === 'replaced') return { type: 'sink.replaced', data: { sink, message } };
        if (state !== 'unavailable')
          return this.downSinks.delete(sink) ? { type: 'sink.up', data: { sink } } : undefined;
        if (this.downSinks.has(sink)) return undefined; // reported at its first failure
        this.downSinks.add(sink);
        return { type: 'sink.down', data: { sink, message } };
      }
      case 'host':
        return this.toHostEvent(event);
      case 'login': {
        const { login, state, message } = event;
        if (state !== 'failing' && state !== 'stopped') {
          if (state === 'logged-in') this.failingLogins.delete(login);
          return undefined;
        }
        if (this.failingLogins.has(login)) return undefined; // reported at its first failure
        this.failingLogins.add(login);
        return { type: 'login.failed', data: { login, state, message } };
      }
      case 'move': {
        const { crawler, root, target, reason } = event;
        return { type: 'site.move', data: { crawler, root, target, reason } };
      }
      case 'quota': {
        const { quota, limit, max, until } = event;
        const time = until === undefined ? undefined : new Date(until).toISOString();
        return { type: 'quota.reached', data: { quota, limit, max, until: time } };
      }
      case 'configuration':
        return { type: 'configuration.applied', data: { version: event.version } };
      default:
        return undefined;
    }
  }

  private toOrderEvent({ crawler, uri, state, reason, message }: Extract<CrawlEvent, { type: 'order' }>) {
    if (state === 'held') {
      const host = getHost(uri);
      const count = this.countOccurrence(`held ${crawler} ${host}`);
      return count === undefined
        ? undefined
        : ({ type: 'deletions.held', data: { crawler, host, count, uri, reason } } as const);
    }
    if (state === 'awaiting' && isHoldCause(reason)) {
      const host = getHost(uri);
      const count = this.countOccurrence(`changed ${crawler} ${host}`);
      return count === undefined
        ? undefined
        : ({ type: 'changes.held', data: { crawler, host, count, uri, cause: reason } } as const);
    }
    if (state !== 'refused') return undefined;
    const count = this.countOccurrence(`refused ${crawler}`);
    return count === undefined
      ? undefined
      : ({ type: 'orders.refused', data: { crawler, count, uri, message } } as const);
  }

  /** A host that keeps backing off is reported once. */
  private toHostEvent({
    hostKey: host,
    state,
    until,
  }: Extract<CrawlEvent, { type: 'host' }>): WebhookEvent | undefined {
    if (state !== 'backing off')
      return this.unresponsiveHosts.delete(host) ? { type: 'host.recovered', data: { host } } : undefined;
    if (this.unresponsiveHosts.has(host)) return undefined;
    if (this.unresponsiveHosts.size >= MAX_COUNTED) this.unresponsiveHosts.clear();
    this.unresponsiveHosts.add(host);
    return { type: 'host.ill', data: { host, until: until && new Date(until).toISOString() } };
  }

  /** The count so far if it should be reported (1, 10, 100, …). */
  private countOccurrence(key: string): number | undefined {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return Number.isInteger(Math.log10(count)) ? count : undefined;
  }
}

const getHost = (url: string): string => URL.parse(url)?.host ?? url;

const isSameWebhook = (a: WebhookDefinition, b: WebhookDefinition): boolean => isSameDefinition(a, b, 'place');
