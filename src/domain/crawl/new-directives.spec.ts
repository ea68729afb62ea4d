import { describe, expect, it } from 'vitest';
import { canonical, judge, kept, noindex } from '../../../test/support/page-answers.js';
import { type PageAnswer } from './change-guard.js';

describe('a directive that deletes an indexed document', () => {
  it('is obeyed if twelve others do not have it, or all others of a smaller site', () => {
    expect(judge(noindex(0), [], { askable: 12 })).toEqual({ ask: 2 });
    expect(judge(noindex(0), [kept(1), kept(2)], { askable: 10 })).toEqual({ ask: 10 });
    const twelve = Array.from({ length: 12 }, (_, i) => kept(i + 1));
    expect(judge(noindex(0), twelve, { askable: 4 })).toBe('believe');
    expect(judge(noindex(0), twelve.slice(1), { askable: 4 })).toEqual({ ask: 1 });
    expect(judge(noindex(0), [kept(1), kept(2)])).toBe('believe');
  });

  it('is held if the others have it as well', () => {
    expect(judge(noindex(0), [noindex(1), noindex(2)], { askable: 10 })).toBe('hold');
  });

  it('is compared with more pages if one of two has it', () => {
    expect(judge(noindex(0), [noindex(1), kept(2)], { askable: 10 })).toEqual({ ask: 10 });
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

  it('is shared by pages that name canonical URLs whose documents are no copies of them', () => {
    const unrelated = (seed: number, isUnrelated = true) => {
      const { change, ...page } = canonical(seed, `https://a.example/${seed + 1}`);
      return { ...page, change: { ...change, isUnrelated } };
    };
    expect(judge(unrelated(0), [unrelated(1), unrelated(2)])).toBe('hold');
    expect(judge(unrelated(0), [unrelated(1, false), unrelated(2, false)])).toBe('believe');
    expect(judge(unrelated(0, false), [unrelated(1), unrelated(2)])).toBe('believe');
    expect(judge(unrelated(0), [unrelated(1), ...[2, 3, 4].map(kept)])).toBe('believe');
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
