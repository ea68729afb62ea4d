/** One visit, from a leased URL to its settled state: fetch, links and settlement, in this order. */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import { createEmptyResult, createReadingFailure } from '../../page/page-outcome.js';
import type { Clock } from '../../ports/clock.js';
import type { PageResult } from '../../ports/page-task.js';
import { FencedOut, type Partitions } from '../../ports/partitions.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { Tracing } from '../../ports/tracing.js';
import type { ChangeGuard } from '../evidence/change-guard.js';
import type { ClaimedChanges } from '../evidence/claimed-changes.js';
import type { EndlessLinks } from '../evidence/endless-links.js';
import type { HubSubscriptions } from '../evidence/hub-subscriptions.js';
import type { Redirects } from '../evidence/redirects.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { RepeatedContent } from '../evidence/repeated-content.js';
import type { Gates } from '../frontier/gates.js';
import type { SiteMoves } from '../frontier/site-moves.js';
import type { Host } from '../hosts/hosts.js';
import type { SettledUrl } from '../outcome/decision.js';
import type { InDoubtDeliveries } from '../outcome/in-doubt-deliveries.js';
import { CookieChecks } from './cookie-checks.js';
import type { Documents } from './documents.js';
import { type FetchServices, FetchStage, type FetchTarget } from './fetch-stage.js';
import { FoundLinks, type LinkServices, LinkStage, type LinkTarget } from './link-stage.js';
import { PageRequests, type RequestServices } from './page-requests.js';
import { type PreconditionServices, Preconditions, type PreconditionTarget, PUT_BACK } from './preconditions.js';
import type { ResultReview } from './result-review.js';
import { Retries } from './retries.js';
import type { SameTexts } from './same-texts.js';
import { type SettleServices, SettleStage, type SettleTarget } from './settle-stage.js';
import { type SessionServices, VisitSessions } from './visit-sessions.js';

export interface VisitServices {
  readonly clock: Clock;
  readonly partitions: Pick<Partitions, 'findFence' | 'holds'>;
  readonly review: Pick<ResultReview, 'forgetReportedLinks' | 'noteReviewed'>;
  readonly inDoubt: Pick<InDoubtDeliveries, 'applyDoubt'>;
  readonly tracing: Pick<Tracing, 'traceVisit' | 'tracePart' | 'recordOutcome'>;
}

interface GuardedTarget {
  readonly context: CrawlContext;
  readonly documents: Pick<Documents, 'noteFailure' | 'endVisit'>;
  readonly sameTexts: Pick<SameTexts, 'findOriginal' | 'noteSettled'>;
  readonly changes: Pick<ChangeGuard, 'review'>;
}

export class VisitRunner {
  constructor(
    private readonly services: VisitServices,
    private readonly fetchStage: FetchStage,
    private readonly linkStage: LinkStage,
    private readonly settleStage: SettleStage,
    private readonly target: GuardedTarget,
  ) {}

  /**
   * @param onFetched called when the request has ended and only decision and delivery remain, with the number of bytes
   * that the page occupies in memory until then; also called earlier, with 0, when the visit has to wait for another
   * host
   * @throws FencedOut when the host has been assigned to another node, which visits the URL again
   */
  run(state: UrlState, host: Host, onFetched: (bytes: number) => void): Promise<SettledUrl | typeof PUT_BACK> {
    return this.services.tracing.traceVisit(state, () => this.visit(state, host, onFetched));
  }

  /**
   * Settles a visit that cannot be completed because of a mistake of the program: the document stays.
   * @throws FencedOut when the host has been assigned to another node
   */
  async settleFailure(state: UrlState, host: Host, detail: string): Promise<SettledUrl> {
    const fence = this.services.partitions.findFence(host.key);
    if (!fence) throw new FencedOut([]);
    const result = createEmptyResult(state, createReadingFailure(detail));
    try {
      const startedAt = this.services.clock.now();
      const visit = { state, host, result, fence, startedAt, restedUntil: undefined, original: undefined };
      return await this.settleStage.settle(visit);
    } finally {
      this.target.documents.endVisit(state, false);
    }
  }

  private async visit(
    state: UrlState,
    host: Host,
    onFetched: (bytes: number) => void,
  ): Promise<SettledUrl | typeof PUT_BACK> {
    const { clock, partitions, review, tracing } = this.services;
    const fence = partitions.findFence(host.key);
    const startedAt = clock.now();
    let result = await this.fetchStage.run(state, host, startedAt, () => onFetched(0));
    tracing.recordOutcome(result === PUT_BACK ? undefined : result);
    if (result === PUT_BACK) return PUT_BACK;
    const restedUntil = this.fetchStage.findRestEnd(state);
    let original: UrlState | undefined;
    try {
      if (!fence || !partitions.holds(fence)) throw new FencedOut(fence ? [fence] : []);
      onFetched(estimateSize(result));
      const fetchedResult = await this.reviewChange(state, result);
      original = await this.target.sameTexts.findOriginal(state, fetchedResult.outcome);
      result = await tracing.tracePart('links', () => this.linkStage.process(state, fetchedResult, original));
    } catch (error) {
      review.forgetReportedLinks(result);
      this.target.sameTexts.noteSettled(state);
      throw error;
    }
    let isSettled = false;
    try {
      const settledUrl = await this.settleStage.settle({
        ...{ state, host, result, fence, startedAt, restedUntil, original },
      });
      isSettled = true;
      result.release?.();
      return settledUrl;
    } catch (error) {
      this.target.documents.noteFailure(state);
      this.target.sameTexts.noteSettled(state);
      throw error;
    } finally {
      this.target.documents.endVisit(state, isSettled);
    }
  }

  private async reviewChange(state: UrlState, result: PageResult): Promise<PageResult> {
    const { context, changes } = this.target;
    const known = this.services.inDoubt.applyDoubt(state);
    const reviewed = known.stamp === undefined ? result : await changes.review(context, known, result);
    if (reviewed.links.length < result.links.length) this.services.review.forgetReportedLinks(result);
    this.services.review.noteReviewed(state, reviewed);
    return reviewed;
  }
}

/** Estimated size of a link in memory, besides its URL, until it is stored. */
const LINK_BYTES = 256;

function estimateSize({ outcome, links, refused }: PageResult): number {
  const document = outcome.kind === 'document' ? outcome.document : undefined;
  let bytes = 0;
  for (const { master, text } of document ? [document, ...(document.parts ?? [])] : [])
    bytes += master.bytes.byteLength + text.length;
  for (const link of links) bytes += LINK_BYTES + link.url.length;
  for (const link of refused) bytes += link.url.length + link.hostKey.length;
  return bytes;
}

export type VisitStageServices = FetchServices &
  LinkServices &
  PreconditionServices &
  RequestServices &
  SessionServices &
  SettleServices &
  VisitServices & {
    readonly sessions: SessionStore;
    readonly subscriptions: Pick<HubSubscriptions, 'subscribeIfAllowed'>;
  };

/** What the visits of a crawler share. */
export type VisitTarget = FetchTarget &
  LinkTarget &
  PreconditionTarget &
  SettleTarget & {
    readonly gates: Gates;
    readonly endless: EndlessLinks;
    readonly repeated: RepeatedContent;
    readonly sameTexts: SameTexts;
    readonly rediscovery: Rediscovery;
    readonly redirects: Redirects;
    readonly claims: ClaimedChanges;
    readonly changes: ChangeGuard;
    readonly siteMoves: SiteMoves;
  };

/** Assembles the stages of a visit for one crawler under one configuration. */
export function createVisits(services: VisitStageServices, target: VisitTarget): VisitRunner {
  const foundLinks = new FoundLinks(services, target);
  const preconditions = new Preconditions(services, target, foundLinks);
  const sessions = new VisitSessions(services, target, preconditions);
  const cookieChecks = new CookieChecks(sessions, target.redirects);
  const retries = new Retries(services.sessions);
  const requests = new PageRequests(services, target, preconditions, retries, sessions);
  return new VisitRunner(
    services,
    new FetchStage(services, target, preconditions, requests, retries, sessions, cookieChecks),
    new LinkStage(
      target.context,
      foundLinks,
      target.rediscovery,
      target.redirects,
      target.claims,
      services.subscriptions,
      target.siteMoves,
    ),
    new SettleStage(services, target),
    target,
  );
}
