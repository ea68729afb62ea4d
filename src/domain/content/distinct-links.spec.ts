import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DistinctLinks, type Link } from './distinct-links.js';

const a = (href: string): Link => ({ href, kind: 'a', nofollow: false });

function taken(most: number, links: readonly Link[]): DistinctLinks<Link> {
  const distinct = new DistinctLinks<Link>(most);
  for (const link of links) distinct.add(link);
  return distinct;
}

const urls = (links: readonly Link[]): Set<string> => new Set(links.map(({ href }) => href.replace(/#.*$/s, '')));

describe('the links of a page', () => {
  it('are limited by distinct URLs: repeated links do not count', () => {
    const menu = Array.from({ length: 5_000 }, (_, n) => a(`/menu/${n % 50}`));
    const { links, cutLinks: cut } = taken(60, [...menu, a('/only-here'), ...menu, a('/only-here#2'), a('/and-here')]);
    expect(urls(links)).toEqual(new Set([...urls(menu), '/only-here', '/and-here']));
    expect(cut).toBeUndefined();
  });

  it('beyond the limit are counted, with samples', () => {
    const { links, cutLinks: cut } = taken(2, ['/1', '/2', '/3', '/1#a', '/3', '/3#b', '/4'].map(a));
    expect(links.map(({ href }) => href)).toEqual(['/1', '/2', '/1#a']);
    expect(cut?.count).toBe(4);
    expect(cut?.samples.map(({ href }) => href)).toEqual(['/3', '/4']);
  });

  it('to one URL are distinct when they differ in nofollow or canonical', () => {
    const many = Array.from({ length: 1_000 }, () => a('/x'));
    const { links } = taken(10, [{ ...a('/y'), nofollow: true }, ...many, a('/y'), { ...a('/y'), kind: 'canonical' }]);
    expect(links.filter(({ href }) => href === '/y')).toHaveLength(3);
  });

  it('never exceed the limit, and are complete below it', () => {
    const links = fc.array(
      fc
        .record({ n: fc.nat(40), fragment: fc.constantFrom('', '#', '#a', '#b') })
        .map(({ n, fragment }) => a(`/${n}${fragment}`)),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(links, fc.integer({ min: 1, max: 60 }), (written, most) => {
        const { links: kept, cutLinks: cut } = taken(most, written);
        expect(urls(kept)).toEqual(new Set([...urls(written)].slice(0, most)));
        expect(cut === undefined).toBe(urls(written).size <= most);
        expect(kept.length).toBeLessThanOrEqual(2 * most);
      }),
    );
  });
});
