/**
 * Visits, releases and settlements may end in any order; none of these orders may leave a deletion waiting without a
 * reason.
 */
import { describe, expect, it } from 'vitest';
import { crawlerDefinition } from '../../../../test/support/crawler-definition.js';
import { order } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import { minutes } from '../../../domain/time/units.js';
import { type HostResponse, HostTroubles, type WantedDeletion } from './host-trouble.js';

const HOST = 'http://a.example';

/** Forty indexed pages of one host; a requested page responds before the call that requests it has returned. */
function world(
  answer: (page: UrlState) => Partial<HostResponse>,
  isInFlight: (page: UrlState) => boolean = () => false,
) {
  const clock = new ManualClock();
  const pages = Array.from({ length: 40 }, (_, i) => ({ id: i + 1, url: `${HOST}/p${i}`, hostKey: HOST }) as UrlState);
  const waiting = new Set<string>();
  const waitingForOthers = new Set<string>();
  let looks = 0;
  const asked: string[] = [];
  const settings = crawlerDefinition({}).deletionGuard;
  const troubles: HostTroubles = new HostTroubles('docs', {
    clock,
    store: {
      list: async ({ reasons }) => {
        looks += reasons ? 1 : 0;
        return reasons ? pages.filter(({ reason }) => reasons.includes(reason)) : pages;
      },
      listOrders: async () =>
        [...waiting].map((uri, i) =>
          order(i, {
            ...{ uri, hostKey: HOST, decidedAt: clock.now() },
            answer: waitingForOthers.has(uri) ? 'awaiting-other-pages' : 'awaiting-sign-of-life',
          }),
        ),
      find: async (_crawler, url) => ({
        ...pages.find((page) => page.url === url)!,
        pendingDeletion: waiting.has(url) ? 'http-5xx' : undefined,
      }),
    },
    scheduleVisit: async (page) => {
      if (isInFlight(page)) return false;
      asked.push(page.url);
      if (!waiting.has(page.url)) await troubles.noteResponse(visitOf(page, answer(page)));
      return true;
    },
  });
  const visitOf = ({ id, url, hostKey }: UrlState, particulars: Partial<HostResponse>): HostResponse => ({
    id,
    url,
    hostKey,
    discoveredVia: 'link',
    firstSeenAt: clock.now(),
    visitedBefore: true,
    startedAt: clock.now(),
    outcome: 'document',
    status: 200,
    code: undefined,
    waits: false,
    ...particulars,
  });
  const deletion = (page: UrlState, reason: Reason): WantedDeletion => ({
    state: page,
    reason,
    startedAt: clock.now(),
    waitingSince: undefined,
  });
  const settle = async (page: UrlState): Promise<void> => {
    waiting.add(page.url);
    await troubles.noteSettled(page, { reason: undefined });
  };
  const waitForOthers = () => {
    for (const url of waiting) waitingForOthers.add(url);
  };
  const countLooks = () => looks;
  return {
    ...{ troubles, pages, asked, settings: { ...settings, maxDeletions: 5 } },
    ...{ clock, deletion, settle, waitForOthers, visitOf, countLooks },
  };
}

it('what another node has found meanwhile about the texts of a host is read when the host is taken over', async () => {
  const { troubles, pages } = world(() => ({}));
  expect(await troubles.isInDoubt(HOST)).toBe(false);
  Object.assign(pages[7]!, { reason: 'one-page-everywhere' });
  troubles.reset();
  expect(await troubles.isInDoubt(HOST)).toBe(true);
});

describe('a host of which a page has a text that is not believed', () => {
  it('is looked up in the store once, and again when that page has a text of its own', async () => {
    const { troubles, pages, visitOf, countLooks } = world(() => ({}));
    const wrong = { outcome: 'error', code: 'one-page-everywhere' } as const;
    for (let i = 0; i < 3; i++) expect(await troubles.isInDoubt(HOST)).toBe(false);
    expect(countLooks()).toBe(1);
    await troubles.noteResponse(visitOf(pages[3]!, wrong));
    await troubles.noteResponse(visitOf(pages[4]!, {}));
    expect(await troubles.isInDoubt(HOST)).toBe(true);
    expect(countLooks()).toBe(1);
    Object.assign(pages[5]!, { reason: 'emptied' });
    await troubles.noteResponse(visitOf(pages[3]!, {}));
    for (let i = 0; i < 3; i++) expect(await troubles.isInDoubt(HOST)).toBe(true);
    expect(countLooks()).toBe(2);
  });
});

describe('the pages that an early look visits', () => {
  it('count however soon they respond: the look ends, and the deletion goes out', async () => {
    const { troubles, pages, asked, settings, deletion } = world(() => ({}));
    expect(await troubles.judgeGone(deletion(pages[7]!, 'http-404'), 40, settings)).toBe('pass');
    expect(asked).toHaveLength(3);
  });

  it('are requested in stages while the result is open, and deletions found by them are held', async () => {
    const gone = { outcome: 'error', status: 404, code: 'http-404' } as const;
    const { troubles, pages, asked, settings, deletion } = world(() => gone);
    expect(await troubles.judgeGone(deletion(pages[7]!, 'http-404'), 40, settings)).toBe('hold');
    expect(asked.length).toBeGreaterThanOrEqual(10);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe('an early look that has chosen pages in flight waits for them:', () => {
  const gone = { outcome: 'error', status: 404, code: 'http-404' } as const;
  const CHOSEN = [1, 15, 28];

  /** Everything is gone, and the chosen pages are in flight until they are settled. */
  async function begin() {
    const inFlight = new Set(CHOSEN);
    const crawl = world(
      () => gone,
      ({ id }) => inFlight.has(id),
    );
    const { troubles, pages, settings, deletion } = crawl;
    const judge = (page: UrlState) => troubles.judgeGone(deletion(page, 'http-404'), 40, settings);
    expect(await judge(pages[7]!)).toMatchObject({ wait: 'awaiting-early-look' });
    expect(crawl.asked).toEqual([]);
    const chosen = pages.filter(({ id }) => CHOSEN.includes(id));
    return { ...crawl, judge, chosen, land: ({ id }: UrlState) => inFlight.delete(id) };
  }

  it('their responses count', async () => {
    const { troubles, pages, asked, judge, chosen, visitOf } = await begin();
    for (const page of chosen) await troubles.noteResponse(visitOf(page, gone));
    expect(asked).toHaveLength(7);
    expect(await judge(pages[7]!)).toBe('hold');
  });

  it('those that are gone count, although they have responded before', async () => {
    const { pages, asked, judge, chosen } = await begin();
    for (const page of chosen) await judge(page);
    expect(asked).toHaveLength(7);
    expect(await judge(pages[7]!)).toBe('hold');
  });

  it('those that are settled and had responded before are visited again', async () => {
    const { troubles, pages, asked, judge, chosen, land } = await begin();
    for (const page of chosen) {
      land(page);
      await troubles.noteSettled(page, { reason: undefined });
    }
    expect(asked.slice(0, 3)).toEqual(chosen.map(({ url }) => url));
    expect(asked).toHaveLength(10);
    expect(await judge(pages[7]!)).toBe('hold');
  });
});

describe('a sign of life', () => {
  it('that arrives before the held deletion is stored has its page visited once it is stored', async () => {
    const { troubles, pages, asked, settings, deletion, settle } = world(() => ({}));
    const page = pages[7]!;
    expect(await troubles.judgeFault(deletion(page, 'http-5xx'), settings)).toMatchObject({
      wait: 'awaiting-sign-of-life',
    });
    expect(asked).not.toContain(page.url);
    await settle(page);
    expect(asked.at(-1)).toBe(page.url);
  });

  it('is looked for again when all other pages were in flight', async () => {
    let isBusy = true;
    const { troubles, pages, asked, settings, deletion, settle } = world(
      () => ({}),
      () => isBusy,
    );
    const page = pages[7]!;
    await troubles.judgeFault(deletion(page, 'http-5xx'), settings);
    expect(asked).toEqual([]);
    isBusy = false;
    await settle(page);
    expect(asked.at(-1)).toBe(page.url);
  });

  it('releases a deletion that was held after others were released in the same instant', async () => {
    const { troubles, pages, asked, settings, deletion, settle } = world(() => ({}));
    for (const page of pages.slice(7, 10)) {
      await troubles.judgeFault(deletion(page, 'http-5xx'), settings);
      await settle(page);
      expect(asked.at(-1)).toBe(page.url);
    }
  });

  it('releases no deletion that waits for other pages which fail alike', async () => {
    const { troubles, pages, asked, settings, deletion, settle, waitForOthers } = world(() => ({}));
    for (const page of pages.slice(3, 6)) await settle(page);
    waitForOthers();
    await troubles.judgeFault(deletion(pages[7]!, 'http-5xx'), settings);
    await settle(pages[7]!);
    expect(asked.at(-1)).toBe(pages[7]!.url);
    for (const page of pages.slice(3, 6)) expect(asked).not.toContain(page.url);
  });

  it('releases a deletion once more that waits again after the visit that the first release had requested', async () => {
    let isBusy = false;
    const { troubles, pages, asked, settings, deletion, settle, visitOf } = world(
      () => ({}),
      () => isBusy,
    );
    const page = pages[7]!;
    const wait = async (): Promise<void> => {
      await troubles.judgeFault(deletion(page, 'http-5xx'), settings);
      await settle(page);
    };
    await wait();
    isBusy = true;
    await wait();
    isBusy = false;
    expect(asked.filter((url) => url === page.url)).toHaveLength(1);
    await troubles.noteResponse(visitOf(pages[20]!, {}));
    expect(asked.filter((url) => url === page.url)).toHaveLength(2);
  });

  it.each([
    ['is remembered while a deletion of the host waits', true],
    ['is forgotten when the page whose deletion would have waited is well again', false],
  ])('%s', async (_, waits) => {
    let isBusy = true;
    const { troubles, clock, pages, settings, deletion, settle, visitOf } = world(
      () => ({}),
      () => isBusy,
    );
    const page = pages[7]!;
    await troubles.judgeFault(deletion(page, 'http-5xx'), settings);
    if (waits) await settle(page);
    else await troubles.noteSettled(page, { reason: undefined });
    isBusy = false;
    const firstSeenAt = clock.now();
    clock.advance(minutes(1));
    const response = visitOf(pages[20]!, { firstSeenAt });
    await troubles.noteResponse(response);
    // A visit that began before it may end after it.
    await troubles.noteResponse(visitOf(pages[21]!, { firstSeenAt, startedAt: firstSeenAt }));
    expect(troubles.findLastSignOfLife(HOST)).toBe(waits ? response.startedAt : undefined);
  });
});
