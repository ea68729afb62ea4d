import { REFRESH } from '../../domain/frontier/sources.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { Instant } from '../../domain/time/units.js';
import { getOrigin, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawlers } from '../crawl/crawlers.js';
import {
  getDecisionSetting,
  getUndecidedSetting,
  type MoveDecision,
  type UndecidedMove,
} from '../crawl/frontier/site-moves.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import { NotFound } from '../support/api-errors.js';

/** A site that redirects to another one, to which the crawl does not move by itself. */
export interface SiteMoveView {
  readonly crawler: string;
  readonly root: string;
  readonly target: string;
  readonly reason: ReasonCode;
  readonly since: Instant;
  /** Number of its documents that stay in the index although their pages redirect there. */
  readonly documents: number;
}

interface DecisionServices {
  readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting' | 'listSettings' | 'count' | 'makeDue' | 'find'>;
  readonly clock: Clock;
  readonly crawlers: Pick<Crawlers, 'get' | 'list'>;
}

/** Moves of sites about which an operator decides. */
export class SiteMoveDecisions {
  constructor(private readonly services: DecisionServices) {}

  async list(): Promise<SiteMoveView[]> {
    const { store, crawlers } = this.services;
    const views: SiteMoveView[] = [];
    for (const { name: crawler } of crawlers.list()) {
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
