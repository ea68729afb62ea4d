import { expect, it } from 'vitest';
import { state } from '../../../../test/support/url-states.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { PageResult } from '../../ports/page-task.js';
import type { Session, SessionStore } from '../../ports/session-store.js';
import type { Attempt } from './attempt.js';
import { Retries } from './retries.js';

/** One cookie, whose value is what was last set; a value that is set again changes nothing. */
function openJar(): Session & { cookie: string | undefined } {
  return {
    cookie: undefined as string | undefined,
    getCookies() {
      return this.cookie;
    },
    async storeCookies(_url, setCookie) {
      const isNew = this.cookie !== setCookie;
      this.cookie = setCookie;
      return isNew;
    },
  };
}

/** A visit of a page that redirects to itself. */
function visitOf() {
  const jars = new Map<string, ReturnType<typeof openJar>>();
  const open = (key: string) => jars.get(key) ?? jars.set(key, openJar()).get(key)!;
  const sessions: SessionStore = { open, find: (key) => jars.get(key), end: (key) => void jars.delete(key) };
  const retries = new Retries(sessions);
  const page = state({ id: 7 });
  const attempt = { state: page, url: toCrawlUrl(page.url), effects: {} } as Attempt;
  const redirect = (
    { code = 'redirect-loop' as ErrorCode, ...result }: { code?: ErrorCode; variant?: string; setCookie?: string },
    more: Partial<Omit<Attempt, 'login'>> & { login?: object } = {},
    kept?: { jar: Session; sent: string | undefined },
  ) => {
    const outcome = { kind: 'error', code, detail: '' };
    return retries.prepareRetry({ ...attempt, ...more } as Attempt, { ...result, outcome } as PageResult, kept);
  };
  return { retries, page, jars, redirect, findRetry: () => retries.findRetry(page) };
}

it.each<[string, Parameters<ReturnType<typeof visitOf>['redirect']>, boolean]>([
  ['names a variant of its URL', [{ variant: 'http://a.example/x/' }], true],
  ['sets a cookie', [{ setCookie: 'a=1' }], true],
  ['does neither', [{}], false],
  ['sets a cookie for a login, which manages its cookies itself', [{ setCookie: 'a=1' }, { login: {} }], false],
  ['names a variant, and has a login', [{ variant: 'http://a.example/x/', setCookie: 'a=1' }, { login: {} }], true],
  [
    'names a variant, but the configuration names the URL to fetch',
    [{ variant: 'http://a.example/x/' }, { effects: { fetchUrl: 'http://b.example/' } as Attempt['effects'] }],
    false,
  ],
  ['has failed otherwise', [{ code: 'http-5xx', variant: 'http://a.example/x/', setCookie: 'a=1' }], false],
])('a page that redirects to itself and %s', async (_, redirected, isRetried) => {
  const { redirect, findRetry } = visitOf();
  expect(await redirect(...redirected)).toBe(isRetried);
  expect(findRetry() !== undefined).toBe(isRetried);
});

it('a page that does not redirect to itself is not requested again', async () => {
  const { retries, page } = visitOf();
  const result = { outcome: { kind: 'unchanged' }, variant: 'http://a.example/x/' } as unknown as PageResult;
  expect(await retries.prepareRetry({ state: page } as Attempt, result)).toBe(false);
});

it('a variant is tried once, also beside cookies', async () => {
  const { redirect, findRetry } = visitOf();
  const [variant, other] = ['http://a.example/x/', 'http://a.example/x?1'];
  expect(await redirect({ variant })).toBe(true);
  expect(findRetry()).toEqual({ variant, session: undefined, rounds: 0 });
  expect(await redirect({ variant: other })).toBe(false);
  expect(await redirect({ variant: other, setCookie: 'a=1' })).toBe(true);
  expect(findRetry()).toMatchObject({ variant, rounds: 1 });
});

it('a site that sets another cookie each time gets three further requests, and one that repeats its cookie none', async () => {
  const { redirect, findRetry, jars } = visitOf();
  const retried: boolean[] = [];
  for (const value of ['1', '1', '2', '3', '4', '5']) retried.push(await redirect({ setCookie: `a=${value}` }));
  expect(retried).toEqual([true, false, true, true, false, false]);
  expect(findRetry()!.rounds).toBe(3);
  expect([...jars]).toMatchObject([['visit docs 7', { cookie: 'a=3' }]]);
  expect(await redirect({ setCookie: 'a=9', variant: 'http://a.example/x/' }), 'a variant still is').toBe(true);
});

it('cookies that the host keeps are new if they are not those that were sent, whoever has brought them', async () => {
  const { redirect, jars, findRetry } = visitOf();
  const jar = openJar();
  jar.cookie = 'a=2';
  expect(await redirect({ setCookie: 'a=2' }, {}, { jar, sent: 'a=1' }), 'another visit has brought it').toBe(true);
  expect(findRetry()!.session).toBe(jar);
  expect(await redirect({ setCookie: 'a=2' }, {}, { jar, sent: 'a=2' })).toBe(false);
  expect(jars.size, 'the visit has none of its own').toBe(0);
});

it('at the end of the visit, its cookies are forgotten', async () => {
  const { retries, page, redirect, jars, findRetry } = visitOf();
  await redirect({ setCookie: 'a=1' });
  expect(jars.size).toBe(1);
  retries.endVisit(page);
  expect([jars.size, findRetry()]).toEqual([0, undefined]);
  retries.endVisit(page);
  expect(await redirect({ setCookie: 'a=1' }), 'the next visit starts from the beginning').toBe(true);
});
