import { describe, expect, it } from 'vitest';
import { INDEXED } from '../../../../test/support/url-states.js';
import { computeTextSketch } from '../../../domain/content/text-sketch.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { type Instant, instant } from '../../../domain/time/units.js';
import type { PageOutcome } from '../../ports/page-task.js';
import { MAX_REPEATED_PAGES, SameTexts } from './same-texts.js';

const page = (id: number, url: string, foundOn?: string): UrlState => ({
  ...INDEXED,
  ...{
    id: id as UrlId,
    url,
    hostKey: 'http://a.example',
    visits: 0,
    reason: 'discovered',
    discoveredVia: 'link',
    foundOn,
  },
  stamp: undefined,
});
const [TEXT, OWN_TEXT, OTHER_TEXT] = ['a', 'b', 'c'].map((letter) => `c1-${letter.repeat(64)}`) as [
  string,
  string,
  string,
];
const WORDS = 'river stone cloud garden window silver market engine paper bridge forest candle';
const OUTCOME = {
  ...{ kind: 'document', index: true },
  facts: { hasText: true, stamp: 'text', title: 'Site' },
} as unknown as PageOutcome;

describe('a text belonged to another document', () => {
  const at = (time: number) => instant(1_700_000_000_000 + time);

  /** A site with one document, whose text changed last at 5, and a page that was last visited at some time. */
  async function siteWith(particulars: Partial<UrlState> = {}) {
    const other = { ...page(1, 'http://a.example/'), stamp: TEXT, title: 'Site', lastChangeAt: at(5), ...particulars };
    const list = async () => [other];
    const catalog = { find: async () => undefined, get: list, list, listTexts: list };
    const sameTexts = new SameTexts(
      'test',
      catalog,
      () => ({ leaveOut: { exactDuplicates: true, directoryListings: false, unlinked: false } }),
      { rank: async () => 0 },
    );
    const visit = (visited: UrlState, stamp: string) =>
      sameTexts.findOriginal(visited, { ...OUTCOME, facts: { hasText: true, stamp, title: 'Site' } } as PageOutcome);
    await visit(page(3, 'http://a.example/z'), TEXT);
    const isOfAnother = (lastVisitAt: Instant | undefined, { id = 2, isDrastic = false, stamp = OWN_TEXT } = {}) => {
      const sample = { isDrastic, sketch: computeTextSketch(WORDS) };
      return sameTexts.isTextOfAnother({ ...page(id, 'http://a.example/y'), stamp, lastVisitAt }, TEXT, sample);
    };
    return { sameTexts, visit, other, isOfAnother };
  }

  it('if that one had it when the page was last visited', async () => {
    const { isOfAnother } = await siteWith();
    expect(await isOfAnother(undefined), 'never visited').toBe(false);
    expect([await isOfAnother(at(4)), await isOfAnother(at(5)), await isOfAnother(at(6))]).toEqual([false, true, true]);
    expect(await isOfAnother(at(6), { id: 1 }), 'its own').toBe(false);
    const { isOfAnother: isOfTwin } = await siteWith({ url: 'http://a.example/y/index.html' });
    expect(await isOfTwin(at(6)), 'that of its other address').toBe(false);
  });

  it.each<[string, Partial<UrlState>, string | undefined, boolean]>([
    ['what that one said before is not known', { firstSeenAt: at(4) }, undefined, true],
    ['that one said something else before', { firstSeenAt: at(4) }, OTHER_TEXT, true],
    ['both said the same before', { firstSeenAt: at(4) }, OWN_TEXT, false],
    ['that one is newer', { firstSeenAt: at(5) }, undefined, false],
  ])(
    'if the page changes drastically after it, unless it always was the same: %s',
    async (_, state, former, expected) => {
      const { sameTexts, other, isOfAnother } = await siteWith(state);
      const document = { stamp: TEXT, title: 'Site' };
      if (former !== undefined) sameTexts.noteSettled({ ...other, stamp: former }, { document });
      expect(await isOfAnother(at(4), { isDrastic: true })).toBe(expected);
      expect(await isOfAnother(at(4))).toBe(false);
    },
  );

  it.each([
    ['the same', WORDS, '', true],
    ['another', `${WORDS} winter letter summer`.split(' ').reverse().join(' '), '', false],
    ['the same, and its document is known', WORDS, OTHER_TEXT, false],
  ])('also if only the sketch of that one is known after a crash, if it is %s', async (_, words, stamp, expected) => {
    const { isOfAnother } = await siteWith({ stamp, textSketch: computeTextSketch(words) });
    expect(await isOfAnother(at(6), { isDrastic: true })).toBe(expected);
    expect(await isOfAnother(at(6))).toBe(false);
    expect(await isOfAnother(at(6), { isDrastic: true, id: 1 }), 'its own').toBe(false);
  });

  it('also if no sink has taken it', async () => {
    const { sameTexts, visit, isOfAnother, other } = await siteWith({ stamp: OTHER_TEXT });
    expect(await isOfAnother(at(6), { isDrastic: true })).toBe(false);
    await visit(other, TEXT);
    sameTexts.noteSettled(other);
    expect(await isOfAnother(at(6), { isDrastic: true })).toBe(true);
    expect(await isOfAnother(at(6), { isDrastic: true, id: 1 }), 'its own').toBe(false);
    expect(await isOfAnother(at(6))).toBe(false);
    await visit(other, TEXT);
    sameTexts.noteSettled(other, { document: null });
    expect(await isOfAnother(at(6), { isDrastic: true }), 'it has left').toBe(false);
  });
});

it('a subtree of repeated texts ends also if a page is settled only after those that it links to are visited', async () => {
  const root: UrlState = { ...page(1, 'http://a.example/'), stamp: 'text', title: 'Site', status: 'indexed' };
  const states = new Map([[root.url, root]]);
  const sameTexts = new SameTexts(
    'test',
    // The database knows of no visit yet.
    {
      find: async (_, url) => states.get(url),
      get: async (ids) => [...states.values()].filter(({ id }) => ids.includes(id)),
      list: async () => [root],
      listTexts: async () => [{ ...root, stamp: 'text' }],
    },
    () => ({ leaveOut: { exactDuplicates: true, directoryListings: false, unlinked: false } }),
    { rank: async () => 0 },
  );
  let last = root;
  const ends: boolean[] = [];
  for (let id = 2; id < 3 + MAX_REPEATED_PAGES; id++) {
    const next = page(id, `${last.url}x/`, last.url);
    states.set(next.url, next);
    const original = await sameTexts.findOriginal(next, OUTCOME);
    ends.push(await sameTexts.recordPage(next, original, OUTCOME));
    last = next;
  }
  expect(ends.indexOf(true)).toBe(MAX_REPEATED_PAGES - 1);
  // But for a sample of them.
  const found = Array.from({ length: 100 }, (_, i) => page(1_000 + i, `${last.url}${i}/`, last.url));
  expect(found.filter((one) => sameTexts.isInTrap(one)).length).toBeGreaterThan(80);
  expect(await sameTexts.isBelowRepeated(page(1_000, `${last.url}x/`, last.url))).toBe(true);
  // A visit that failed says nothing of its page.
  sameTexts.noteSettled(last);
  expect(await sameTexts.isBelowRepeated(page(1_000, `${last.url}x/`, last.url))).toBe(false);
});
