import { expect, it } from 'vitest';
import { milliseconds } from '../../domain/time/units.js';
import { loadRegistrableDomains } from '../system/registrable-domain.js';
import { type ForeignKind, ForeignRequests, type JudgeRequest } from './foreign-requests.js';

const start = async (judge?: JudgeRequest) => {
  let now = 0;
  const requests = new ForeignRequests(loadRegistrableDomains, judge, () => now);
  await requests.isForeign('evil.example', 'victim.example');
  const pass = (ms: number): void => {
    now += ms;
  };
  /** How many of the requests are made. */
  const count = async (number: number, page: string, toHost: (i: number) => string, kind: ForeignKind = 'data') => {
    const answers = Array.from({ length: number }, (_, i) =>
      requests.admit(page, new URL(`http://${toHost(i)}/`), kind),
    );
    return (await Promise.all(answers)).filter((refusal) => refusal === undefined).length;
  };
  return { requests, pass, count };
};

it('hosts of one registrable domain are not foreign to each other', async () => {
  const { requests } = await start();
  const pairs = [
    ['www.shop.co.uk', 'api.shop.co.uk'],
    ['www.shop.co.uk', 'www.other.co.uk'],
    ['a.github.io', 'b.github.io'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.2'],
  ] as const;
  expect(await Promise.all(pairs.map(([page, host]) => requests.isForeign(page, host)))).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
});

it('a host gets a burst from all pages together, then one request in each pause', async () => {
  const { pass, count } = await start();
  const ask = (number: number, page = 'evil.example') => count(number, page, () => 'victim.example');
  expect([await ask(20), await ask(20, 'partner.example')]).toEqual([10, 0]);
  pass(2_500);
  expect(await ask(20)).toBe(1);
  pass(3_600_000);
  expect(await ask(20)).toBe(10);
});

it('the pages of a site make 300 requests to others in a minute, whichever hosts they name', async () => {
  const { pass, count } = await start();
  const ask = (page: string) => count(1_000, page, (i) => `host${i}.example`, 'scripts');
  expect([await ask('a.evil.example'), await ask('b.evil.example'), await ask('other.example')]).toEqual([300, 0, 300]);
  pass(60_000);
  expect(await ask('a.evil.example')).toBe(300);
});

it('a host that is crawled has a pause of its own, and what the crawl refuses is not requested', async () => {
  const { pass, count } = await start(async (url) =>
    url.includes('resting') ? { refusal: 'host-rests' } : { pause: milliseconds(60_000) },
  );
  const ask = () => count(20, 'evil.example', () => 'victim.example');
  expect([await ask(), await count(20, 'evil.example', () => 'resting.example')]).toEqual([10, 0]);
  pass(59_000);
  expect(await ask()).toBe(0);
  pass(1_000);
  expect(await ask()).toBe(1);
});
