import { expect, it } from 'vitest';
import { loadRegistrableDomains } from '../system/registrable-domain.js';
import { ForeignRequests } from './foreign-requests.js';

const start = async () => {
  let now = 0;
  const requests = new ForeignRequests(loadRegistrableDomains, () => now);
  await requests.isForeign('evil.example', 'victim.example');
  const pass = (ms: number): void => {
    now += ms;
  };
  return { requests, pass };
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
  const { requests, pass } = await start();
  const ask = (count: number, page = 'evil.example'): number =>
    Array.from({ length: count }, () => requests.admit(page, 'victim.example', 'data')).filter(Boolean).length;
  expect([ask(20), ask(20, 'partner.example')]).toEqual([10, 0]);
  pass(2_500);
  expect(ask(20)).toBe(1);
  pass(3_600_000);
  expect(ask(20)).toBe(10);
});

it('the pages of a site make 300 requests to others in a minute, whichever hosts they name', async () => {
  const { requests, pass } = await start();
  const ask = (page: string): number =>
    Array.from({ length: 1_000 }, (_, i) => requests.admit(page, `host${i}.example`, 'scripts')).filter(Boolean).length;
  expect([ask('a.evil.example'), ask('b.evil.example'), ask('other.example')]).toEqual([300, 0, 300]);
  pass(60_000);
  expect(ask('a.evil.example')).toBe(300);
});
