import { describe, expect, it } from 'vitest';
import { DnsCache, type Lookup } from './dns-cache.js';

/** A cache with its own clock, and a lookup that counts its calls. */
function cacheOver(answer: (asked: number) => ReturnType<Lookup>) {
  const state = { now: 0, asked: 0 };
  const cache = new DnsCache(
    () => answer(++state.asked),
    () => state.now,
  );
  return { cache, state };
}

const found = async () => [{ address: '192.0.2.1', family: 4 }];
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

describe('the DNS cache', () => {
  it('resolves once for all waiting callers, and again after a minute', async () => {
    const { cache, state } = cacheOver(found);
    await Promise.all([cache.resolve('a.example'), cache.resolve('a.example')]);
    state.now = 59_999;
    await cache.resolve('a.example');
    expect(state.asked).toBe(1);
    state.now = 60_000;
    await cache.resolve('a.example');
    expect(state.asked).toBe(2);
  });

  it('asks again after two seconds whether a name exists', async () => {
    const { cache, state } = cacheOver((asked) => (asked === 1 ? failing('ENOTFOUND') : found()));
    await expect(cache.resolve('a.example')).rejects.toMatchObject({ code: 'dns-not-found' });
    state.now = 1_999;
    await expect(cache.resolve('a.example')).rejects.toMatchObject({ code: 'dns-not-found' });
    state.now = 2_000;
    expect(await cache.resolve('a.example')).toHaveLength(1);
  });

  it('retries after two seconds when there was no response', async () => {
    const { cache, state } = cacheOver((asked) => (asked === 1 ? failing('EAI_AGAIN') : found()));
    await expect(cache.resolve('a.example')).rejects.toMatchObject({ code: 'dns-no-answer' });
    state.now = 1_999;
    await expect(cache.resolve('a.example')).rejects.toMatchObject({ code: 'dns-no-answer' });
    state.now = 2_000;
    expect(await cache.resolve('a.example')).toHaveLength(1);
  });

  it('forgets the oldest names beyond its limit', async () => {
    const { cache, state } = cacheOver(found);
    for (let n = 0; n <= 10_000; n++) await cache.resolve(`h${n}.example`);
    expect(state.asked).toBe(10_001);
    await cache.resolve('h1.example');
    expect(state.asked).toBe(10_001);
    await cache.resolve('h0.example');
    expect(state.asked).toBe(10_002);
  });

  it.each(['x.localhost', 'a.b.LocalHost', 'x.localhost.'])(
    '%s has the loopback addresses of localhost, whatever the name server says of it',
    async (name) => {
      const asked: string[] = [];
      const addresses = [
        { address: '127.0.0.1', family: 4 },
        { address: '203.0.113.7', family: 4 },
        { address: '::1', family: 6 },
      ];
      const cache = new DnsCache(async (hostname) => {
        asked.push(hostname);
        return addresses;
      });
      expect(await cache.resolve(name)).toEqual([addresses[0], addresses[2]]);
      expect(asked).toEqual(['localhost']);
      const withoutResolver = new DnsCache(() => failing('EAI_AGAIN'));
      expect(await withoutResolver.resolve(name)).toEqual([addresses[0]]);
    },
  );

  it('names that only contain localhost are looked up', async () => {
    const { cache } = cacheOver(found);
    for (const name of ['localhost.example', 'notlocalhost'])
      expect(await cache.resolve(name)).toEqual([{ address: '192.0.2.1', family: 4 }]);
  });
});
