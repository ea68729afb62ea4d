/** Answers of the pages of a host, and what the change guard makes of them. */
import { createTextSample, type TextSample } from '../../src/domain/content/text-sample.js';
import { computeTextSketch } from '../../src/domain/content/text-sketch.js';
import {
  type ChangeVerdict,
  type HostEvidence,
  judgeChange,
  type PageAnswer,
  type SuspiciousChange,
} from '../../src/domain/crawl/change-guard.js';
import { toCrawlUrl } from '../../src/domain/url/crawl-url.js';

const WORDS = 'river stone cloud garden window silver market engine paper bridge forest candle harbour mirror'.split(
  ' ',
);

/** A text of 60 words, which has no sequence of words in common with that of another number. */
export function write(seed: number): string {
  let state = (seed * 7_919 + 1) >>> 0;
  return Array.from({ length: 60 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length]!;
  }).join(' ');
}

export const PAGE_URL = toCrawlUrl('https://a.example/page');
export const sampleOf = (text: string, title = 'Title'): TextSample =>
  createTextSample({ title, text }, PAGE_URL, computeTextSketch(text), undefined)!;

export const textChange = (text: string): SuspiciousChange => ({ kind: 'text', sample: sampleOf(text) });
export const sketch = (seed: number): bigint => computeTextSketch(write(seed));
/** A page that says what is indexed. */
export const kept = (seed: number): PageAnswer => ({ indexedText: sketch(seed) });
export const changed = (seed: number, text: string) => ({ indexedText: sketch(seed), change: textChange(text) });
export const noindex = (seed: number) => ({
  indexedText: sketch(seed),
  change: { kind: 'directive', reason: 'noindex' } as const,
});
export const canonical = (seed: number, target: string) => ({
  indexedText: sketch(seed),
  change: { kind: 'directive', reason: 'canonical-elsewhere', target } as const,
});

export const judge = (
  page: PageAnswer & { change: SuspiciousChange },
  others: readonly PageAnswer[],
  more: Partial<HostEvidence> = {},
): ChangeVerdict =>
  judgeChange(page, {
    others,
    nonsense: 'refused',
    askable: 0,
    failed: 0,
    hasOthers: true,
    indexedTexts: [],
    all: others,
    takenBack: [],
    ...more,
  });

/** A stamp whose text is that of a page of this number. */
export const createStamp = (page: number): string => `c1-${String(page).padStart(32, '0')}${'f'.repeat(32)}`;

export const WALL = 'Our site is being worked on and will be back soon. We ask for your patience.';
