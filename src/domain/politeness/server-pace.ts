/**
 * Tracks how fast a web server responds compared with its usual pace. A server that responds more slowly, or with 5xx,
 * is overloaded, and the pause grows accordingly. It never becomes shorter than configured.
 */
import { atMost, type Duration, milliseconds, seconds } from '../time/units.js';

export interface ServerPace {
  /** Mean response time over the last hundred responses or so. */
  readonly usualTime: Duration;
  /** Mean response time over the last few responses. */
  readonly recentTime: Duration;
  readonly responseCount: number;
  /** Whether the last response was a 5xx. */
  readonly isFailing: boolean;
}

export const UNKNOWN_PACE: ServerPace = {
  usualTime: milliseconds(0),
  recentTime: milliseconds(0),
  responseCount: 0,
  isFailing: false,
};

/** What determined the pause after a request. */
export const PAUSE_CAUSES = [
  'crawler',
  'schedule',
  'robots',
  'slow-responses',
  'server-errors',
  'reading',
  'rendering',
] as const;

export interface HostPause {
  readonly cause: (typeof PAUSE_CAUSES)[number];
  readonly length: Duration;
}

/** Weights of a new response in the two means. */
const USUAL_WEIGHT = 1 / 100;
const RECENT_WEIGHT = 1 / 5;
/** Until there have been this many responses, the usual pace is unknown. */
const MIN_RESPONSES = 10;
/** Responses faster than this are no sign of load, regardless of the usual pace. */
const SLOW_RESPONSE = milliseconds(500);
/** A server is slow if its recent responses take more than this many times the usual time. */
const SLOW_RATIO = 2;
/** Factors by which the pause grows: the maximum for a slow server, and the one for a failing server. */
const MAX_SLOW_FACTOR = 8;
const FAILING_FACTOR = 2;
const MAX_PAUSE = seconds(60);

/** The pace after a response that took `duration`. */
export function updatePace(pace: ServerPace, duration: Duration, status: number | undefined): ServerPace {
  const responseCount = pace.responseCount + 1;
  const computeMovingAverage = (previousMean: number, minWeight: number): Duration =>
    milliseconds(previousMean + (duration - previousMean) * Math.max(minWeight, 1 / responseCount));
  const isFailing = status !== undefined && status >= 500;
  // A failing server's response times are not typical.
  const usualTime =
    isFailing && pace.responseCount > 0 ? pace.usualTime : computeMovingAverage(pace.usualTime, USUAL_WEIGHT);
  return { usualTime, recentTime: computeMovingAverage(pace.recentTime, RECENT_WEIGHT), responseCount, isFailing };
}

/** The pause for a server at this pace. `delay` is the configured pause; if it is zero, there is none. */
export function adaptPause(delay: Duration, { usualTime, recentTime, responseCount, isFailing }: ServerPace): Duration {
  if (delay === 0) return delay;
  const isSlow = responseCount >= MIN_RESPONSES && recentTime > SLOW_RESPONSE && recentTime > SLOW_RATIO * usualTime;
  const factor = Math.max(
    isSlow ? Math.min(recentTime / usualTime, MAX_SLOW_FACTOR) : 1,
    isFailing ? FAILING_FACTOR : 1,
  );
  return factor === 1 ? delay : milliseconds(Math.max(delay, atMost(milliseconds(delay * factor), MAX_PAUSE)));
}
