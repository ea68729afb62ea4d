/**
 * How fast a web server responds compared with its usual pace. One that responds more slowly, or with 5xx, is
 * overloaded, and the pause grows accordingly. It never gets shorter than configured.
 */
import { atMost, type Duration, milliseconds, seconds } from '../time/units.js';

export interface ServerPace {
  /** Mean response time over the last hundred responses or so. */
  readonly habit: Duration;
  /** Mean response time over the last few responses. */
  readonly recent: Duration;
  readonly answers: number;
  /** The last response was a 5xx. */
  readonly failing: boolean;
}

export const UNKNOWN_PACE: ServerPace = {
  habit: milliseconds(0),
  recent: milliseconds(0),
  answers: 0,
  failing: false,
};

const OF_HABIT = 1 / 100;
const OF_RECENT = 1 / 5;
/** Until there have been this many responses, the usual pace is unknown. */
const FEWEST_ANSWERS = 10;
/** Faster responses are no sign of load, whatever the usual pace. */
const SLOW = milliseconds(500);
const SLOWER = 2;
const MOST_TIMES = 8;
const FAILING_TIMES = 2;
const LONGEST_PAUSE = seconds(60);

/** The pace after a response that took `duration`. */
export function updatePace(pace: ServerPace, duration: Duration, status: number | undefined): ServerPace {
  const answers = pace.answers + 1;
  const movingAverage = (before: number, share: number): Duration =>
    milliseconds(before + (duration - before) * Math.max(share, 1 / answers));
  const failing = status !== undefined && status >= 500;
  // A failing server's response times are not typical.
  const habit = failing && pace.answers > 0 ? pace.habit : movingAverage(pace.habit, OF_HABIT);
  return { habit, recent: movingAverage(pace.recent, OF_RECENT), answers, failing };
}

/** The pause for a server at this pace; `delay` is the configured one, and zero stays zero. */
export function adaptPause(delay: Duration, { habit, recent, answers, failing }: ServerPace): Duration {
  if (delay === 0) return delay;
  const isSlow = answers >= FEWEST_ANSWERS && recent > SLOW && recent > SLOWER * habit;
  const times = Math.max(isSlow ? Math.min(recent / habit, MOST_TIMES) : 1, failing ? FAILING_TIMES : 1);
  return times === 1 ? delay : milliseconds(Math.max(delay, atMost(milliseconds(delay * times), LONGEST_PAUSE)));
}
