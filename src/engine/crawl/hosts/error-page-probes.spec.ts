import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { state } from '../../../../test/support/url-states.js';
import type { PageFingerprint } from '../../../domain/fetch/error-pages.js';
import { days, hours, milliseconds, seconds } from '../../../domain/time/units.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import { ErrorPageProbes } from './error-page-probes.js';
import type { Host } from './hosts.js';

const KEY = 'a.example';
const PAGE = state({ url: 'http://a.example/docs/page', root: 'http://a.example/', hops: 3 });
const fingerprint = (simhash: bigint, title = ''): PageFingerprint => ({ simhash, title, length: 500 });
const [ERROR_PAGE, GOOD_PAGE] = [fingerprint(0n), fingerprint(0xffffn)];

type Answer = { outcome: object; status?: number };
const page = (print?: PageFingerprint, sample?: object): Answer => {
  return { status: 200, outcome: { kind: 'document', facts: { fingerprint: print, sample } } };
};
const failed = (status?: number): Answer => ({ status, outcome: { kind: 'error', code: 'http-404' } });
const redirect = (target: string): Answer => ({ status: 302, outcome: { kind: 'redirect', target } });

/** A host that answers probes one after the other; nothing else may be requested of it meanwhile. */
function probing(...answers: Answer[]) {
  const clock = new ManualClock();
  const host = { key: KEY, waitsForResponse: false } as Host;
  const tasks: PageTask[] = [];
  const pauses: number[] = [];
  const world = { isAllowed: true, isBroken: false };
  const probes = new ErrorPageProbes(
    {
      process: async (task) => {
        tasks.push(task);
        expect(host.waitsForResponse).toBe(true);
        if (world.isBroken) throw new Error('the thread has ended');
        return answers.shift() as unknown as PageResult;
      },
    },
    { recordRequestStart: async (_host, delay) => void pauses.push(delay) },
    clock,
    { sendBy: 5 },
  );
  const terms = { delay: seconds(3), judge: async () => (world.isAllowed ? { follow: true } : undefined) };
  const probe = () => probes.probe(PAGE, host, terms as never);
  const ask = () => probes.askForAnswer(PAGE, host, terms as never);
  return { probes, clock, host, tasks, pauses, world, probe, ask };
}

/** Probes until it is known what the host's error page is. */
async function learn(...answers: Answer[]) {
  const crawl = probing(...answers);
  for (let sent = 0; crawl.probes.isDue(KEY); sent++) {
    expect(sent, 'probes without end').toBeLessThan(10);
    await crawl.probe();
  }
  return crawl;
}

describe('a probe', () => {
  it('requests a URL beside the page that cannot exist, after which the host has its pause', async () => {
    const { probe, tasks, pauses, host, clock } = probing(failed(404), failed(404));
    await probe();
    clock.advance(milliseconds(1));
    await probe();
    expect(tasks[0]).toMatchObject({
      ...{ id: 0, crawler: 'docs', root: 'http://a.example/', hops: 3, redirects: 0, effects: { follow: true } },
      ...{ rereadLinks: false, inspect: true, wantsFingerprint: true, sendBy: 5 },
    });
    for (const { url } of tasks) expect(url).toMatch(/^http:\/\/a\.example\/docs\/\w{8,}\.html$/);
    expect(tasks[0]!.url, 'no page can have been made for it').not.toBe(tasks[1]!.url);
    expect([pauses, host.waitsForResponse]).toEqual([[seconds(3), seconds(3)], false]);
  });

  it('that may not be sent is not sent, nor another one for a day', async () => {
    const { probe, probes, tasks, world, clock } = probing();
    world.isAllowed = false;
    expect(await probe()).toBeUndefined();
    expect(tasks).toEqual([]);
    clock.advance(milliseconds(days(1) - 1));
    expect(probes.isDue(KEY)).toBe(false);
    clock.advance(milliseconds(1));
    expect(probes.isDue(KEY)).toBe(true);
  });

  it('that breaks off leaves the host free', async () => {
    const { probe, probes, host, world } = probing();
    world.isBroken = true;
    await expect(probe()).rejects.toThrow('the thread has ended');
    expect([host.waitsForResponse, probes.isDue(KEY)]).toEqual([false, true]);
  });
});

describe('the error page of a host', () => {
  it.each<[string, Answer[], string[], boolean]>([
    ['is the page for nonsense, if the home page is another', [page(ERROR_PAGE), page(GOOD_PAGE)], ['/'], true],
    ['is that also if the home page has hardly any text', [page(ERROR_PAGE), page()], ['/'], true],
    ['is not told from others if the home page is the same', [page(ERROR_PAGE), page(ERROR_PAGE)], ['/'], false],
    ['is none if nonsense has an error status', [failed(404)], [], false],
    ['is none if nonsense has no text', [page()], [], false],
    ['is not known if the home page fails', [page(ERROR_PAGE), failed(500)], ['/'], false],
    [
      'is compared with the page to which the home page redirects',
      [page(ERROR_PAGE), redirect('http://a.example/en'), page(GOOD_PAGE)],
      ['/', '/en'],
      true,
    ],
    [
      'is not known if the home page leads to another host',
      [page(ERROR_PAGE), redirect('http://b.example/')],
      ['/'],
      false,
    ],
    [
      'is not known if the home page redirects more than three times',
      [page(ERROR_PAGE), ...[1, 2, 3, 4].map((n) => redirect(`http://a.example/${n}`))],
      ['/', '/1', '/2', '/3'],
      false,
    ],
  ])('%s', async (_, answers, requested, isKnown) => {
    const { probes, tasks } = await learn(...answers);
    expect(tasks.slice(1).map(({ url }) => url)).toEqual(requested.map((path) => `http://a.example${path}`));
    expect([probes.hasErrorPage(KEY), probes.isErrorPage(KEY, ERROR_PAGE)]).toEqual([isKnown, isKnown]);
    expect(probes.isErrorPage(KEY, GOOD_PAGE)).toBe(false);
    expect(probes.isErrorPage('b.example', ERROR_PAGE)).toBe(false);
  });

  it('is asked for again after a day, and recognized until then', async () => {
    const { probes, clock } = await learn(page(ERROR_PAGE), page(GOOD_PAGE));
    clock.advance(milliseconds(days(1) - 1));
    expect([probes.isDue(KEY), probes.hasErrorPage(KEY)]).toEqual([false, true]);
    clock.advance(milliseconds(1));
    expect([probes.isDue(KEY), probes.hasErrorPage(KEY)]).toEqual([true, false]);
  });

  it('is asked for again after an hour if there was no response', async () => {
    const { probes, clock } = await learn(failed());
    clock.advance(milliseconds(hours(1) - 1));
    expect(probes.isDue(KEY)).toBe(false);
    clock.advance(milliseconds(1));
    expect(probes.isDue(KEY)).toBe(true);
  });

  it('is asked for from the beginning if the comparison took longer than a day', async () => {
    const { probe, probes, tasks, clock } = probing(page(ERROR_PAGE), failed(404));
    await probe();
    expect(probes.isDue(KEY), 'the good page is missing').toBe(true);
    clock.advance(days(1));
    await probe();
    expect(tasks[1]!.url).toMatch(/^http:\/\/a\.example\/docs\//);
  });

  it('is asked for when a page looks like one, unless it is known', async () => {
    const { probes, probe, clock } = probing(failed(404));
    expect(probes.isSuspected(KEY)).toBe(false);
    expect(probes.suspect(KEY)).toBe(true);
    expect([probes.isSuspected(KEY), probes.isSuspected('b.example')]).toEqual([true, false]);
    await probe();
    expect([probes.isSuspected(KEY), probes.suspect(KEY)]).toEqual([false, false]);
    clock.advance(days(1));
    expect(probes.suspect(KEY)).toBe(true);
  });
});

describe('what a host answers to nonsense, for the change guard', () => {
  const SAMPLE = { sketch: 1n };

  it.each<[string, Answer, unknown]>([
    ['a text with a good status', page(ERROR_PAGE, SAMPLE), SAMPLE],
    ['a page without a text to compare', page(ERROR_PAGE), 'refused'],
    ['an error status', failed(404), 'refused'],
    ['a redirect', redirect('http://a.example/'), 'refused'],
    ['no response', failed(), 'unknown'],
  ])('%s', async (_, given, answer) => {
    const { probes, ask, tasks } = probing(given);
    expect([probes.isAnswerWanted(KEY), probes.findAnswer(KEY)]).toEqual([false, undefined]);
    probes.wantAnswer(KEY);
    expect([probes.isAnswerWanted(KEY), probes.findAnswer(KEY)]).toEqual([true, undefined]);
    expect(await ask()).toBe(given);
    expect(tasks[0]!.url).toMatch(/^http:\/\/a\.example\/docs\/\w+\.html$/);
    expect([probes.isAnswerWanted(KEY), probes.findAnswer(KEY)]).toEqual([false, answer]);
    probes.wantAnswer(KEY);
    expect(probes.findAnswer(KEY), 'it is forgotten').toBeUndefined();
  });

  it('is not known, and not asked for again and again, if the URL may not be requested or the request breaks off', async () => {
    const { probes, ask, world } = probing();
    for (const trouble of [{ isAllowed: false }, { isAllowed: true, isBroken: true }]) {
      Object.assign(world, trouble);
      probes.wantAnswer(KEY);
      await ask().catch(() => undefined);
      expect([probes.isAnswerWanted(KEY), probes.findAnswer(KEY)]).toEqual([false, 'unknown']);
    }
  });
});
