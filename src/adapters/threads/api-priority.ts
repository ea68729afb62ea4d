/** Milliseconds after a request during which results are handed out in short turns, since the next request may be near. */
const IN_USE_MS = 1_000;

/** Milliseconds of work after which a turn hands out nothing more, so that a request does not wait longer. */
const TURN_MS = 0.25;

/** Maximum milliseconds for which results wait for a response: event streams and long requests must not stop the crawl. */
const MAX_HOLD_MS = 5;

/** Number of results handed out after a wait that was too long: as many as a page thread sends together. */
const PORTION = 8;

/** The event loop as this class uses it. */
export interface Loop {
  /** Milliseconds. */
  now(): number;
  /** Runs the work in the next turn. */
  nextTurn(work: () => void): void;
  /** Runs the work in this turn, after everything that the work before it set going has been done. */
  afterMicrotasks(work: () => void): void;
  /** Runs the work after some milliseconds. */
  later(work: () => void, milliseconds: number): void;
}

const EVENT_LOOP: Loop = {
  now: () => performance.now(),
  nextTurn: (work) => void setImmediate(work),
  // Ticks queued by a microtask run when no microtask is left.
  afterMicrotasks: (work) => queueMicrotask(() => process.nextTick(work)),
  later: (work, milliseconds) => void setTimeout(work, milliseconds),
};

/**
 * Lets API requests overtake the results of other threads, of which a crawl at full speed produces thousands a second.
 * While nobody uses the API, each result is handed out when it arrives, which costs nothing. While it is in use, a turn of
 * the event loop hands out no more than what takes a fraction of a millisecond, and nothing while a request is being
 * answered.
 */
export class ApiPriority {
  private queue: (() => void)[] = [];
  private scheduled = false;
  private inUseUntil = -Infinity;
  private answering = false;
  private holdUntil: number | undefined;

  constructor(private readonly loop: Loop = EVENT_LOOP) {}

  startRequest(): void {
    this.inUseUntil = this.loop.now() + IN_USE_MS;
    this.answering = true;
  }

  /** Another request may still be unanswered: then it no longer has priority. */
  endRequest(): void {
    this.answering = false;
    this.schedule();
  }

  /** Hands out a result, now or later, in the order of the calls. */
  handOut(result: () => void): void {
    if (this.queue.length === 0 && this.loop.now() >= this.inUseUntil) {
      result();
      return;
    }
    this.queue.push(result);
    this.schedule();
  }

  /** Hands out all results that are waiting. */
  flush(): void {
    while (this.queue.length > 0) this.handOutFirst(this.queue.length);
  }

  private schedule(): void {
    if (this.scheduled || this.queue.length === 0) return;
    this.scheduled = true;
    this.loop.nextTurn(() => this.takeTurn());
  }

  private takeTurn(): void {
    this.scheduled = false;
    if (this.answering) this.waitForResponse();
    else this.handOutUntil(this.loop.now() + TURN_MS);
  }

  private waitForResponse(): void {
    const now = this.loop.now();
    this.holdUntil ??= now + MAX_HOLD_MS;
    if (now < this.holdUntil) {
      this.loop.later(() => this.schedule(), this.holdUntil - now);
      return;
    }
    this.answering = false;
    this.holdUntil = undefined;
    this.handOutFirst(PORTION);
    this.schedule();
  }

  private handOutUntil(end: number): void {
    this.holdUntil = undefined;
    this.handOutFirst(1);
    if (this.queue.length === 0) return;
    this.scheduled = true;
    this.loop.afterMicrotasks(() => {
      this.scheduled = false;
      if (this.answering || this.loop.now() >= end) this.schedule();
      else this.handOutUntil(end);
    });
  }

  private handOutFirst(count: number): void {
    for (const result of this.queue.splice(0, count)) result();
  }
}
