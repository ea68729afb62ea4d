import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeTextSketch, createTextSample, type TextSample } from '../content/text-sample.js';
import { instant } from '../time/units.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import {
  type ChangeVerdict,
  coversChange,
  getHoldCause,
  type HostEvidence,
  judgeChange,
  type NonsenseAnswer,
  type PageAnswer,
  type SuspiciousChange,
  selectEvidence,
} from './change-guard.js';

const WORDS = 'river stone cloud garden window silver market engine paper bridge forest candle harbour mirror'.split(
  ' ',
);

/** A text of 60 words, which has no sequence of words in common with that of another number. */
function write(seed: number): string {
  let state = (seed * 7_919 + 1) >>> 0;
  return Array.from({ length: 60 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length]!;
  }).join(' ');
}

const URL = toCrawlUrl('https://a.example/page');
const sampleOf = (text: string, title = 'Title'): TextSample =>
  createTextSample({ title, text }, URL, computeTextSketch(text), undefined)!;

const textChange = (text: string): SuspiciousChange => ({ kind: 'text', sample: sampleOf(text) });
const sketch = (seed: number): bigint => computeTextSketch(write(seed));
/** A page that says what is indexed. */
const kept = (seed: number): PageAnswer => ({ indexedText: sketch(seed) });
const changed = (seed: number, text: string) => ({ indexedText: sketch(seed), change: textChange(text) });
const noindex = (seed: number) => ({
  indexedText: sketch(seed),
  change: { kind: 'directive', reason: 'noindex' } as const,
});
const canonical = (seed: number, target: string) => ({
  indexedText: sketch(seed),
  change: { kind: 'directive', reason: 'canonical-elsewhere', target } as const,
});

const judge = (
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
const createStamp = (page: number): string => `c1-${String(page).padStart(32, '0')}${'f'.repeat(32)}`;

const WALL = 'Our site is being worked on and will be back soon. We ask for your patience.';

describe('a text that has nothing in common with the indexed one', () => {
  it('is not judged before two other pages have been asked', () => {
    expect(judge(changed(0, WALL), [], { askable: 12 })).toEqual({ ask: 2 });
    expect(judge(changed(0, WALL), [kept(1)], { askable: 11 })).toEqual({ ask: 1 });
  });

  it('is held if the others have changed to the same text', () => {
    expect(judge(changed(0, WALL), [changed(1, WALL), changed(2, WALL)], { askable: 10 })).toBe('hold');
  });

  it('is held if it is what the host sends for a URL that cannot exist', () => {
    const nonsense = sampleOf(WALL);
    expect(judge(changed(0, WALL), [], { nonsense })).toBe('hold');
    expect(judge(changed(0, WALL), [kept(1), changed(2, WALL)], { nonsense, askable: 10 })).toBe('hold');
    expect(judge(changed(0, write(8)), [kept(1), kept(2)], { nonsense: sampleOf(write(9)) })).toBe('believe');
  });

  it('is held if it is what the host sends for a URL that cannot exist, and no other page is as it was', () => {
    const rewritten = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => changed(i, write(i + 20)));
    expect(judge(changed(0, WALL), rewritten, { nonsense: sampleOf(WALL) })).toBe('hold');
  });

  it('is the error page of a page that is gone, if that is what the host sends and several others are well', () => {
    const nonsense = sampleOf(WALL);
    expect(judge(changed(0, WALL), [kept(1), kept(2)], { nonsense, askable: 10 })).toEqual({ ask: 6 });
    expect(judge(changed(0, WALL), [1, 2, 3, 4, 5, 6, 7, 8].map(kept), { nonsense, askable: 4 })).toBe('error-page');
    expect(judge(changed(0, WALL), [kept(1), kept(2)], { nonsense })).toBe('hold');
  });

  it('is no error page of its own if another page has almost the same text', () => {
    const nonsense = sampleOf(WALL);
    const others = [...[1, 2, 3, 4, 5, 6, 7, 8].map(kept), changed(9, `${WALL} Thank you.`)];
    expect(judge(changed(0, WALL), others, { nonsense })).toBe('hold');
  });

  it('is believed if the others have new texts of their own', () => {
    const others = [11, 12, 13, 14, 15].map((seed) => changed(seed, write(seed + 20)));
    expect(judge(changed(0, write(10)), others, { askable: 10 })).toBe('believe');
    expect(judge(changed(0, write(10)), others.slice(0, 2), { askable: 10 })).toEqual({ ask: 6 });
    expect(judge(changed(0, write(10)), others.slice(0, 2))).toBe('believe');
  });

  it('is compared with more pages if the first two have not changed, since half of a site may be ill', () => {
    expect(judge(changed(0, WALL), [kept(1), kept(2)], { askable: 10 })).toEqual({ ask: 6 });
    const healthy = [1, 2, 3, 4, 5, 6, 7, 8].map(kept);
    expect(judge(changed(0, WALL), healthy, { askable: 4 })).toBe('believe');
    expect(judge(changed(0, WALL), [...healthy.slice(0, 6), changed(7, WALL), changed(8, WALL)])).toBe('hold');
    expect(judge(changed(0, WALL), [...healthy, kept(9), kept(10), changed(11, WALL)])).toBe('hold');
    expect(judge(changed(0, WALL), [...healthy, ...[9, 10, 11, 12].map(kept), changed(13, WALL)])).toBe('believe');
  });

  it('is held if the host fails so often that only a few others have answered', () => {
    const few = [1, 2, 3, 4].map(kept);
    expect(judge(changed(0, WALL), few, { askable: 3, failed: 5 })).toEqual({ ask: 3 });
    expect(judge(changed(0, WALL), few, { failed: 5 })).toBe('hold');
    expect(judge(changed(0, write(8)), few, { failed: 3 })).toBe('believe');
    expect(judge(changed(0, WALL), [1, 2, 3, 4, 5, 6, 7, 8].map(kept), { failed: 9 })).toBe('believe');
  });

  it('is held if it is that of another page, and so are the others', () => {
    const home = kept(1);
    expect(judge(changed(0, write(1)), [home, changed(2, write(1))], { askable: 10 })).toBe('hold');
  });

  it('is believed on pages that always were the same, unless one of them has not changed', () => {
    const print = { indexedStamp: createStamp(0) };
    const page = { ...changed(0, write(8)), ...print };
    expect(judge(page, [page, page, kept(5), kept(6)])).toBe('believe');
    expect(judge(page, [page, page, { ...kept(0), ...print }, kept(6)])).toBe('hold');
    expect(judge(page, [page, { ...page, indexedStamp: createStamp(1) }, kept(6)])).toBe('hold');
  });

  it('is held if several pages that differed only in numbers now say exactly the same', () => {
    const numbered = (page: number, text: string) => ({
      indexedText: computeTextSketch(`${write(0)} article ${page}`),
      indexedStamp: createStamp(page),
      change: textChange(text),
    });
    const all = [1, 2, 3].map((page) => numbered(page, write(8)));
    expect(judge(all[0]!, all.slice(1))).toBe('hold');
    // An outage with a number of its own for each page, and a rewrite.
    const down = [1, 2, 3].map((page) => numbered(page, `${WALL} Incident ${page}`));
    expect(judge(down[0]!, down.slice(1))).toBe('hold');
    const rewritten = [1, 2, 3].map((page) => numbered(page, `${write(8)} article ${page}`));
    expect(judge(rewritten[0]!, rewritten.slice(1))).toBe('believe');
  });

  it('is in doubt if it is about an outage and only a few pages can be asked', () => {
    expect(judge(changed(0, WALL), [kept(1), kept(2)])).toBe('doubt');
    expect(judge(changed(0, WALL), [1, 2, 3, 4, 5, 6, 7, 8].map(kept))).toBe('believe');
  });

  it('is in doubt if many others show texts that were those of other pages', () => {
    const indexedTexts = [0, 1, 2, 3, 4].map(sketch);
    const mixedUp = [0, 1, 2, 3, 4].map((i) => changed(i, write((i + 1) % 5)));
    expect(judge(mixedUp[0]!, mixedUp.slice(1), { indexedTexts })).toBe('doubt');
    expect(judge(mixedUp[0]!, [mixedUp[2]!, kept(3), kept(4)], { indexedTexts })).toBe('believe');
    const alone = { ...kept(0), change: { ...textChange(write(1)), isTextOfAnother: true } as SuspiciousChange };
    expect(judge(alone, [2, 3, 4, 5, 6, 7, 8, 9].map(kept))).toBe('doubt');
  });

  describe('of which each answer has some words of its own', () => {
    const say = (...words: string[]) =>
      `We are sorry that nobody could answer you in time, and ask you to tell our people ${words.join(' or ')} on the phone.`;
    const first = changed(0, say('quagmire', 'zephyr'));
    const others = [say('walnut', 'lantern'), say('pebble', 'oyster')].map((text, i) => changed(i + 1, text));

    it('is held if most of the others say much the same', () => {
      expect(judge(first, others)).toBe('hold');
      expect(judge(first, [...others, kept(3)], { askable: 9 })).toEqual({ ask: 5 });
      expect(judge(first, [...others, kept(3), kept(4), kept(5), kept(6)])).toBe('hold');
    });

    it('is in doubt if some of the others do', () => {
      expect(judge(first, [...others, ...[3, 4, 5, 6, 7, 8].map(kept)])).toBe('doubt');
      expect(judge(first, [others[0]!, ...[3, 4, 5, 6, 7, 8, 9].map(kept)])).toBe('believe');
    });

    it('is in doubt if one of them has said much the same and taken it back', () => {
      const healthy = [1, 2, 3, 4, 5, 6, 7, 8].map(kept);
      expect(judge(first, healthy, { takenBack: [textChange(say('walnut', 'lantern'))] })).toBe('doubt');
      expect(judge(first, healthy, { takenBack: [textChange(WALL)] })).toBe('believe');
    });

    it('is in doubt if its own answers have no more in common than those of different pages', () => {
      const sayMore = (i: number): string =>
        Array.from({ length: 20 }, (_, at) => `please ask w${'abcdefghij'[i]}${'klmnopqrstuvwxyzabcd'[at]}`).join(' ');
      const more = [1, 2, 3].map((i) => changed(i, sayMore(i)));
      const rewritten = [1, 2, 3].map((i) => changed(i, write(i + 20)));
      expect(judge(changed(0, sayMore(0)), more)).toBe('believe');
      expect(judge(changed(0, sayMore(0)), more, { ownTakenBack: textChange(sayMore(9)) })).toBe('doubt');
      expect(judge(changed(0, sayMore(0)), rewritten, { ownTakenBack: textChange(sayMore(9)) })).toBe('believe');
      expect(judge(changed(0, write(8)), rewritten, { ownTakenBack: textChange(write(9)) })).toBe('doubt');
    });

    it('is held however many others there are', () => {
      const name = (i: number): string => `x${'abcdefghij'[i % 10]}y${'klmnopqrst'[Math.floor(i / 10)]}`;
      const many = Array.from({ length: 99 }, (_, i) => changed(i + 1, say(name(i), `z${name(i)}`)));
      expect(judge(first, many)).toBe('hold');
    });

    it('is held if all report an outage, each in words of its own, or where in a program it failed', () => {
      for (const start of ['The service is temporarily unavailable.', 'at org.example.Main.run(Main.java:12)'])
        expect(
          judge(
            changed(0, `${start} ${write(80)}`),
            [1, 2].map((i) => changed(i, `${start} ${write(80 + i)}`)),
          ),
        ).toBe('hold');
    });

    it('is held if all have lost most of their words', () => {
      const few = (i: number) => changed(i, write(80 + i).slice(0, 100));
      expect(judge(few(0), [few(1), few(2)])).toBe('hold');
      const short = (i: number) => ({ ...few(i), indexedText: computeTextSketch(write(i).slice(0, 160)) });
      expect(judge(short(0), [short(1), short(2)])).toBe('believe');
    });

    it('is in doubt if the pages had much in common before, and believed if they are as long as pages are', () => {
      const old = (i: number) => ({ indexedText: computeTextSketch(`${write(50)} ${write(60 + i).slice(0, 40)}`) });
      expect(
        judge(
          { ...first, ...old(0) },
          others.map((other, i) => ({ ...other, ...old(i + 1) })),
        ),
      ).toBe('doubt');
      const long = (i: number) =>
        changed(i, `${write(70)} ${write(71)} ${write(72)} ${write(80 + i)} ${write(90 + i).slice(0, 100)}`);
      expect(judge(long(0), [long(1), long(2)])).toBe('believe');
    });
  });

  it('is believed if it only lacks a part that the first two others still have, and held if they lack it, too', () => {
    const indexed = `${write(0)} ${write(1)}`;
    const cut = (text: string, title: string): SuspiciousChange => {
      const sample = createTextSample({ title, text }, URL, computeTextSketch(text), computeTextSketch(indexed))!;
      expect(sample).toMatchObject({ isDrastic: false, isReduced: true });
      return { kind: 'text', sample };
    };
    const page = { ...kept(0), change: cut(write(0), 'Page') };
    expect(judge(page, [kept(1), kept(2)], { askable: 10 })).toBe('believe');
    expect(
      judge(
        page,
        [1, 2].map((seed) => ({ ...kept(seed), change: page.change })),
      ),
    ).toBe('hold');
  });

  it('is believed if old and new texts differ from those of other pages only in numbers', () => {
    const others = [changed(0, `${write(3)} page 2`), changed(0, `${write(3)} page 3`)];
    expect(judge(changed(0, `${write(3)} page 1`), others)).toBe('believe');
  });

  it('is held if nobody can be asked', () => {
    expect(judge(changed(0, WALL), [], { hasOthers: true, failed: 1 })).toBe('hold');
    expect(judge(changed(0, WALL), [], { hasOthers: false, nonsense: 'unknown' })).toBe('hold');
  });

  it('is believed on a site without other pages that knows which of its pages exist', () => {
    const judgeAlone = (text: string, nonsense: NonsenseAnswer = 'refused') =>
      judge(changed(0, text), [], { hasOthers: false, nonsense });
    expect(judgeAlone(write(8))).toBe('believe');
    expect(judgeAlone(write(8), 'unknown')).toBe('hold');
    expect(judgeAlone(' ')).toBe('doubt');
    expect(judgeAlone('This service is temporarily unavailable. Please come back in an hour or two.')).toBe('doubt');
  });

  it('is in doubt if the other pages are gone', () => {
    expect(judge(changed(0, write(8)), [], { hasOthers: true })).toBe('doubt');
  });

  it('is held as emptied if there is none at all', () => {
    expect(getHoldCause(textChange(' '))).toBe('emptied');
    expect(getHoldCause(textChange(WALL))).toBe('one-page-everywhere');
    expect(judge(changed(0, ''), [changed(1, ' '), changed(2, 'Loading')])).toBe('hold');
  });
});

describe('a directive that deletes an indexed document', () => {
  it('is obeyed if eight others do not have it, or all others of a smaller site', () => {
    expect(judge(noindex(0), [], { askable: 12 })).toEqual({ ask: 2 });
    expect(judge(noindex(0), [kept(1), kept(2)], { askable: 10 })).toEqual({ ask: 6 });
    expect(judge(noindex(0), [1, 2, 3, 4, 5, 6, 7, 8].map(kept), { askable: 4 })).toBe('believe');
    expect(judge(noindex(0), [kept(1), kept(2)])).toBe('believe');
  });

  it('is held if the others have it as well', () => {
    expect(judge(noindex(0), [noindex(1), noindex(2)], { askable: 10 })).toBe('hold');
  });

  it('is compared with more pages if one of two has it', () => {
    expect(judge(noindex(0), [noindex(1), kept(2)], { askable: 10 })).toEqual({ ask: 6 });
    expect(judge(noindex(0), [noindex(1), ...[2, 3, 4, 5, 6, 7, 8].map(kept)])).toBe('believe');
    expect(judge(noindex(0), [...[1, 2, 3, 4].map(noindex), ...[5, 6, 7, 8].map(kept)])).toBe('doubt');
    expect(judge(noindex(0), [...[1, 2].map(noindex), ...[3, 4, 5, 6, 7, 8].map(kept)])).toBe('doubt');
    expect(judge(noindex(0), [...[1, 2, 3, 4, 5].map(noindex), ...[6, 7, 8].map(kept)])).toBe('hold');
    expect(judge(noindex(0), [noindex(1), kept(2)])).toBe('believe');
  });

  it('is in doubt if a page of the host has taken it back', () => {
    const takenBack = [noindex(3).change];
    expect(judge(noindex(0), [1, 2, 3, 4, 5, 6, 7, 8].map(kept), { takenBack })).toBe('doubt');
  });

  it('is not shared by pages that name different canonical URLs', () => {
    const home = 'https://a.example/';
    expect(judge(canonical(0, home), [canonical(1, home), canonical(2, home)])).toBe('hold');
    expect(judge(canonical(0, home), [canonical(1, `${home}1`), canonical(2, `${home}2`)])).toBe('believe');
  });

  it('is shared by pages that name the same canonical URL while that has no document', () => {
    const home = 'https://a.example/';
    const naming = (seed: number, url: string): PageAnswer => ({ ...kept(seed), canonical: url });
    expect(judge(canonical(0, home), [naming(1, home), naming(2, home), kept(3)])).toBe('hold');
    expect(judge(canonical(0, home), [naming(1, `${home}1`), naming(2, `${home}2`), kept(3)])).toBe('believe');
    expect(judge(noindex(0), [naming(1, home), naming(2, home)])).toBe('believe');
  });

  it('is in doubt on a site of two pages if it names a page with another text', () => {
    const home = 'https://a.example/';
    const naming = (isUnrelated: boolean) => ({
      ...kept(0),
      change: { kind: 'directive', reason: 'canonical-elsewhere', target: home, isUnrelated } as const,
    });
    expect(judge(naming(true), [kept(1)])).toBe('doubt');
    expect(judge(naming(false), [kept(1)])).toBe('believe');
    expect(judge(naming(true), [kept(1), kept(2)])).toBe('believe');
  });

  it('is obeyed on a site with one document, and held if the others do not answer', () => {
    expect(judge(noindex(0), [], { hasOthers: false, nonsense: 'unknown' })).toBe('believe');
    expect(judge(noindex(0), [], { hasOthers: true })).toBe('hold');
  });
});

describe('what other pages said before a change was first seen', () => {
  const at = instant(1_000);
  const earlier = <T extends PageAnswer>(answer: T) => ({ ...answer, at: instant(999) });
  const later = <T extends PageAnswer>(answer: T) => ({ ...answer, at });

  it('counts if they had changed in the same way', () => {
    const alike = [earlier(changed(1, WALL)), later(changed(2, WALL))];
    expect(selectEvidence(changed(0, WALL), at, alike)).toEqual(alike);
    expect(selectEvidence(noindex(0), at, [earlier(noindex(1)), earlier(kept(2))])).toEqual([earlier(noindex(1))]);
  });

  it('does not count if they were well, or had new texts of their own, however many they were', () => {
    const rewritten = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => earlier(changed(seed, write(seed + 20))));
    expect(selectEvidence(changed(0, WALL), at, [...rewritten, earlier(kept(9)), later(kept(10))])).toEqual([
      later(kept(10)),
    ]);
  });
});

describe('what others have said since a change was first seen', () => {
  it('says nothing about a directive or a text that has come to it since', () => {
    const text = textChange(write(8));
    const both: SuspiciousChange = { ...text, directive: { reason: 'noindex' } } as SuspiciousChange;
    expect(coversChange(text, both)).toBe(false);
    expect(coversChange(noindex(0).change, both)).toBe(false);
    expect(coversChange(both, text)).toBe(true);
    expect(coversChange(both, noindex(0).change)).toBe(true);
    expect(coversChange(text, textChange(write(9)))).toBe(false);
  });
});

describe('whatever the host answers', () => {
  const seeds = fc.integer({ min: 1, max: 50 });
  const answers = fc.oneof(
    seeds.map(kept),
    seeds.map((seed) => changed(seed, WALL)),
    seeds.map((seed) => changed(seed, write(seed + 100))),
    seeds.map(noindex),
  );
  const nonsense = fc.constantFrom<NonsenseAnswer>('refused', 'unknown', sampleOf(WALL), sampleOf(write(99)));
  const evidence = fc.record({
    others: fc.array(answers, { maxLength: 12 }),
    nonsense,
    askable: fc.nat(12),
    failed: fc.nat(12),
    hasOthers: fc.constant(true),
    indexedTexts: fc.constant([sketch(101)]),
    all: fc.array(answers, { maxLength: 12 }),
    takenBack: fc.constant([]),
  });

  it('no more pages are asked than can be', () => {
    fc.assert(
      fc.property(answers, evidence, (page, host) => {
        if (!page.change) return;
        const verdict = judgeChange(page as never, host);
        if (typeof verdict === 'object') {
          expect(verdict.ask).toBeGreaterThan(0);
          expect(verdict.ask).toBeLessThanOrEqual(host.askable);
        }
      }),
    );
  });

  it('a page of a host on which every page says the same is never believed', () => {
    const wall = fc
      .array(seeds, { minLength: 1, maxLength: 12 })
      .map((list) => list.map((seed) => changed(seed, WALL)));
    fc.assert(
      fc.property(wall, nonsense, fc.nat(12), (others, answer, askable) => {
        expect(judge(changed(0, WALL), others, { nonsense: answer, askable })).not.toBe('believe');
      }),
    );
  });

  it('a page of a rewritten site is never held', () => {
    const rewrite = fc.uniqueArray(seeds, { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(rewrite, fc.nat(12), (list, askable) => {
        const others = list.map((seed) => changed(seed, write(seed + 100)));
        expect(judge(changed(0, write(100)), others, { askable })).not.toBe('hold');
      }),
    );
  });
});
