import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../../test/support/crawler-definition.js';
import { order } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { state } from '../../../../test/support/url-states.js';
import { computeTextSketch, createTextSample } from '../../../domain/content/text-sample.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { createExclusion } from '../../../domain/crawl/exclusion.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { minutes } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';
import { ChangeGuard } from './change-guard.js';

/** A text that has no word in common with that of another subject. */
const textAbout = (subject: string): string =>
  Array.from({ length: 90 }, (_, i) => `${subject}${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`).join(
    ' ',
  );
const SUBJECTS = Array.from({ length: 12 }, (_, i) => String.fromCharCode(97 + i).repeat(4));

const UNCHANGED: PageOutcome = { kind: 'unchanged' };
const FAILED: PageOutcome = { kind: 'error', code: 'http-5xx', detail: '' };
const NOINDEX = createExclusion('noindex', '');

/** Indexed pages of one host, each about a subject of its own, and the visits that the guard requests of them. */
function guardedHost(definition: Partial<CrawlerDefinition> = {}) {
  const clock = new ManualClock();
  const context = { definition: crawlerDefinition(definition) } as CrawlContext;
  const pages = SUBJECTS.map((subject, i) =>
    state({
      id: i + 1,
      url: `http://a.example/${subject}`,
      status: 'indexed',
      stamp: `stamp of ${subject}`,
      textSketch: computeTextSketch(textAbout(subject)),
      contentType: 'text/html',
    }),
  );
  const inFlight = new Set<UrlState>();
  const requested: UrlState[] = [];
  const guard = new ChangeGuard('docs', {
    clock,
    store: {
      list: async ({ pendingDeletion }, from) =>
        pages.filter((page) => page.id > from && (!pendingDeletion || page.pendingDeletion !== undefined)),
      listOrders: async () => [order(1, { state: 'awaiting', reason: 'emptied', decidedAt: clock.now() })],
      find: async (_crawler, url) => pages.find((page) => page.url === url),
      get: async (ids) => pages.filter(({ id }) => ids.includes(id)),
    },
    probes: { wantAnswer: () => undefined, isAnswerWanted: () => false, findAnswer: () => 'refused' },
    robots: { checkUrl: () => ({ kind: 'allowed' }) as never, limitAge: () => undefined },
    scheduleVisit: async (page) => !inFlight.has(page) && requested.push(page) > 0,
    isTextOfAnother: async () => false,
  });
  /** Visits a page; returns its result: what it says, or an error in its place. */
  const visit = async (page: UrlState, outcome: PageOutcome): Promise<PageOutcome> => {
    const result = { id: page.id, crawler: 'docs', outcome, links: [], refused: [] } as unknown as PageResult;
    inFlight.add(page);
    const reviewed = await guard.review(context, page, result);
    inFlight.delete(page);
    await guard.noteSettled(page);
    return reviewed.outcome;
  };
  /** Visits what is requested until nothing is; the page that changed first is left out, and counted. */
  const visitOthers = async (changed: UrlState, answer: (page: UrlState) => PageOutcome): Promise<number> => {
    let again = 0;
    for (let visits = 0, page = requested.shift(); page; page = requested.shift()) {
      expect(visits++, 'visits without end').toBeLessThan(100);
      if (page === changed) again++;
      else await visit(page, answer(page));
    }
    return again;
  };
  return { guard, clock, pages, inFlight, requested, visit, visitOthers };
}

/** A page that has been rewritten. */
function document(page: UrlState, text: string): PageOutcome {
  const own = computeTextSketch(text);
  const sample = createTextSample({ title: '', text }, toCrawlUrl(page.url), own, page.textSketch);
  const facts = { stamp: `stamp of ${text}`, textSketch: own, sample, contentType: 'text/html', title: '' };
  return { kind: 'document', facts, index: true, reason: 'indexed' } as unknown as PageOutcome;
}

it('a page that is no longer to be indexed is believed when the others still are, and is asked about first', async () => {
  const { pages, requested, visit, visitOthers } = guardedHost();
  const [page] = pages as [UrlState];
  expect(await visit(page, NOINDEX)).toMatchObject({ code: 'directive-wave', held: undefined });
  expect(requested).toHaveLength(2);
  expect(await visitOthers(page, () => UNCHANGED)).toBe(1);
  expect(await visit(page, NOINDEX)).toBe(NOINDEX);
});

it('a page that is no longer to be indexed is held when the others say the same', async () => {
  const { pages, visit, visitOthers } = guardedHost();
  const [page] = pages as [UrlState];
  await visit(page, NOINDEX);
  await visitOthers(page, () => NOINDEX);
  expect(await visit(page, NOINDEX)).toMatchObject({
    code: 'directive-wave',
    held: { cause: 'directive-wave', kind: 'delete' },
  });
});

it('in the place of a page that was asked and has failed, one other is asked', async () => {
  const { pages, requested, visit } = guardedHost();
  await visit(pages[0]!, NOINDEX);
  const [first, second] = requested.splice(0) as [UrlState, UrlState];
  await visit(first, UNCHANGED);
  await visit(second, FAILED);
  expect(requested).toHaveLength(1);
  expect([pages[0], first, second]).not.toContain(requested[0]);
});

it('a page whose own visit is in flight when the others have answered is visited again after it, and once', async () => {
  const { guard, pages, inFlight, requested, visit, visitOthers } = guardedHost();
  const [page] = pages as [UrlState];
  await visit(page, NOINDEX);
  inFlight.add(page);
  expect(await visitOthers(page, () => UNCHANGED)).toBe(0);
  inFlight.delete(page);
  await guard.noteSettled(page);
  await guard.noteSettled(page);
  expect(requested).toEqual([page]);
});

it('a type that the configuration no longer accepts is its business; a page that has another type by now is guarded', async () => {
  const { pages, requested, visit } = guardedHost({ mimeTypes: ['application/pdf'] });
  const [page] = pages as [UrlState];
  Object.assign(page, { contentType: 'application/pdf' });
  const excluded = createExclusion('mime-type-excluded', '');
  expect(await visit(page, excluded)).toBe(excluded);
  expect(requested).toEqual([]);
  expect(await visit(page, document(page, textAbout('sorry')))).toMatchObject({ code: 'one-page-everywhere' });
  expect(requested).toHaveLength(2);
});

it('when a held page has recovered, all held pages of its host are visited, once in ten minutes', async () => {
  const { clock, pages, requested, visit } = guardedHost();
  const held = pages.slice(0, 3);
  for (const page of held) Object.assign(page, { pendingDeletion: 'emptied' });
  await visit(held[0]!, UNCHANGED);
  expect(requested.splice(0)).toEqual([held[1], held[2]]);
  clock.advance(minutes(9));
  await visit(held[1]!, UNCHANGED);
  expect(requested).toEqual([]);
  clock.advance(minutes(1));
  await visit(held[1]!, UNCHANGED);
  expect(requested).toEqual([held[0], held[2]]);
});

it('a site that is rewritten is believed, unless its pages show each the text that another one had', async () => {
  const isBelieved = async (textOf: (page: UrlState) => string): Promise<boolean> => {
    const { pages, visit, visitOthers } = guardedHost();
    const [page] = pages as [UrlState];
    const answer = (one: UrlState): PageOutcome => document(one, textOf(one));
    await visit(page, answer(page));
    expect(await visitOthers(page, answer)).toBe(1);
    const outcome = answer(page);
    return (await visit(page, outcome)) === outcome;
  };
  expect(await isBelieved(({ id }) => textAbout(`new${SUBJECTS[id - 1]}`))).toBe(true);
  expect(await isBelieved(({ id }) => textAbout(SUBJECTS[id % SUBJECTS.length]!))).toBe(false);
});
