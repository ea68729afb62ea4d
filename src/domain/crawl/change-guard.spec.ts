import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changed,
  judge,
  kept,
  noindex,
  sampleOf,
  sketch,
  textChange,
  WALL,
  write,
} from '../../../test/support/page-answers.js';
import { instant } from '../time/units.js';
import {
  coversChange,
  judgeChange,
  type NonsenseAnswer,
  type PageAnswer,
  type SuspiciousChange,
  selectEvidence,
} from './change-guard.js';

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
