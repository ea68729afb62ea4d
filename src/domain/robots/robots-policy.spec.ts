import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../fetch/outcome.js';
import { hours, instant, after as later, milliseconds, minutes } from '../time/units.js';
import { createRobotsPolicy, getCrawlDelay, isStale, mayFetch, type RobotsPolicy } from './robots-policy.js';

const noon = instant(1_700_000_000_000);
const timings = { header: milliseconds(1), total: milliseconds(1) };
const answer = (status: number, body = ''): FetchOutcome => ({
  kind: 'response',
  status,
  headers: {},
  body: new TextEncoder().encode(body),
  transferred: body.length,
  address: '192.0.2.1',
  timings,
});
const failure: FetchOutcome = { kind: 'failure', code: 'connection-refused', detail: '', timings };

describe('what robots.txt of a host permits', () => {
  it('is what a successful response says, for 24 hours', () => {
    const policy = createRobotsPolicy(answer(200, 'user-agent: *\ndisallow: /x\ncrawl-delay: 3'), noon);
    expect(mayFetch(policy, 'bot', '/x')).toBe(false);
    expect(mayFetch(policy, 'bot', '/y')).toBe(true);
    expect(getCrawlDelay(policy, 'bot')).toBe(3000);
    expect(isStale(policy, later(noon, hours(23)))).toBe(false);
    expect(isStale(policy, later(noon, hours(24)))).toBe(true);
  });

  it.each([301, 308, 400, 401, 403, 404, 410, 451])('is everything after status %i', (status) => {
    const policy = createRobotsPolicy(answer(status, 'user-agent: *\ndisallow: /'), noon);
    expect(policy.state).toBe('absent');
    expect(mayFetch(policy, 'bot', '/x')).toBe(true);
  });

  it.each([answer(429), answer(500), answer(503), answer(599), answer(600), failure])(
    'is nothing, with a retry within minutes, after %o',
    (outcome) => {
      const policy = createRobotsPolicy(outcome, noon);
      expect(policy.state).toBe('unreachable');
      expect(mayFetch(policy, 'bot', '/x')).toBe(false);
      expect(isStale(policy, later(noon, minutes(4)))).toBe(false);
      expect(isStale(policy, later(noon, minutes(5)))).toBe(true);
    },
  );

  it('stays as before while robots.txt is unreachable', () => {
    const rules = createRobotsPolicy(answer(200, 'user-agent: *\ndisallow: /x'), noon);
    const absent = createRobotsPolicy(answer(404), noon);
    const tomorrow = later(noon, hours(25));
    for (const previous of [rules, absent] satisfies RobotsPolicy[]) {
      const policy = createRobotsPolicy(failure, tomorrow, previous);
      expect(policy).toEqual({ ...previous, expiresAt: later(tomorrow, minutes(5)) });
    }
    expect(mayFetch(createRobotsPolicy(failure, tomorrow, rules), 'bot', '/y')).toBe(true);
  });

  it('stays as before while a web page is sent in place of rules, for a day', () => {
    const page = answer(200, '\n<!doctype html><title>Maintenance</title>');
    const rules = createRobotsPolicy(answer(200, 'user-agent: *\ndisallow: /x'), noon);
    const tomorrow = later(noon, hours(25));
    const kept = createRobotsPolicy(page, tomorrow, rules);
    expect(kept).toEqual({ ...rules, expiresAt: later(tomorrow, minutes(5)) });
    const dropped = createRobotsPolicy(page, later(noon, hours(48)), kept);
    expect([mayFetch(kept, 'bot', '/x'), mayFetch(dropped, 'bot', '/x')]).toEqual([false, true]);
    for (const previous of [undefined, dropped, createRobotsPolicy(failure, noon)])
      expect(createRobotsPolicy(page, tomorrow, previous)).toMatchObject({ state: 'rules', fetchedAt: tomorrow });
    expect(mayFetch(createRobotsPolicy(answer(200, 'no rules'), tomorrow, rules), 'bot', '/x')).toBe(true);
  });

  it('is restored once robots.txt can be read', () => {
    const closed = createRobotsPolicy(failure, noon);
    expect(mayFetch(createRobotsPolicy(answer(404), later(noon, minutes(5)), closed), 'bot', '/x')).toBe(true);
  });
});
