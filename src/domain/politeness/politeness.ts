/**
 * Politeness towards one web server: two clocks that are never merged. The crawl delay is the constant pause after
 * every response; the back-off is the reaction of the whole host to an overload or an outage. A request may start when
 * both have passed. Seeds: CloudView `throttleTimeMS`; RFC 9110, 10.2.3 (Retry-After); semantics, section 6.
 */
import { type ErrorCode, getDefaultReactions } from '../fetch/error-codes.js';
import {
  after,
  atLeast,
  atMost,
  type Duration,
  hours,
  type Instant,
  instant,
  milliseconds,
  seconds,
} from '../time/units.js';

export interface Politeness {
  /** No request before this time: the crawl delay counts from the end of the last response. */
  readonly nextRequestAt: Instant;
  /** No request before this time: the host asked for rest, or is not responding. */
  readonly backOffUntil: Instant;
  /** Number of consecutive back-offs; 0 if the host is healthy. */
  readonly backOffStep: number;
}

/** A host to which no request has been sent. */
export const UNVISITED: Politeness = { nextRequestAt: instant(0), backOffUntil: instant(0), backOffStep: 0 };

const FIRST_BACK_OFF = seconds(5);
const LONGEST_BACK_OFF = hours(1);
const LONGEST_RETRY_AFTER = hours(24);
/** A longer Crawl-delay is cut to this: a mistake in robots.txt must not close a site for a day. */
const LONGEST_CRAWL_DELAY = seconds(60);

/** The earliest time of the next request. */
export const computeNextRequestTime = (state: Politeness): Instant =>
  state.nextRequestAt > state.backOffUntil ? state.nextRequestAt : state.backOffUntil;

/**
 * The pause of one crawler at a host: its own throttle, or the Crawl-delay of robots.txt, up to `longest`, if that is
 * longer.
 */
export function computeRequestDelay(
  throttle: Duration,
  robotsDelay: Duration | undefined,
  longest: Duration = LONGEST_CRAWL_DELAY,
): Duration {
  return robotsDelay === undefined ? throttle : atLeast(atMost(robotsDelay, longest), throttle);
}

/** A page that takes longer than this to read counts against its host and is logged. */
export const SLOW_PAGE = seconds(1);
/** A page of an ordinary site takes a tenth of this, even under load. */
const COSTLY_PAGE = milliseconds(50);
/** The pause is this many times the reading time, so that one host takes at most a tenth of a thread. */
const PAUSES_PER_READING = 9;
const LONGEST_READING_PAUSE = seconds(300);

/**
 * The pause after a page that blocked its thread for `readingTime`. A crawl without pauses stays without them up to
 * `SLOW_PAGE`.
 */
export function computePauseAfterReading(delay: Duration, readingTime: Duration): Duration {
  const least = delay > 0 ? COSTLY_PAGE : SLOW_PAGE;
  if (readingTime <= least) return delay;
  return atLeast(atMost(milliseconds(readingTime * PAUSES_PER_READING), LONGEST_READING_PAUSE), delay);
}

/** Maximum number of requests in flight at one host at the same time. */
export const getMaxRequestsPerHost = ({
  aggressive,
  concurrency,
}: {
  aggressive: boolean;
  concurrency: number;
}): number => (aggressive ? concurrency : 1);

/**
 * The state after a request was sent. Until the response has ended, the delay counts from here, so that a state saved
 * now and read after a crash still keeps the pause.
 */
export const applyRequestStart = (state: Politeness, now: Instant, delay: Duration): Politeness =>
  pauseUntil(state, after(now, delay));

/** The state after the response, or the failure to get one, has ended: the next request waits `delay` from now. */
export const applyRequestEnd = (state: Politeness, now: Instant, delay: Duration): Politeness =>
  pauseUntil(state, after(now, delay));

/** Never moves the clock back: another crawler may have set a longer pause. */
const pauseUntil = (state: Politeness, moment: Instant): Politeness =>
  moment > state.nextRequestAt ? { ...state, nextRequestAt: moment } : state;

/**
 * The state after the host has responded properly. While a back-off runs, a response belongs to a request that was in
 * flight before it and says nothing about recovery.
 */
export const applyGoodResponse = (state: Politeness, now: Instant): Politeness =>
  state.backOffStep === 0 || now < state.backOffUntil ? state : { ...state, backOffStep: 0 };

/**
 * The host asks for rest, or is not responding: it gets no request for 5 s, then 10 s, doubling up to an hour. Its own
 * `retryAfter` takes precedence, up to a day. Failures that arrive while a back-off runs belong to the same outage:
 * they do not add another step, but a longer `retryAfter` is honored.
 */
export function backOff(state: Politeness, now: Instant, retryAfter?: Duration): Politeness {
  const again = now < state.backOffUntil;
  const step = again ? state.backOffStep : state.backOffStep + 1;
  const wait =
    retryAfter === undefined
      ? computeExponentialDelay(step)
      : atLeast(atMost(retryAfter, LONGEST_RETRY_AFTER), FIRST_BACK_OFF);
  const until = after(now, wait);
  if (again && (retryAfter === undefined || until <= state.backOffUntil)) return state;
  return { ...state, backOffUntil: until, backOffStep: step };
}

/** Number of consecutive 5xx responses that can no longer be blamed on individual pages. */
const RUN_OF_SERVER_ERRORS = 3;

/**
 * After that many consecutive 5xx responses, the host is slowed down as if it responded with 503, until it responds
 * otherwise.
 */
export const isServerErrorStreak = (inARow: number): boolean => inARow >= RUN_OF_SERVER_ERRORS;

/**
 * Ends the back-off: while the host rested, a request made on behalf of a person got a response that was good or
 * concerned the page alone.
 */
export const endBackOff = (state: Politeness, now: Instant): Politeness => ({
  ...state,
  backOffUntil: state.backOffUntil < now ? state.backOffUntil : now,
  backOffStep: 0,
});

const computeExponentialDelay = (step: number): Duration =>
  atMost(milliseconds(FIRST_BACK_OFF * 2 ** (step - 1)), LONGEST_BACK_OFF);

/** Whether an error concerns the whole host rather than one page. */
export const isHostError = (code: ErrorCode): boolean => getDefaultReactions(code).host === 'backs-off';
