/**
 * URLs for which the store may not know what the index holds: a sink may have acknowledged an order that could not be
 * recorded because the process died or the store failed. They are visited again without validators; whatever the visit
 * finds, a document or its absence, is ordered regardless of what the store believes.
 */
import { decideDisposition } from '../../../domain/crawl/disposition.js';
import { type DispositionRules } from '../../../domain/crawl/revisit.js';
import { type Disposition, type VisitOutcome } from '../../../domain/crawl/state-changes.js';
import { type StateChanges, UNKNOWN_STAMP, type UrlId, type UrlState } from '../../../domain/crawl/url-state.js';
import { type Instant, instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings } from '../../ports/frontier-store.js';

/** Name of the setting that records when the death of a process was last detected. */
const DIED_SETTING = 'died';

export class InDoubtDeliveries {
  private since: Instant = instant(0);
  private unsaved = false;
  /** URLs for which this process sent an order that could not be recorded, each with the number of its last doubt. */
  private readonly urls = new Map<UrlId, number>();
  private doubts = 0;

  constructor(
    private readonly store: Settings,
    private readonly clock: Clock,
  ) {}

  async open(): Promise<void> {
    const diedAt = instant(Number((await this.store.getSetting(DIED_SETTING)) ?? 0));
    if (diedAt > this.since) this.since = diedAt;
  }

  /** To be called when the previous process, or another node, has died in the middle of its work. */
  async markAllInFlightInDoubt(): Promise<void> {
    this.since = this.clock.now();
    this.unsaved = true;
    await this.save();
  }

  /** To be called when an order for this URL may have reached a sink and the store could not be updated. */
  add(url: UrlId): void {
    this.urls.set(url, ++this.doubts);
  }

  /** Returns a number that changes with each new doubt about the URL. */
  getMark(url: UrlId): number | undefined {
    return this.urls.get(url);
  }

  /** To be called when what the sinks hold for the URL has been recorded. */
  remove(url: UrlId): void {
    this.urls.delete(url);
  }

  /** Throws if the other nodes cannot be informed which deliveries are in doubt. */
  async save(): Promise<void> {
    if (this.urls.size > 0) {
      this.since = this.clock.now();
      this.unsaved = true;
    }
    if (!this.unsaved) return;
    const { since } = this;
    await this.store.putSetting(DIED_SETTING, String(since));
    if (this.since === since) this.unsaved = false;
  }

  /**
   * Returns the state that a visit, or a decision without one, must start from: a URL in doubt has an unknown document.
   */
  applyDoubt(state: UrlState): UrlState {
    return this.isInDoubt(state) ? { ...state, stamp: UNKNOWN_STAMP, etag: undefined, lastModified: undefined } : state;
  }

  /**
   * Decides like the domain, except that if the URL is in doubt, a document is ordered even if the store knows it, and
   * a deletion is ordered if there is no document.
   */
  decide(state: UrlState, outcome: VisitOutcome, rules: DispositionRules, now: Instant): Disposition {
    if (!this.isInDoubt(state)) return decideDisposition(state, outcome, rules, now);
    if (outcome.kind === 'document' && outcome.index) {
      const disposition = decideDisposition(state, outcome, rules, now);
      return { ...disposition, order: disposition.order ?? { kind: 'add', reason: 'reconciled' } };
    }
    return this.keepInDoubt(state, decideDisposition(this.applyDoubt(state), outcome, rules, now));
  }

  /** If nothing is ordered, after a temporary error for example, the URL stays in doubt until its next visit. */
  keepInDoubt(state: UrlState, disposition: Disposition): Disposition {
    if (disposition.order || disposition.remove) return disposition;
    return { ...disposition, changes: this.selectChangesIfUnanswered(state, disposition.changes) };
  }

  /**
   * Selects the changes to record when no sink has accepted an order: what is known about the URL's document stays the
   * same.
   */
  selectChangesIfUnanswered<C extends StateChanges>(state: UrlState, changes: C): Omit<C, 'lastVisitAt'> {
    if (!this.isInDoubt(state)) return changes;
    const { lastVisitAt: _, ...rest } = changes;
    return state.stamp === undefined ? rest : { ...rest, stamp: UNKNOWN_STAMP, etag: null, lastModified: null };
  }

  /** A URL that was in flight at that time is still due. */
  private isInDoubt({ id, stamp, lastVisitAt, firstSeenAt, dueAt }: UrlState): boolean {
    if (this.urls.has(id)) return true;
    return (lastVisitAt ?? firstSeenAt) <= this.since && (stamp === undefined || dueAt <= this.since);
  }
}
