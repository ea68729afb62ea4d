/**
 * Decisions about a URL without a visit: a command, a correction of what is known about it, an earlier next visit. Puts
 * URLs back into the queue once a decision, by a visit or without one, has been carried out.
 */
import { REDIRECTED_FOR_NOW } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import { SinksRemoved } from '../../delivery/delivery.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { FrontierStore, UrlChanges } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { Nodes } from '../../ports/nodes.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import { type Fence, FencedOut, type Partitions } from '../../ports/partitions.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { Discovery } from '../frontier/discovery.js';
import type { Frontier } from '../frontier/frontier.js';
import type { RequestedVisits } from '../requested-visits.js';
import type { Documents } from '../visit/documents.js';
import type { SameTexts } from '../visit/same-texts.js';
import type { CommandResult, SettledUrl, UrlCommand } from './decision.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import { createDecideCommand } from './owner-commands.js';
import type { UrlSettlement } from './url-settlement.js';

/** Where a URL is waiting for its next visit. */
export type Place = NonNullable<SettledUrl['next']>;

/** The crawler whose URLs are decided on. */
interface Target {
  readonly frontier: Pick<Frontier, 'hold' | 'requeue' | 'wake'>;
  /** URLs that are being visited or decided. */
  readonly inFlight: Set<UrlState>;
  readonly current: { readonly context: CrawlContext; readonly settlement: Pick<UrlSettlement, 'settle'> };
  readonly requested: Pick<RequestedVisits, 'takeRequested'>;
  readonly documents: Pick<Documents, 'noteSettled'>;
  readonly sameTexts: Pick<SameTexts, 'noteSettled'>;
  readonly rediscovery: Pick<Rediscovery, 'noteRemoval'>;
  /** See CanonicalPages. */
  readonly reconsiderAfter: (url: UrlState, settled: SettledUrl) => Promise<void> | undefined;
}

/** Decides what a command means for a URL's current state; undefined if nothing. */
export interface UrlCommandReader {
  decide(command: UrlCommand, state: UrlState, context: CrawlContext): Promise<CommandResult | undefined>;
}

export interface DecisionServices {
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  readonly store: FrontierStore;
  readonly processor: Pick<PageProcessor, 'forget'>;
  readonly log: Log;
  readonly inDoubt: InDoubtDeliveries;
  readonly urlCommands: UrlCommandReader;
  readonly discovery: Pick<Discovery, 'noteGone'>;
}

export class UrlDecisions {
  constructor(
    private readonly services: DecisionServices,
    private readonly target: Target,
  ) {}

  /** To be called when the URL's new state has been written. */
  noteSettled(url: UrlState, settled: SettledUrl): void {
    if (settled.removed || settled.reason === REDIRECTED_FOR_NOW)
      this.services.processor.forget(url.crawler, [url.url]);
    if (settled.removed) this.target.rediscovery.noteRemoval();
    if (settled.removed && settled.status === undefined) this.services.discovery.noteGone(url);
    this.target.documents.noteSettled(url, settled.simhash);
    this.target.sameTexts.noteSettled(url, settled);
    this.putIntoQueue(url, settled.next);
    this.target.frontier.wake();
  }

  /**
   * Carries out a command, or has the node that owns the host do so; false if the URL is in flight, so that its visit
   * decides, or if the configuration has changed meanwhile, so that the command has to be repeated.
   * @param url may be out of date: a visit may have ended since it was read
   */
  async decide(url: UrlState, command: UrlCommand): Promise<boolean> {
    const { partitions, nodes } = this.services;
    const { frontier, inFlight } = this.target;
    const fence = partitions.findFence(url.hostKey);
    if (!fence) {
      await nodes.send(createDecideCommand(url, command));
      return true;
    }
    if (!frontier.hold(url)) return false;
    inFlight.add(url);
    try {
      await this.carryOut(url, command, fence);
    } catch (error) {
      this.putIntoQueue(url, toQueuePlace(url));
      if (error instanceof SinksRemoved) return false;
      if (!(error instanceof FencedOut)) throw error;
      await nodes.send(createDecideCommand(url, command));
    } finally {
      inFlight.delete(url);
    }
    return true;
  }

  private async carryOut(url: UrlState, command: UrlCommand, fence: Fence): Promise<void> {
    const { store, inDoubt, urlCommands } = this.services;
    const { current } = this.target;
    const [state] = await store.get([url.id]);
    const result = state && (await urlCommands.decide(command, inDoubt.applyDoubt(state), current.context));
    if (!result) {
      this.putIntoQueue(url, state && toQueuePlace(state));
      return;
    }
    const disposition = inDoubt.keepInDoubt(state, result.disposition);
    const decision = { ...result, disposition, state, fence, byOperator: true };
    const settled = await current.settlement.settle(decision);
    this.noteSettled(state, settled);
    await this.target.reconsiderAfter(state, settled);
  }

  /**
   * Runs `work` on the URL's current state while nothing else is in flight for it; not at all if something is, or if the
   * host belongs to another node.
   * @param work returns where the URL is waiting afterwards, if that has changed
   */
  async runWhileHeld(
    url: UrlState,
    work: (state: UrlState, fence: Fence) => Promise<Place | undefined>,
  ): Promise<void> {
    const { frontier, inFlight } = this.target;
    const fence = this.services.partitions.findFence(url.hostKey);
    if (!fence || !frontier.hold(url)) return;
    inFlight.add(url);
    let place = toQueuePlace(url);
    try {
      const [state] = await this.services.store.get([url.id]);
      place = state && toQueuePlace(state);
      if (state) place = (await work(state, fence)) ?? place;
    } finally {
      inFlight.delete(url);
      this.putIntoQueue(url, place);
    }
  }

  /** Records corrections to what is known about a URL, and when it is visited next; false if it is in flight. */
  async applyCorrection(
    url: UrlState,
    changes: UrlChanges & { source: SourceNumber; dueAt: Instant },
  ): Promise<boolean> {
    if (!this.target.frontier.hold(url)) return false;
    const { source, dueAt } = changes;
    try {
      await this.services.store.settle([{ id: url.id, changes }]);
    } finally {
      this.putIntoQueue(url, { source, dueAt });
    }
    return true;
  }

  /** Brings the next visit forward; false if the URL is in flight or its host belongs to another node. */
  async requeue(url: UrlState, place: Place): Promise<boolean> {
    const { partitions, store } = this.services;
    const fence = partitions.findFence(url.hostKey);
    if (!fence || !this.target.frontier.hold(url)) return false;
    try {
      await store.settle([{ id: url.id, fence, changes: place }]);
      this.putIntoQueue(url, place);
      return true;
    } catch (error) {
      this.putIntoQueue(url, toQueuePlace(url));
      if (error instanceof FencedOut) return false;
      throw error;
    }
  }

  private putIntoQueue(url: UrlState, place: Place | undefined): void {
    this.target.frontier.requeue(url, place);
    const command = this.target.requested.takeRequested(url);
    if (!command) return;
    this.decide(url, command).catch((error: unknown) =>
      this.services.log.error('a requested visit of a URL was not made; request it again', {
        url: url.url,
        error: String(error),
      }),
    );
  }
}

function toQueuePlace({ source, dueAt }: UrlState): SettledUrl['next'] {
  return source === undefined ? undefined : { source, dueAt };
}
