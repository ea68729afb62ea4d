import { REFRESH } from '../../domain/frontier/sources.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import { before, type Duration, days, type Instant } from '../../domain/time/units.js';
import { getOrigin, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { countProgress, getPageMoveSetting, type MoveProgress, type PageMove } from '../crawl/evidence/page-moves.js';
import {
  getDecisionSetting,
  getUndecidedSetting,
  type MoveDecision,
  type UndecidedMove,
} from '../crawl/frontier/site-moves.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import { NotFound } from '../support/api-errors.js';

/** A site that redirects to another one, to which the crawl does not move by itself, or whose pages are moving. */
export interface SiteMoveView {
  readonly crawler: string;
  readonly root: string;
  /** For pages that are moving: what their new addresses have in common, followed by an asterisk. */
  readonly target: string;
  /** `redirected` for pages that are moving. */
  readonly reason: ReasonCode;
  readonly since: Instant;
  readonly pages?: PageMoveView;
  /** Number of its documents that stay in the index although their pages redirect there. */
  readonly documents: number;
}

export interface PageMoveView extends MoveProgress {
  /** What the old addresses have in common, followed by an asterisk. */
  readonly from: string;
  /** Pages whose new address does not exist. */
  readonly nowhere: readonly string[];
}

/** A move is listed for this long after its beginning, or until it is done. */
const LISTED: Duration = days(7);

interface DecisionServices {
  readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting' | 'listSettings' | 'count' | 'makeDue' | 'find'>;
  readonly clock: Clock;
  readonly crawlers: Pick<Crawlers, 'get' | 'list'>;
}

/** Moves of sites: those about which an operator decides, and those that are under way. */
export class SiteMoveDecisions {
  constructor(private readonly services: DecisionServices) {}

  async list(): Promise<SiteMoveView[]> {
    const { store, crawlers } = this.services;
    const views: SiteMoveView[] = [];
    for (const { name: crawler } of crawlers.list()) {
      views.push(...(await this.listPageMoves(crawler)));
      const prefix = getUndecidedSetting(crawler, '');
      for (const [setting, text] of await store.listSettings(prefix)) {
        const root = setting.slice(prefix.length);
        const { hostKey } = (await store.find(crawler, root)) ?? {};
        const documents = await store.count({ crawler, hostKey, reason: 'move-undecided', indexed: true });
        views.push({ crawler, root, ...(JSON.parse(text) as UndecidedMove), documents });
      }
    }
    return views;
  }

  private async listPageMoves(crawler: string): Promise<SiteMoveView[]> {
    const { store, clock } = this.services;
    const prefix = getPageMoveSetting(crawler, '');
    const views: SiteMoveView[] = [];
    for (const [setting, text] of await store.listSettings(prefix)) {
      const hostKey = setting.slice(prefix.length);
      const move = JSON.parse(text) as PageMove;
      const { from, to, since, nowhere, root = from } = move;
      const progress = await countProgress(store, crawler, hostKey, move);
      const { done, total, waiting, failing } = progress;
      if (done + nowhere.length === total && since < before(clock.now(), LISTED)) continue;
      const pages = { ...progress, from: `${from}*`, nowhere };
      const reason = 'redirected' as const;
      views.push({ crawler, root, target: `${to}*`, reason, since, documents: waiting + failing, pages });
    }
    return views;
  }

  /**
   * Follows the move, or declines it: the documents of pages that redirect to the other site then leave the index, under
   * the deletion guard.
   * @throws NotFound
   */
  async decide(crawler: string, root: string, follow: boolean): Promise<void> {
    const { store, clock, crawlers } = this.services;
    const target = crawlers.get(crawler);
    const text = await store.getSetting(getUndecidedSetting(crawler, root));
    if (text === undefined) throw new NotFound(`no move of ${root} waits for a decision in crawler ${crawler}`);
    const move = JSON.parse(text) as UndecidedMove;
    const decision: MoveDecision = { origin: getOrigin(toCrawlUrl(move.target)), follow };
    await store.putSetting(getDecisionSetting(crawler, root), JSON.stringify(decision));
    await store.putSetting(getUndecidedSetting(crawler, root), undefined);
    const now = clock.now();
    await store.makeDue({ crawler, reasons: ['move-undecided'] }, now, REFRESH);
    await target.sweep(now);
    const home = await store.find(crawler, root);
    if (home) await target.visitNow(home);
  }
}
