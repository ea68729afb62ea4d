import { expect, it } from 'vitest';
import { GuestCache } from './guest-cache.js';

const store = (vary: string | undefined, isScript: boolean): boolean => {
  const cache = new GuestCache(() => 0);
  const headers = { 'cache-control': 'max-age=60', ...(vary === undefined ? {} : { vary }) };
  cache.set('key', { status: 200, headers, body: new Uint8Array(1) }, isScript);
  return cache.get('key') !== undefined;
};

it.each([undefined, '', 'Accept-Encoding', 'accept, Accept-Language,origin', 'User-Agent'])(
  'keeps a response that varies by what its key contains: %s',
  (vary) => {
    expect([store(vary, false), store(vary, true)]).toEqual([true, true]);
  },
);

it.each(['*', 'Cookie', 'accept, authorization', 'Referer', 'X-Tenant'])(
  'keeps no response that another page could have chosen: %s',
  (vary) => {
    expect([store(vary, false), store(vary, true)]).toEqual([false, false]);
  },
);
