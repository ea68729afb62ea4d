import { describe, expect, it } from 'vitest';
import { hashWords } from '../content/vocabulary.js';
import { EndlessPatterns, MAX_BARREN_PAGES, type WatchedPage } from './endless-patterns.js';

const HOST = 'a.example';
const LIMIT = 100;
const day = (n: number): string => `https://a.example/day/${n}`;

function page(url: string, text: string, more: Partial<WatchedPage> = {}): WatchedPage {
  return {
    url,
    hostKey: HOST,
    words: hashWords(text, 'without numbers'),
    firstVisit: true,
    linksToNewPages: false,
    ...more,
  };
}

/**
 * Finds and reads one page after another, as a crawl does, and returns how many it read until the pattern was endless.
 */
function crawl(patterns: EndlessPatterns, text: (n: number) => string, most = 5_000): number {
  for (let n = 0; n < most; n++) {
    patterns.countNewUrl(HOST, day(n));
    if (patterns.isWatched(HOST, day(n))) patterns.recordPage(page(day(n), text(n)));
    if (patterns.isEndless(HOST, day(n))) return n;
  }
  return most;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const calendar = (n: number): string => `${MONTHS[n % 12]} ${1990 + Math.floor(n / 12)} Mon Tue Wed 1 2 3 4`;
const article = (n: number): string => `The story of ${n.toString(2).replaceAll('0', 'o').replaceAll('1', 'i')}x.`;

describe('an endless pattern', () => {
  it('is recognized soon after its limit when its pages bring nothing new', () => {
    const end = crawl(new EndlessPatterns(() => LIMIT), calendar);
    expect(end).toBeGreaterThan(LIMIT);
    expect(end).toBeLessThan(LIMIT + MAX_BARREN_PAGES + 24);
  });

  it('is not recognized while its pages have new words', () => {
    expect(crawl(new EndlessPatterns(() => LIMIT), article)).toBe(5_000);
  });

  it('is recognized at its limit, whatever other patterns of its host have reached theirs before', () => {
    const patterns = new EndlessPatterns(() => LIMIT);
    const other = (n: number): string => `https://a.example/item/${n}/x`;
    for (let n = 1; n < LIMIT; n++) patterns.countNewUrl(HOST, day(n));
    for (let n = 1; n <= LIMIT; n++) patterns.countNewUrl(HOST, other(n));
    expect([patterns.isWatched(HOST, other(1)), patterns.isWatched(HOST, day(1))]).toEqual([true, false]);
    patterns.countNewUrl(HOST, day(LIMIT));
    expect(patterns.isWatched(HOST, day(1))).toBe(true);
  });

  it('is not recognized below its limit', () => {
    expect(crawl(new EndlessPatterns(() => 5_000), calendar, 4_000)).toBe(4_000);
  });

  it('is not recognized while its pages link to new pages', () => {
    const patterns = new EndlessPatterns(() => 1);
    for (let n = 0; n < 1_000; n++) {
      patterns.countNewUrl(HOST, day(n));
      patterns.recordPage(page(day(n), 'the same', { linksToNewPages: n % (MAX_BARREN_PAGES - 1) === 0 }));
      expect(patterns.isEndless(HOST, day(n))).toBe(false);
    }
  });

  it('is no longer endless when a page brings something new', () => {
    const patterns = new EndlessPatterns(() => LIMIT);
    crawl(patterns, calendar);
    expect(patterns.recordPage(page(day(1), 'January 1990 Mon'))).toEqual({
      isProductive: false,
      endlessChanged: false,
    });
    expect(patterns.isEndless(HOST, day(9_999))).toBe(true);
    expect(patterns.recordPage(page(day(2), 'January 1990, annual assembly'))).toEqual({
      isProductive: true,
      endlessChanged: true,
    });
    expect(patterns.isEndless(HOST, day(9_999))).toBe(false);
  });

  it('does not follow from repeated visits to the same pages', () => {
    const patterns = new EndlessPatterns(() => 1);
    patterns.countNewUrl(HOST, day(1));
    for (let n = 0; n < 1_000; n++) patterns.recordPage(page(day(1), 'the same', { firstVisit: false }));
    expect(patterns.isEndless(HOST, day(1))).toBe(false);
  });

  it('stays endless across a restart, although all words seem new afterwards', () => {
    const before = new EndlessPatterns(() => LIMIT);
    crawl(before, calendar);
    expect(before.listEndlessPatterns(HOST)).toEqual(['/day/N']);
    expect(before.listEndlessPatterns('a.example.org')).toEqual([]);
    const after = new EndlessPatterns(() => LIMIT);
    after.restore(HOST, before.listEndlessPatterns(HOST));
    for (let n = 0; n < MAX_BARREN_PAGES; n++) after.recordPage(page(day(n), calendar(n)));
    expect(after.isEndless(HOST, day(1))).toBe(true);
    after.recordPage(page(day(1), 'something unheard of'));
    expect(after.isEndless(HOST, day(1))).toBe(false);
  });

  it('belongs to one host; paths made of words never form one', () => {
    const patterns = new EndlessPatterns(() => LIMIT);
    crawl(patterns, calendar);
    expect(patterns.isEndless('b.example', day(1))).toBe(false);
    patterns.countNewUrl(HOST, 'https://a.example/words');
    expect(patterns.isWatched(HOST, 'https://a.example/words')).toBe(false);
  });
});
