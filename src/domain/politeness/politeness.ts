/**
 * Politeness towards one web server: two clocks that are never merged. The crawl delay is the constant pause after
 * every response; the back-off is the reaction of the whole host to an overload or an outage. A request may start when
 * both have passed. Based on CloudView's `throttleTimeMS`; RFC 9110, 10.2.3 (Retry-After); semantics, section 6.
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
  /** No request before this time: the host asked for a pause, or is not responding. */
  readonly backOffUntil: Instant;
  /** Number of consecutive back-offs; 0 if the host is healthy. */
  readonly backOffStep: number;
}

/** The state of a host to which no request has been sent. */
export const UNVISITED: Politeness = { nextRequestAt: instant(0), backOffUntil: instant(0), backOffStep: 0 };

/** The stored state, without times that no site can have asked for: the clock was ahead when they were stored. */
export const dropImpossibleTimes = (state: Politeness, now: Instant): Politeness =>
  computeNextRequestTime(state) > after(now, MAX_RETRY_AFTER) ? UNVISITED : state;

const FIRST_BACK_OFF = seconds(5);
const MAX_BACK_OFF = hours(1);
export const MAX_RETRY_AFTER = hours(24);
/** A longer Crawl-delay is reduced to this, so that a mistake in robots.txt does not close a site for a day. */
const MAX_CRAWL_DELAY = seconds(60);

/** The earliest time of the next request. */
export const computeNextRequestTime = (state: Politeness): Instant =>
  state.nextRequestAt > state.backOffUntil ? state.nextRequestAt : state.backOffUntil;

/**
 * The pause of one crawler at a host: its own throttle or, if that is longer, the Crawl-delay of robots.txt, up to a
 * limit.
 */
export const computeRequestDelay = (throttle: Duration, robotsDelay: Duration | undefined): Duration =>
  robotsDelay === undefined ? throttle : atLeast(atMost(robotsDelay, MAX_CRAWL_DELAY), throttle);

/** A page that takes longer than this to read counts against its host and is logged. */
export const SLOW_PAGE = seconds(1);
/** A page that takes longer than this to read extends the pause. Ordinary pages take a tenth of it, even under load. */
const COSTLY_PAGE = milliseconds(50);
/** The pause is this many times the reading time, so that one host takes at most a tenth of a thread. */
const PAUSES_PER_READING = 9;
const MAX_READING_PAUSE = seconds(300);

/**
 * The pause after a page that blocked its thread for `readingTime`. If the crawl has no pauses, one is added only
 * above `SLOW_PAGE`.
 */
export function computePauseAfterReading(delay: Duration, readingTime: Duration): Duration {
  const threshold = delay > 0 ? COSTLY_PAGE : SLOW_PAGE;
  if (readingTime <= threshold) return delay;
  return atLeast(atMost(milliseconds(readingTime * PAUSES_PER_READING), MAX_READING_PAUSE), delay);
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
 * The state after the host has responded properly. During a back-off, a response belongs to a request that was already
 * in flight and says nothing about recovery.
 */
export const applyGoodResponse = (state: Politeness, now: Instant): Politeness =>
  state.backOffStep === 0 || now < state.backOffUntil ? state : { ...state, backOffStep: 0 };

/**
 * Backs off from a host that asks for a pause or is not responding: it gets no request for 5 s, then 10 s, doubling up
 * to an hour. Its own `retryAfter` takes precedence, up to a day. Failures during a back-off belong to the same outage:
 * they do not add another step, but a longer `retryAfter` is honored.
 */
export function applyBackOff(state: Politeness, now: Instant, retryAfter?: Duration): Politeness {
  const isBackingOff = now < state.backOffUntil;
  const step = isBackingOff ? state.backOffStep : state.backOffStep + 1;
  const waitTime =
    retryAfter === undefined
      ? computeExponentialDelay(step)
      : atLeast(atMost(retryAfter, MAX_RETRY_AFTER), FIRST_BACK_OFF);
  const backOffEnd = after(now, waitTime);
  if (isBackingOff && (retryAfter === undefined || backOffEnd <= state.backOffUntil)) return state;
  return { ...state, backOffUntil: backOffEnd, backOffStep: step };
}

/** Number of consecutive 5xx responses that can no longer be blamed on individual pages. */
const SERVER_ERROR_STREAK = 3;

/**
 * Whether a host has sent so many consecutive 5xx responses that it is treated as if it had responded with 503, until
 * it sends a different response.
 */
export const isServerErrorStreak = (count: number): boolean => count >= SERVER_ERROR_STREAK;

/**
 * Ends the back-off. Call this when a request that a user made during the back-off got a response that was good or
 * concerned only the page.
 */
export const endBackOff = (state: Politeness, now: Instant): Politeness => ({
  ...state,
  backOffUntil: state.backOffUntil < now ? state.backOffUntil : now,
  backOffStep: 0,
});

const computeExponentialDelay = (step: number): Duration =>
  atMost(milliseconds(FIRST_BACK_OFF * 2 ** (step - 1)), MAX_BACK_OFF);

/** Whether an error concerns the whole host rather than one page. */
export const isHostError = (code: ErrorCode): boolean => getDefaultReactions(code).host === 'backs-off';
