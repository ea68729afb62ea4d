import { ERROR_CODES, type ErrorCode } from '../../src/domain/fetch/error-codes.js';
import { type Instant, instant } from '../../src/domain/time/units.js';
import type { CrawlEvent } from '../../src/engine/events.js';

/** Temporary errors in a row that a URL may have; one more deletes it. */
const MAX_TEMPORARY_ERRORS = 5;
/** A visit is settled within this time, however slow the sink is, unless the process dies. */
const SETTLED_WITHIN_MS = 10 * 60_000;
/** What a host asked for is written down within this time. */
const REMEMBERED_WITHIN_MS = 2_000;

interface Course {
  failures: number;
  lastSuccessAt: Instant;
}

/** Follows what the engine says it does, and says when that cannot be right. */
export class Witness {
  private readonly courses = new Map<string, Course>();
  private readonly crashes: Instant[] = [];
  private readonly held = new Set<string>();

  constructor(private readonly violations: string[]) {}

  crashed(at: Instant): void {
    this.crashes.push(at);
  }

  /** What a host asked for at this time may have died with the process. */
  mayHaveForgotten(time: Instant): boolean {
    return this.crashedWithin(time, REMEMBERED_WITHIN_MS);
  }

  /** A visit that was answered at this time may have died with the process before it was settled. */
  mayNotHaveSettled(time: Instant): boolean {
    return this.crashedWithin(time, SETTLED_WITHIN_MS);
  }

  see(event: CrawlEvent): void {
    if (event.type === 'visit') this.visit(event.url, event.outcome, event.at);
    else if (event.type === 'order' && event.reason === 'too-many-temporary-errors') {
      // What was held is judged when it was decided, not when a person lets it go.
      if (event.state === 'held') this.held.add(event.uri);
      else if (this.held.delete(event.uri)) return;
      this.deletion(event.uri);
    }
  }

  private visit(url: string, outcome: string, at: Instant): void {
    const course = this.courses.get(url) ?? { failures: 0, lastSuccessAt: instant(0) };
    const entry = outcome in ERROR_CODES ? ERROR_CODES[outcome as ErrorCode] : undefined;
    // A start URL is tried again after any error, and every one counts.
    if (entry && (entry.class === 'temporary' || new URL(url).pathname === '/')) course.failures++;
    // Whether a redirect that leaves the document where it is leads anywhere is not decided yet.
    else if (!entry && outcome !== 'redirect') {
      course.failures = 0;
      course.lastSuccessAt = at;
    }
    this.courses.set(url, course);
  }

  private deletion(url: string): void {
    const course = this.courses.get(url);
    if (
      !course ||
      course.failures > MAX_TEMPORARY_ERRORS ||
      this.crashedWithin(course.lastSuccessAt, SETTLED_WITHIN_MS)
    )
      return;
    this.violations.push(`${url} was deleted after ${course.failures} temporary errors in a row`);
  }

  private crashedWithin(time: Instant, ms: number): boolean {
    return this.crashes.some((crash) => crash >= time && crash - time < ms);
  }
}
