/**
 * Documents that may stand in the index although the store knows of none: the sink had acknowledged the order when the
 * process died, and nobody lived to write that down. The visit that was cut short is made again; when it finds a document,
 * the index gets it again and all is well. When it finds none any more, a deletion has to go out all the same.
 */
import { type Disposition, type DispositionRules, dispose, type VisitOutcome } from '../../domain/crawl/disposition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore } from '../ports/frontier-store.js';

/** Setting: when it was last found that a process had died. */
const DIED = 'died';
/** No digest: that of a document which nobody can tell. */
const UNKNOWN_STAMP = '';

export class Doubts {
  private since: Instant = instant(0);
  private unsaved = false;

  constructor(
    private readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting'>,
    private readonly clock: Clock,
  ) {}

  async open(): Promise<void> {
    const died = instant(Number((await this.store.getSetting(DIED)) ?? 0));
    if (died > this.since) this.since = died;
  }

  /** The process before this one, or another node, has ended in the middle of its work; or a visit whose order went out could not be written down. */
  async begin(): Promise<void> {
    this.since = this.clock.now();
    this.unsaved = true;
    await this.save();
  }

  /** Throws as long as nobody else could be told of the doubts that there are. */
  async save(): Promise<void> {
    if (!this.unsaved) return;
    const { since } = this;
    await this.store.putSetting(DIED, String(since));
    if (this.since === since) this.unsaved = false;
  }

  /** As the domain disposes; in doubt a visit that finds no document deletes what may be there. */
  dispose(state: UrlState, outcome: VisitOutcome, rules: DispositionRules, now: Instant): Disposition {
    const finds = (outcome.kind === 'document' && outcome.index) || outcome.kind === 'unchanged';
    if (finds || !this.isAbout(state)) return dispose(state, outcome, rules, now);
    const disposition = dispose({ ...state, stamp: UNKNOWN_STAMP }, outcome, rules, now);
    if (disposition.order) return disposition;
    // Nothing was decided, so the doubt outlives this visit: a temporary error.
    const { lastVisitAt: _, ...changes } = disposition.changes;
    return { ...disposition, changes };
  }

  private isAbout(state: UrlState): boolean {
    return state.stamp === undefined && (state.lastVisitAt ?? state.firstSeenAt) <= this.since;
  }
}
