import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import { after, type Duration, hours, milliseconds, minutes, seconds } from '../../../domain/time/units.js';
import type { LoginMethod, LoginResult } from '../../ports/login-method.js';
import { LoginSession } from './login-session.js';

const REFUSED = { kind: 'refused', detail: 'the site does not accept the user' } as const;
const UNREACHABLE: LoginResult = { kind: 'unreachable', detail: 'no connection' };

/** A login that ends as `result` says, and the times between its attempts. */
function loginTo(result: { now: LoginResult }) {
  const clock = new ManualClock();
  const attempts: number[] = [];
  const recovered: string[] = [];
  const method = {
    login: async () => {
      attempts.push(clock.now());
      return result.now;
    },
    getSession: () => ({}),
  } as Partial<LoginMethod> as LoginMethod;
  const environment = {
    now: () => clock.now(),
    sleep: async () => undefined,
    onChange: () => undefined,
    onRecovery: ({ name }: LoginSession) => void recovered.push(name),
  } as unknown as ConstructorParameters<typeof LoginSession>[2];
  const definition = { name: 'board', type: 'form', maxLoginsPerHour: 6 } as LoginDefinition;
  const session = new LoginSession(definition, method, environment);
  /** Visits wait for the login whenever one may begin, and a second before. */
  const attempt = async (): Promise<true | string> => {
    const { nextAttempt } = session.status;
    if (nextAttempt !== undefined) {
      clock.advance((nextAttempt - clock.now() - seconds(1)) as Duration);
      await session.ensureReady();
      clock.advance(seconds(1));
    }
    return session.ensureReady();
  };
  const pauses = (): number[] => attempts.slice(1).map((at, i) => at - attempts[i]!);
  return { session, method, clock, attempt, attempts, pauses, recovered };
}

it('a refused login is tried again after 1 and after 10 minutes, and then not until a person tests it', async () => {
  const result: { now: LoginResult } = { now: REFUSED };
  const { session, clock, attempt, attempts, pauses, recovered } = loginTo(result);
  const detail = 'login board: the site does not accept the user';
  expect(await attempt()).toBe(detail);
  expect(await attempt()).toBe(detail);
  expect(await attempt()).toBe(`${detail}; Crawlway will not retry it until it is tested or its secret changes`);
  expect(pauses()).toEqual([minutes(1), minutes(10)]);
  clock.advance(hours(24));
  await attempt();
  expect(attempts).toHaveLength(3);

  result.now = { kind: 'in' };
  expect(await session.test()).toMatchObject({ state: 'logged-in', refused: 0 });
  expect(recovered).toEqual(['board']);
  expect([await attempt(), attempts.length]).toEqual([true, 4]);
});

it('a login whose site cannot be reached is tried again after 30 seconds, then less and less often', async () => {
  const { attempt, pauses } = loginTo({ now: UNREACHABLE });
  for (let n = 0; n < 5; n++) expect(await attempt()).toBe('login board: no connection');
  expect(pauses()).toEqual([30, 60, 120, 240].map(seconds));
});

it('a locked account is not tried again', async () => {
  const { session, attempt, attempts } = loginTo({ now: { kind: 'locked', detail: 'locked' } });
  expect(await attempt()).toContain('will not retry it');
  expect(session.status.state).toBe('stopped');
  await attempt();
  expect(attempts).toHaveLength(1);
});

it('visits that wait for a login share one attempt', async () => {
  const { session, attempts } = loginTo({ now: { kind: 'in' } });
  expect(await Promise.all([session.ensureReady(), session.ensureReady()])).toEqual([true, true]);
  expect(session.ensureReady()).toBe(true);
  expect(attempts).toHaveLength(1);
});

it('a token is renewed 30 seconds before it expires, or after half of its time if that is later', async () => {
  const result: { now: LoginResult } = { now: { kind: 'in' } };
  const { session, clock, attempts } = loginTo(result);
  result.now = { kind: 'in', until: after(clock.now(), minutes(5)) };
  await session.ensureReady();
  await session.getSession('http://a.test/');
  clock.advance(minutes(4.4));
  expect([session.ensureReady(), attempts.length]).toEqual([true, 1]);
  clock.advance(minutes(0.1));
  result.now = { kind: 'in', until: after(clock.now(), seconds(20)) };
  await session.ensureReady();
  expect(attempts).toHaveLength(2);
  await session.getSession('http://a.test/');
  clock.advance(seconds(9));
  expect([session.ensureReady(), attempts.length]).toEqual([true, 2]);
  clock.advance(seconds(1));
  await session.ensureReady();
  expect(attempts).toHaveLength(3);
});

it('a token that no page was requested with is not renewed for a minute', async () => {
  const result: { now: LoginResult } = { now: { kind: 'in' } };
  const { session, clock, attempts } = loginTo(result);
  result.now = { kind: 'in', until: after(clock.now(), seconds(2)) };
  await session.ensureReady();
  clock.advance(seconds(60));
  expect([session.ensureReady(), attempts.length]).toEqual([true, 1]);
  clock.advance(seconds(1));
  await session.ensureReady();
  expect(attempts).toHaveLength(2);
});

it('the renewal of a token is not one of the logins within an hour', async () => {
  const result: { now: LoginResult } = { now: { kind: 'in' } };
  const { session, clock, attempts } = loginTo(result);
  const renew = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await session.getSession('http://a.test/');
      clock.advance(minutes(5));
      result.now = { kind: 'in', until: after(clock.now(), minutes(5)) };
      expect(await session.ensureReady()).toBe(true);
    }
  };
  result.now = { kind: 'in', until: after(clock.now(), minutes(5)) };
  for (let n = 0; n < 6; n++) {
    session.noteSessionEnd();
    expect(await session.ensureReady(), 'the last one that is left').toBe(true);
  }
  await renew(12);
  session.noteSessionEnd();
  expect(await session.ensureReady()).toBe(true);
  expect(attempts).toHaveLength(6 + 12 + 1);
});

it('a check that is asked for while another one runs begins after it, once for all who ask', async () => {
  const { session, method } = loginTo({ now: { kind: 'in' } });
  const found = [{ kind: 'in' }, { kind: 'ended' }] as const;
  let checks = 0;
  method.verify = async () => found[checks++]!;
  await session.ensureReady();
  const asked = [1, 2, 3].map(() => session.check(milliseconds(0)));
  expect([await Promise.all(asked), checks]).toEqual([['alive', 'ended', 'ended'], 2]);
});

it('a login whose sessions end again and again is stopped, also after a restart', async () => {
  const { session, clock, attempt, attempts } = loginTo({ now: { kind: 'in' } });
  for (let n = 0; n < 6; n++) {
    expect(await attempt()).toBe(true);
    session.noteSessionEnd(session.generation - 1);
    expect(session.status.state, 'an answer to a request before the login').toBe('logged-in');
    session.noteSessionEnd();
    clock.advance(minutes(1));
  }
  expect(await attempt()).toContain('worked 6 times within an hour, but the site ended each session; Crawlway');
  expect(session.status).toMatchObject({ state: 'stopped', failure: 'repeated' });
  const restarted = loginTo({ now: { kind: 'in' } });
  await restarted.session.restore(session.toSnapshot());
  expect(await restarted.attempt()).toContain('test the login or change its secret');
  expect([attempts.length, restarted.attempts.length]).toEqual([6, 0]);
});
