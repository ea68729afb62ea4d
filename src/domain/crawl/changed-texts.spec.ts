import { describe, expect, it } from 'vitest';
import {
  changed,
  createStamp,
  judge,
  kept,
  PAGE_URL,
  sampleOf,
  sketch,
  textChange,
  WALL,
  write,
} from '../../../test/support/page-answers.js';
import { createTextSample } from '../content/text-sample.js';
import { computeTextSketch } from '../content/text-sketch.js';
import { getHoldCause, type NonsenseAnswer, type SuspiciousChange } from './change-guard.js';

const TWELVE = Array.from({ length: 12 }, (_, i) => kept(i + 1));

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
    expect(judge(changed(0, WALL), [kept(1), kept(2)], { nonsense, askable: 10 })).toEqual({ ask: 10 });
    expect(judge(changed(0, WALL), TWELVE, { nonsense, askable: 4 })).toBe('error-page');
    expect(judge(changed(0, WALL), [kept(1), kept(2)], { nonsense })).toBe('hold');
  });

  it('is not an error page of its own if another page has almost the same text', () => {
    const nonsense = sampleOf(WALL);
    const others = [...[1, 2, 3, 4, 5, 6, 7, 8].map(kept), changed(9, `${WALL} Thank you.`)];
    expect(judge(changed(0, WALL), others, { nonsense })).toBe('hold');
  });

  it('is believed if the others have new texts of their own', () => {
    const others = [11, 12, 13, 14, 15].map((seed) => changed(seed, write(seed + 20)));
    expect(judge(changed(0, write(10)), others, { askable: 10 })).toBe('believe');
    expect(judge(changed(0, write(10)), others.slice(0, 2), { askable: 10 })).toEqual({ ask: 10 });
    expect(judge(changed(0, write(10)), others.slice(0, 2))).toBe('believe');
  });

  it('is compared with more pages if the first two have not changed, since half of a site may be ill', () => {
    expect(judge(changed(0, WALL), [kept(1), kept(2)], { askable: 10 })).toEqual({ ask: 10 });
    expect(judge(changed(0, WALL), TWELVE, { askable: 4 })).toBe('believe');
    expect(judge(changed(0, WALL), [...TWELVE.slice(0, 6), changed(7, WALL), changed(8, WALL)])).toBe('hold');
    expect(judge(changed(0, WALL), [...TWELVE.slice(0, 10), changed(11, WALL)])).toBe('hold');
    expect(judge(changed(0, WALL), [...TWELVE, changed(13, WALL)])).toBe('believe');
  });

  it('is held if the host fails so often that only a few others have answered', () => {
    const few = [1, 2, 3, 4].map(kept);
    expect(judge(changed(0, WALL), few, { askable: 3, failed: 5 })).toEqual({ ask: 3 });
    expect(judge(changed(0, WALL), few, { failed: 4 })).toBe('hold');
    expect(judge(changed(0, write(8)), few, { failed: 3 })).toBe('believe');
    expect(judge(changed(0, WALL), TWELVE, { failed: 13 })).toBe('believe');
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
    expect(judge(changed(0, WALL), TWELVE)).toBe('believe');
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
      expect(judge(first, [...others, kept(3)], { askable: 9 })).toEqual({ ask: 9 });
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
      const sample = createTextSample({ title, text }, PAGE_URL, computeTextSketch(text), computeTextSketch(indexed))!;
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
