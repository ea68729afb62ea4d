/**
 * Reports refused calls (401, 403, 429): with a log line and an audit entry for the first few of a kind in each minute,
 * and a count for all. Key guessing must be noticed, but must not fill the log or the audit log.
 */

import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { AuditLog } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';

const WINDOW = seconds(60);
/** Maximum number of calls reported per minute for one address and status. */
const MAX_REPORTS_PER_ADDRESS = 5;
/** Maximum number of calls reported per minute in total: an attacker may have many addresses. */
const MAX_REPORTS = 60;
/** Maximum number of calls with a wrong key per minute and address; a console with an outdated key makes far fewer. */
export const MAX_WRONG_KEYS_PER_MINUTE = 300;
/** Maximum number of addresses counted at the same time. */
const MAX_ADDRESSES = 10_000;

export interface RefusedCall {
  readonly status: number;
  readonly address: string;
  /** Name of the key. Absent if the key was missing or wrong. */
  readonly who?: string;
  readonly method: string;
  /** Path without the query, which may contain anything. */
  readonly path: string;
}

export class RefusedCalls {
  /** Number of refused calls since the start of the process, by status. */
  readonly counts = new Map<number, number>([
    [401, 0],
    [403, 0],
    [429, 0],
  ]);
  private readonly wrongKeyCounts = new Map<string, number>();
  private readonly reportCounts = new Map<string, number>();
  private unreportedCount = 0;
  private windowEndsAt: Instant | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly audit: AuditLog,
  ) {}

  /** Counts a wrong key from the address and returns whether the call may continue. */
  consumeAttempt(address: string): boolean {
    this.startWindow();
    return incrementCount(this.wrongKeyCounts, address) <= MAX_WRONG_KEYS_PER_MINUTE;
  }

  /** Seconds until an address may try again. */
  get retryAfter(): number {
    return this.windowEndsAt === undefined ? 1 : Math.max(1, Math.ceil((this.windowEndsAt - this.clock.now()) / 1000));
  }

  record(call: RefusedCall): void {
    this.startWindow();
    this.counts.set(call.status, (this.counts.get(call.status) ?? 0) + 1);
    const isWithinAddressLimit =
      incrementCount(this.reportCounts, `${call.address} ${call.status}`) <= MAX_REPORTS_PER_ADDRESS;
    if (!isWithinAddressLimit || incrementCount(this.reportCounts, 'all') > MAX_REPORTS) {
      this.unreportedCount++;
      return;
    }
    const { status, address, who, method, path } = call;
    this.log.warn('a call was refused', { status, address, who, method, path });
    const entry = { at: this.clock.now(), who: who ?? 'nobody', what: 'refusedCall', target: `${method} ${path}` };
    this.audit
      .append({ ...entry, outcome: `refused: ${status}`, before: '', after: JSON.stringify({ address }) })
      .catch((error: unknown) =>
        this.log.warn('a refused call could not be written to the audit log', { error: String(error) }),
      );
  }

  private startWindow(): void {
    const now = this.clock.now();
    if (this.windowEndsAt !== undefined && now < this.windowEndsAt) return;
    if (this.unreportedCount > 0) this.log.warn('further calls were refused', { calls: this.unreportedCount });
    this.unreportedCount = 0;
    this.wrongKeyCounts.clear();
    this.reportCounts.clear();
    this.windowEndsAt = after(now, WINDOW);
  }
}

function incrementCount(counts: Map<string, number>, name: string): number {
  if (!counts.has(name) && counts.size >= MAX_ADDRESSES) return MAX_ADDRESSES;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
