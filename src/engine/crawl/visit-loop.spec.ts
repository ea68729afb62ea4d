import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { state } from '../../../test/support/url-states.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { type Instant, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import { SinksRemoved } from '../delivery/delivery.js';
import { StoreUnavailable } from '../ports/frontier-store.js';
import { FencedOut } from '../ports/partitions.js';
import type { SettledUrl } from './outcome/decision.js';
import { PUT_BACK } from './visit/preconditions.js';
import { VisitLoop } from './visit-loop.js';

const SETTLED: SettledUrl = { removed: false, reason: 'indexed' };
const MEGABYTE = 1024 * 1024;

/** A crawler with queued URLs whose visits end when the test says so. */
function crawler({ urls = 6, concurrency = 2, maxVisits = 1_000, isOwned = true } = {}) {
  const clock = new ManualClock();
  const queue = Array.from({ length: urls }, (_, i) => state({ id: i + 1, url: `http://a.example/${i + 1}` }));
  const started: number[] = [];
  const running = new Map<
    number,
    { fetched(bytes: number): void; end(result: SettledUrl | typeof PUT_BACK): void; fail(error: unknown): void }
  >();
  const requeued: { readonly id: number; readonly after: number }[] = [];
  const revoked: string[] = [];
  const sent: object[] = [];
  const settled: number[] = [];
  const decided: object[] = [];
  const failures: string[] = [];
  const logged: string[] = [];
  const inFlight = new Set<UrlState>();
  const definition = { concurrency, pushTo: ['main'] };
  const owner = { isOwned, isSendingBroken: false };
  const host = { key: 'a.example' };
  const nothing = async () => undefined;
  const target = {
    frontier: {
      onReady: () => undefined,
      takeNext: () => {
        const url = queue.shift();
        return url && { url, host, source: 3 };
      },
      noteVisitStarted: () => undefined,
      offerAgain: () => undefined,
      putBack: (url: UrlState) => queue.unshift(url),
      requeue: ({ id }: UrlState, { dueAt }: { dueAt: Instant }) => requeued.push({ id, after: dueAt - clock.now() }),
      revoke: (isLost: (hostKey: string) => boolean) => {
        revoked.push(...['a.example', 'b.example'].filter(isLost));
      },
      mayHaveUrlBefore: () => true,
    },
    inFlight,
    current: {
      definition,
      visits: {
        run: (url: UrlState, _host: object, fetched: (bytes: number) => void) => {
          started.push(url.id);
          return new Promise((end, fail) => running.set(url.id, { fetched, end, fail }));
        },
        settleFailure: async (_url: UrlState, _host: object, detail: string) => {
          failures.push(detail);
          return SETTLED;
        },
      },
    },
    decisions: {
      noteSettled: ({ id }: UrlState) => settled.push(id),
      decide: async (_url: UrlState, command: object) => decided.push(command) > 1,
    },
    canonicalPages: { reconsiderAfter: nothing },
    redirects: { noteSettled: nothing },
    troubles: { noteSettled: nothing },
    changes: { noteSettled: nothing },
  };
  const services = {
    clock,
    log: {
      error: (message: string) => void logged.push(message),
      info: (message: string) => void logged.push(message),
      warn: () => undefined,
    },
    delivery: { hasRoom: () => true, flushUnlessMoreExpected: () => undefined },
    partitions: { owns: () => owner.isOwned },
    hosts: { claim: () => undefined },
    discovery: { noteFirstVisit: () => undefined },
    nodes: {
      send: async (command: object) => {
        if (owner.isSendingBroken) throw new Error('no connection');
        sent.push(command);
      },
    },
    quotas: { findReached: () => undefined },
    maxVisits,
  };
  const loop = new VisitLoop(
    services as unknown as ConstructorParameters<typeof VisitLoop>[0],
    target as unknown as ConstructorParameters<typeof VisitLoop>[1],
  );
  const pass = () => new Promise((resolve) => setImmediate(resolve));
  const run = async (): Promise<void> => {
    loop.setRunning(true);
    await pass();
  };
  /** Ends the visit of a URL. */
  const end = async (id: number, result: SettledUrl | typeof PUT_BACK | Error = SETTLED): Promise<void> => {
    if (result instanceof Error) running.get(id)!.fail(result);
    else running.get(id)!.end(result);
    await pass();
  };
  const fetch = async (id: number, bytes = 1_000): Promise<void> => {
    running.get(id)!.fetched(bytes);
    await pass();
  };
  const found = { requeued, revoked, sent, settled, decided, failures, logged };
  return { ...found, loop, clock, queue, started, inFlight, definition, owner, run, end, fetch, pass };
}

describe('visits', () => {
  it('fetch no more pages at a time than the crawler may; a page that has arrived makes room for one other', async () => {
    const { loop, started, run, fetch, end } = crawler();
    await run();
    expect(started).toEqual([1, 2]);
    await fetch(1);
    expect([started, loop.fetchesInFlight]).toEqual([[1, 2, 3], 2]);
    await end(1);
    expect([started, loop.fetchesInFlight], 'it has made room already').toEqual([[1, 2, 3], 2]);
    await end(2);
    expect([started, loop.fetchesInFlight], 'one that was not fetched').toEqual([[1, 2, 3, 4], 2]);
  });

  it('do not begin while more bytes have arrived than the store has taken', async () => {
    const { loop, started, run, fetch, end } = crawler();
    await run();
    await fetch(1, 47 * MEGABYTE);
    expect([started, loop.storeKeepsUp]).toEqual([[1, 2, 3], true]);
    await fetch(2, MEGABYTE);
    expect([started, loop.storeKeepsUp]).toEqual([[1, 2, 3], false]);
    await end(1);
    expect([started, loop.storeKeepsUp]).toEqual([[1, 2, 3, 4], true]);
  });

  it('end with the number that a crawler may make; those that are put back do not count', async () => {
    const { loop, started, run, end, clock } = crawler({ maxVisits: 2, concurrency: 1 });
    await run();
    await end(1, PUT_BACK);
    expect(started).toEqual([1, 1]);
    expect(loop.mayVisitBefore(clock.now())).toBe(true);
    await end(1);
    await end(2);
    expect(started).toEqual([1, 1, 2]);
    expect(loop.mayVisitBefore(clock.now())).toBe(false);
  });

  it('do not begin while the crawler is stopped or closed; those in flight are settled', async () => {
    const { loop, started, settled, inFlight, run, end, pass } = crawler({ concurrency: 1 });
    await pass();
    expect(started).toEqual([]);
    await run();
    loop.setRunning(false);
    await end(1);
    expect([started, settled, inFlight.size]).toEqual([[1], [1], 0]);
    await run();
    loop.close();
    await end(2);
    expect([started, settled]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('send the document to sinks that were added meanwhile, again if something else is in flight', async () => {
    const { clock, definition, decided, run, end, pass } = crawler({ concurrency: 1 });
    await run();
    definition.pushTo = ['main', 'second'];
    await end(1);
    expect(decided).toEqual([{ do: 'send-to', sink: 'second' }]);
    clock.advance(seconds(1));
    await pass();
    expect(decided).toHaveLength(2);
  });
});

describe('a visit that fails because of this server', () => {
  it('is repeated after a minute, and then after twice the time; the fourth failure is settled as one of the page', async () => {
    const { queue, requeued, failures, settled, run, end } = crawler({ urls: 1 });
    const [url] = queue as [UrlState];
    for (let failure = 1; failure <= 4; failure++) {
      if (failure > 1) queue.push(url);
      await run();
      await end(1, new Error('disk full'));
    }
    expect(requeued.map(({ after }) => after)).toEqual([1, 2, 4].map(minutes));
    expect(failures).toEqual(['the visit failed 4 times: disk full']);
    expect(settled).toEqual([1]);
  });

  it('starts to count again after a visit that was good', async () => {
    const { queue, requeued, failures, run, end } = crawler({ urls: 1 });
    const [url] = queue as [UrlState];
    for (const result of [new Error('1'), new Error('2'), new Error('3'), SETTLED, new Error('1')]) {
      if (queue.length === 0) queue.push(url);
      await run();
      await end(1, result as Error);
      queue.length = 0;
    }
    expect(requeued.map(({ after }) => after)).toEqual([1, 2, 4, 1].map(minutes));
    expect(failures).toEqual([]);
  });

  it('is repeated at once if its sinks were removed meanwhile', async () => {
    const { requeued, run, end } = crawler({ urls: 1 });
    await run();
    await end(1, new SinksRemoved());
    expect(requeued).toEqual([{ id: 1, after: 0 }]);
  });

  it('is neither reported nor repeated once its crawler is removed', async () => {
    const { loop, logged, requeued, run, end } = crawler();
    await run();
    loop.close();
    await end(1, new Error('no crawler has this name'));
    expect([logged, requeued]).toEqual([[], []]);
  });
});

describe('while the store is down', () => {
  const DOWN = new StoreUnavailable('disk full');

  it('one visit begins after each pause, which grows to ten seconds', async () => {
    const { loop, clock, started, logged, run, end, pass } = crawler({ urls: 9, concurrency: 3 });
    await run();
    for (const id of [1, 2, 3]) await end(id, DOWN);
    expect([started, logged]).toEqual([[1, 2, 3], ['visits cannot be stored and are repeated']]);
    let next = 4;
    for (const pause of [1, 2, 4, 8, 10, 10]) {
      clock.advance(milliseconds(seconds(pause) - 1));
      await pass();
      expect([started.length, loop.storeFault]).toEqual([next - 1, 'disk full']);
      clock.advance(milliseconds(1));
      await pass();
      expect(started.at(-1)).toBe(next);
      await end(next++, DOWN);
    }
  });

  it.each<[string, SettledUrl | typeof PUT_BACK | Error, number[], boolean]>([
    ['is put back says nothing of it, so another one begins at once', PUT_BACK, [2], false],
    ['belongs to another node shows that it is back', new FencedOut([], false), [4, 5], true],
    ['is settled shows that it is back', SETTLED, [4, 5], true],
  ])('a visit that %s', async (_, result, begun, isBack) => {
    const { loop, clock, logged, started, run, end, pass } = crawler({ concurrency: 3 });
    await run();
    await end(1, DOWN);
    await end(2, result);
    expect(logged.slice(1)).toEqual(isBack ? ['visits can be stored again'] : []);
    expect([started, loop.storeFault]).toEqual([[1, 2, 3, ...begun], isBack ? undefined : 'disk full']);
    clock.advance(seconds(1));
    await end(3, DOWN);
    clock.advance(seconds(1));
    await pass();
    expect(started.at(-1) === 6, 'the pauses grow from a second again').toBe(isBack);
  });
});

describe('a host that another node has taken over', () => {
  it('is not visited', async () => {
    const { started, revoked, run } = crawler({ isOwned: false });
    await run();
    expect(started).toEqual([]);
    expect(new Set(revoked)).toEqual(new Set(['a.example']));
  });

  it.each([
    ['during a delivery is told to its owner, until that knows', true, 1],
    ['during a visit without an order needs no check', false, 0],
  ])('%s', async (_, uncertain, commands) => {
    const { clock, owner, revoked, sent, requeued, failures, run, end, pass } = crawler({ concurrency: 1, urls: 1 });
    await run();
    Object.assign(owner, { isOwned: false, isSendingBroken: true });
    await end(1, new FencedOut([], uncertain));
    expect(revoked).toContain('a.example');
    expect(sent).toEqual([]);
    owner.isSendingBroken = false;
    clock.advance(seconds(5));
    await pass();
    expect(sent).toHaveLength(commands);
    expect([requeued, failures]).toEqual([[], []]);
  });
});
