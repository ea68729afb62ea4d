/**
 * Derives from the response to GET /robots.txt what a host permits, and for how long that is valid. Source: RFC 9309,
 * 2.3.1 and 2.4. A limited number of redirects is followed by the caller, which passes in the last response.
 */
import { findChallenge } from '../fetch/bot-challenges.js';
import type { FetchOutcome } from '../fetch/outcome.js';
import { after, type Duration, hours, type Instant, minutes } from '../time/units.js';
import { EMPTY_ROBOTS, findCrawlDelay, isAllowedByRobots, parseRobots, type RobotsTxt } from './robots-txt.js';

/** Plain data that can be stored. */
export interface RobotsPolicy {
  /**
   * rules: `robots` decides; absent: there is no robots.txt, and everything is allowed; unreachable: nothing is allowed
   * until it can be read.
   */
  readonly state: 'rules' | 'absent' | 'unreachable';
  readonly robots: RobotsTxt;
  readonly fetchedAt: Instant;
  /** From this time on, robots.txt is requested again before the next page. */
  readonly expiresAt: Instant;
}

export const ROBOTS_MAX_REDIRECTS = 5;
const MAX_CACHE_AGE = hours(24);
const UNREACHABLE_RETRY_DELAY = minutes(5);
/** How long rules outlive the last response that had them while a web page is sent in their place. */
const MAX_RULES_AGE = hours(48);

/**
 * 2xx: the rules in the body apply. 4xx and redirects that lead nowhere: everything is allowed. 5xx, 429, the challenge
 * of a bot protection and no response: nothing is allowed, but rules read earlier remain in force while the host is
 * unavailable. A web page in place of rules (maintenance, login) does not justify dropping them at once.
 */
export function createRobotsPolicy(outcome: FetchOutcome, now: Instant, previous?: RobotsPolicy): RobotsPolicy {
  const createPolicy = (state: RobotsPolicy['state'], robots: RobotsTxt, age: Duration): RobotsPolicy => ({
    state,
    robots,
    fetchedAt: now,
    expiresAt: after(now, age),
  });
  // Whatever its status, a challenge says nothing about robots.txt.
  if (outcome.kind === 'response' && findChallenge(outcome) === undefined) {
    const { status } = outcome;
    if (status >= 200 && status < 300 && !isPageInPlaceOf(previous, outcome.body, now))
      return createPolicy('rules', parseRobots(outcome.body), MAX_CACHE_AGE);
    // 429 is a 4xx that says nothing about robots.txt: the host is overloaded.
    if (status >= 300 && status < 500 && status !== 429) return createPolicy('absent', EMPTY_ROBOTS, MAX_CACHE_AGE);
  }
  if (previous && previous.state !== 'unreachable')
    return { ...previous, expiresAt: after(now, UNREACHABLE_RETRY_DELAY) };
  return createPolicy('unreachable', EMPTY_ROBOTS, UNREACHABLE_RETRY_DELAY);
}

const isPageInPlaceOf = (policy: RobotsPolicy | undefined, body: Uint8Array, now: Instant): boolean =>
  !!policy?.robots.groups.length &&
  now < after(policy.fetchedAt, MAX_RULES_AGE) &&
  /^\s*</.test(new TextDecoder().decode(body.subarray(0, 256)));

export const isStale = (policy: RobotsPolicy, now: Instant): boolean => now >= policy.expiresAt;

export function mayFetch(policy: RobotsPolicy, agent: string, pathWithQuery: string): boolean {
  return policy.state !== 'unreachable' && isAllowedByRobots(policy.robots, agent, pathWithQuery);
}

export const getCrawlDelay = (policy: RobotsPolicy, agent: string): Duration | undefined =>
  findCrawlDelay(policy.robots, agent);
