/**
 * Sites that have moved: their home page redirects to another site. The crawl follows where the configuration allows it
 * (domain/policy/move-rules.ts); elsewhere, the documents stay until an operator decides.
 */
import { hasSimilarSketch } from '../../../domain/content/text-sketch.js';
import { DOUBT } from '../../../domain/crawl/change-guard.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import { findMoveObjection } from '../../../domain/policy/move-rules.js';
import type { ReasonCode } from '../../../domain/policy/reasons.js';
import { moveSite, moveSiteBack, reopenSite } from '../../../domain/policy/site-mode.js';
import type { RootContext } from '../../../domain/policy/verdict.js';
import { before, between, hours, type Instant, minutes } from '../../../domain/time/units.js';
import { type CrawlUrl, getHostKey, getOrigin, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { type CrawlContext, findCoveringCrawler, findRoot } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings, UrlCatalog } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { Nodes } from '../../ports/nodes.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { LoadDomains } from '../hosts/politeness-groups.js';
import type { UrlDecisions } from '../outcome/url-decisions.js';

/** A move that the crawl does not follow by itself. */
export interface UndecidedMove {
  /** The URL to which the home page redirects. */
  readonly target: string;
  /** Why the crawl does not follow. */
  readonly reason: ReasonCode;
  readonly since: Instant;
}

/** What an operator has decided about the move of a site to the site of `origin`. */
export interface MoveDecision {
  readonly origin: string;
  readonly follow: boolean;
}

export const getMovedSetting = (crawler: string, root: string): string => `moved-site/${crawler}/${root}`;
export const getUndecidedSetting = (crawler: string, root: string): string => `undecided-move/${crawler}/${root}`;
export const getDecisionSetting = (crawler: string, root: string): string => `move-decision/${crawler}/${root}`;

interface RuleServices {
  readonly store: Pick<Settings, 'getSetting'>;
  readonly processor: Pick<PageProcessor, 'resolve'>;
  readonly loadDomains: LoadDomains;
}

/** Judges moves with what the configuration, DNS and operators say. */
export class MoveRules {
  private domainOf: Awaited<ReturnType<LoadDomains>> | undefined;

  constructor(private readonly services: RuleServices) {}

  /**
   * @param looksUp false before the processor is configured: the addresses were looked up when the move was recorded
   * @returns why the crawl does not follow the move; undefined if it does; `declined` if an operator does not want it
   */
  async findObjection(
    context: CrawlContext,
    { url: from }: RootContext,
    to: CrawlUrl,
    looksUp = true,
  ): Promise<ReasonCode | 'declined' | undefined> {
    const { processor, loadDomains } = this.services;
    const { name, followMoves } = context.definition;
    const decision = await this.findDecision(name, from.href);
    const isDecided = decision?.origin === getOrigin(to);
    if (isDecided && !decision.follow) return 'declined';
    this.domainOf ??= await loadDomains();
    const resolve = async (host: string) => (looksUp ? processor.resolve(host) : undefined);
    const addresses = { from: await resolve(from.host), to: await resolve(to.host) };
    const owner = findCoveringCrawler(context, to);
    return findMoveObjection({ from, to, addresses, owner, approved: isDecided }, followMoves, this.domainOf);
  }

  private async findDecision(crawler: string, root: string): Promise<MoveDecision | undefined> {
    const text = await this.services.store.getSetting(getDecisionSetting(crawler, root));
    return text === undefined ? undefined : (JSON.parse(text) as MoveDecision);
  }
}

interface MoveServices {
  readonly store: Settings & Pick<UrlCatalog, 'find' | 'list'>;
  readonly processor: Pick<PageProcessor, 'addRoot' | 'forget'>;
  readonly nodes: Pick<Nodes, 'notifyControlChanged'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly events: Pick<CrawlEvents, 'emit'>;
  readonly moveRules: Pick<MoveRules, 'findObjection'>;
}

interface MoveTarget {
  readonly current: { readonly context: CrawlContext; policySince: Instant };
  /** Visits the root, and the page again after it; see Redirects. */
  readonly redirects: { waitForVisit(url: UrlState, source: string): Promise<void> };
  readonly decisions: Pick<UrlDecisions, 'decide'>;
  /** Visits the URL next. */
  readonly scheduleVisit: (url: UrlState) => Promise<boolean>;
}

/** How long a page waits for a visit to the home page, which says whether the site has moved. */
const HOME_FRESH = minutes(10);
/** How often pages of a site are visited whose move is undecided. */
const UNDECIDED_RECHECK = hours(6);
const PAGE_SIZE = 1_000;

/** The home page of a site that had moved has content of its own again. */
interface Return {
  readonly since: Instant;
  readonly textSketch: bigint | undefined;
  /** Whether another page of the former site has a document of its own. */
  isWitnessed: boolean;
}

export class SiteMoves {
  /** By root: returns in doubt. A server without its configuration has a home page, too. */
  private readonly returns = new Map<string, Return>();

  constructor(
    private readonly services: MoveServices,
    private readonly target: MoveTarget,
  ) {}

  /**
   * To be called with the result of a visit before its links are stored. If the page redirects to another site to which
   * the crawl does not move, nothing of the other site is crawled, and the document stays.
   * @param startedAt when the visit began
   */
  review(state: UrlState, result: PageResult, startedAt: Instant): PageResult | Promise<PageResult> {
    const { outcome } = result;
    if (outcome.kind !== 'redirect' || outcome.waits) return result;
    const root = findRoot(this.context, state.root, undefined);
    if (!root || root.removed) return result;
    if (outcome.movesSite) return this.reviewHomePage(root, result, outcome);
    const isElsewhere = outcome.refused === 'outside-site' && toCrawlUrl(outcome.target).host !== root.url.host;
    return isElsewhere && state.stamp !== undefined ? this.reviewPage(state, root, result, outcome, startedAt) : result;
  }

  private async reviewHomePage(
    root: RootContext,
    result: PageResult,
    outcome: Extract<PageOutcome, { kind: 'redirect' }>,
  ): Promise<PageResult> {
    const target = toCrawlUrl(outcome.target);
    const objection = await this.services.moveRules.findObjection(this.context, root, target);
    if (objection === undefined) return result;
    if (objection === 'declined') return this.drop(result, { ...outcome, refused: 'outside-site', movesSite: false });
    await this.recordUndecided(root, outcome.target, objection);
    return this.drop(result, createUndecidedFailure(outcome.target, objection));
  }

  /** An indexed page that redirects to another site: its home page says whether the whole site has moved there. */
  private async reviewPage(
    { url, status, lastVisitAt }: UrlState,
    root: RootContext,
    result: PageResult,
    outcome: Extract<PageOutcome, { kind: 'redirect' }>,
    startedAt: Instant,
  ): Promise<PageResult> {
    const move = await this.findUndecided(root.url.href);
    if (move && getOrigin(toCrawlUrl(move.target)) === getOrigin(toCrawlUrl(outcome.target)))
      return this.drop(result, createUndecidedFailure(outcome.target, move.reason));
    const home = await this.services.store.find(this.context.definition.name, root.url.href);
    const isWaiting =
      status === 'redirected' && lastVisitAt !== undefined && lastVisitAt >= before(startedAt, HOME_FRESH);
    const since = isWaiting ? lastVisitAt : startedAt;
    const isKnown = !home || home.url === url || (home.lastVisitAt ?? 0) >= since;
    if (isKnown) return result;
    await this.target.redirects.waitForVisit(home, url);
    return this.drop(result, { ...outcome, waits: true });
  }

  /** Records that the home page of a site redirects to another site, which is crawled from now on. */
  async recordMove(root: string, target: CrawlUrl): Promise<void> {
    const { store } = this.services;
    const context = this.context.roots.get(root);
    this.returns.delete(root);
    if (!context) return;
    const crawler = this.context.definition.name;
    const setting = getMovedSetting(crawler, root);
    this.setRoot(moveSite(context, target));
    if ((await store.getSetting(setting)) !== target.href) await this.readmit();
    await store.putSetting(setting, target.href);
    await store.putSetting(getUndecidedSetting(crawler, root), undefined);
    await this.announce('redirects to another site, which is crawled from now on', root, target.href);
  }

  /**
   * To be called when a home page has content of its own. If its site had moved, both sites are crawled until another page of the
   * former site has a document, too, and the home page has kept its content for a day.
   */
  async noteHomePage({ url, textSketch }: Pick<UrlState, 'url' | 'textSketch'>): Promise<void> {
    const { store, clock } = this.services;
    const crawler = this.context.definition.name;
    await store.putSetting(getUndecidedSetting(crawler, url), undefined);
    const context = this.context.roots.get(url);
    if (!context?.formerPrefixes) return;
    const now = clock.now();
    const known = this.returns.get(url);
    if (known && !(known.isWitnessed && between(known.since, now) >= DOUBT)) return;
    if (known) this.returns.delete(url);
    else this.returns.set(url, { since: now, textSketch, isWitnessed: false });
    this.setRoot(known ? moveSiteBack(context) : reopenSite(context));
    // Links of the site's pages may have been refused while the site had moved: the pages are read again.
    this.target.current.policySince = now;
    await store.putSetting(`policy-since/${crawler}`, String(now));
    if (known) await store.putSetting(getMovedSetting(crawler, url), undefined);
    const change = 'has its own content again';
    await this.announce(known ? change : `${change}: it is crawled, too, and in a day it is decided which stays`, url);
  }

  /** To be called with a page that has a document and repeats no other one: one of the former site shows that it is back. */
  noteDocument({ url, root = '', hostKey }: UrlState, textSketch: bigint | undefined): Promise<void> | undefined {
    const known = this.returns.get(root);
    const context = this.context.roots.get(root);
    if (!known || !context || url === root || hostKey !== getHostKey(context.url)) return undefined;
    if (!context.formerPrefixes?.some((prefix) => url.startsWith(prefix))) return undefined;
    const [own, home] = [textSketch, known.textSketch];
    if (own !== undefined && home !== undefined && hasSimilarSketch(own, home)) return undefined;
    known.isWitnessed = true;
    const isOver = between(known.since, this.services.clock.now()) >= DOUBT;
    return isOver ? this.visitHomePage(root) : undefined;
  }

  private async visitHomePage(root: string): Promise<void> {
    const page = await this.services.store.find(this.context.definition.name, root);
    if (page) await this.target.scheduleVisit(page);
  }

  /** Judges URLs again that were excluded when their site had moved back. */
  private async readmit(): Promise<void> {
    const filter = { crawler: this.context.definition.name, status: 'excluded', reasons: ['outside-site'] } as const;
    for (let lastId = 0; ; ) {
      const states = await this.services.store.list(filter, lastId, PAGE_SIZE);
      await Promise.all(states.map((state) => this.target.decisions.decide(state, { do: 'judge' })));
      if (states.length < PAGE_SIZE) return;
      lastId = states.at(-1)!.id;
    }
  }

  private setRoot(root: RootContext): void {
    this.context.roots.set(root.url.href, root);
    this.services.processor.addRoot(this.context.definition.name, root);
  }

  private async announce(change: string, root: string, site = root): Promise<void> {
    const { nodes, log } = this.services;
    await nodes.notifyControlChanged();
    log.info(`the home page of a site ${change}`, { crawler: this.context.definition.name, root, site });
  }

  private async recordUndecided(root: RootContext, target: string, reason: ReasonCode): Promise<void> {
    const { store, clock, log, events } = this.services;
    const { name: crawler } = this.context.definition;
    const known = await this.findUndecided(root.url.href);
    if (known?.target === target && known.reason === reason) return;
    const move: UndecidedMove = { target, reason, since: known?.since ?? clock.now() };
    await store.putSetting(getUndecidedSetting(crawler, root.url.href), JSON.stringify(move));
    events.emit({ type: 'move', crawler, root: root.url.href, target, reason });
    const facts = { crawler, root: root.url.href, target, reason };
    log.warn('the home page of a site redirects to another site, to which the crawl does not move by itself', facts);
  }

  private async findUndecided(root: string): Promise<UndecidedMove | undefined> {
    const text = await this.services.store.getSetting(getUndecidedSetting(this.context.definition.name, root));
    return text === undefined ? undefined : (JSON.parse(text) as UndecidedMove);
  }

  private get context(): CrawlContext {
    return this.target.current.context;
  }

  private drop(result: PageResult, outcome: PageOutcome): PageResult {
    const urls = result.links.map(({ url }) => url);
    if (urls.length > 0) this.services.processor.forget(result.crawler, urls);
    return { ...result, outcome, links: [], refused: [] };
  }
}

function createUndecidedFailure(target: string, reason: ReasonCode): PageOutcome {
  const code: ErrorCode = 'move-undecided';
  return { kind: 'error', code, detail: `it redirects to ${target} (${reason})`, retryAfter: UNDECIDED_RECHECK };
}
