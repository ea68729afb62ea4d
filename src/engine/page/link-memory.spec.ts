import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCanonicalizer, DEFAULT_CANONICALIZATION } from '../../domain/url/canonicalize.js';
import { LinkMemory } from './link-memory.js';

describe('the memory of links', () => {
  it('recognizes a link on all pages from which it resolves to the same URL', () => {
    const memory = new LinkMemory();
    const page = memory.getWrittenLinks('http://a/one/page.html');
    for (const link of ['x.html', '/y.html', 'http://b/z.html']) page.addReported(link);
    const known = (base: string) =>
      ['x.html', '/y.html', 'http://b/z.html'].filter((link) => memory.getWrittenLinks(base).get(link));
    expect(known('http://a/one/other.html?q=/')).toEqual(['x.html', '/y.html', 'http://b/z.html']);
    expect(known('http://a/two/page.html')).toEqual(['/y.html', 'http://b/z.html']);
    expect(known('https://a/one/page.html')).toEqual(['http://b/z.html']);
  });

  it('never confuses two URLs', () => {
    const canonicalize = createCanonicalizer(DEFAULT_CANONICALIZATION);
    const base = fc.constantFrom(
      'http://a/',
      'http://a/x',
      'http://a/x/',
      'http://a/x/y?q=/z',
      'https://a/x/y',
      'http://b:81/x/y',
    );
    const piece = fc.constantFrom(
      'x',
      'y',
      '/',
      '..',
      '.',
      '?',
      'q=1',
      ':',
      '\\',
      'http:',
      '//',
      'HTTP://b',
      '\t',
      '%2e',
    );
    const link = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(base, base, link, (one, other, raw) => {
        const memory = new LinkMemory();
        memory.getWrittenLinks(one).addReported(raw);
        if (memory.getWrittenLinks(other).get(raw))
          expect(canonicalize(raw, other)?.href).toBe(canonicalize(raw, one)?.href);
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells a link from its own host from one that only others have named', () => {
    const memory = new LinkMemory();
    memory.markReported('http://a/own', true);
    memory.markReported('http://a/named', false);
    const isReported = (href: string) => [true, false].map((isOwn) => memory.isReported(href, isOwn));
    expect(isReported('http://a/own')).toEqual([true, true]);
    expect(isReported('http://a/named')).toEqual([false, true]);
    expect(isReported('http://a/other')).toEqual([false, false]);
  });

  it('remembers the latest reported links, at least as many as it has room for and at most twice as many', () => {
    const memory = new LinkMemory(3);
    const isReported = () => [1, 2, 3, 4, 5, 6, 7].filter((n) => memory.isReported(`http://a/${n}`, true));
    for (let n = 1; n <= 6; n++) memory.markReported(`http://a/${n}`, true);
    expect(isReported()).toEqual([1, 2, 3, 4, 5, 6]);
    memory.markReported('http://a/7', true);
    expect(isReported()).toEqual([4, 5, 6, 7]);
    memory.forget(['http://a/5', 'http://a/7']);
    expect(isReported()).toEqual([4, 6]);
  });

  it('keeps some refused links, and no long one', () => {
    const page = new LinkMemory(10).getWrittenLinks('http://a/');
    const links = ['http://b/1', `http://b/${'x'.repeat(200)}`, 'http://b/2', 'http://b/3'];
    for (const url of links) page.addRefused(url, { url, hostKey: 'b', reason: 'rule-ignored', record: false });
    expect(links.filter((link) => page.get(link))).toEqual(['http://b/1', 'http://b/2']);
    page.addReported('http://b/4');
    expect(page.get('http://b/4')).toBe('handed on');
  });

  it('drops a URL that is no longer stored, and everything beyond its limit', () => {
    const memory = new LinkMemory(3);
    memory.markReported('http://a/x', true);
    memory.getWrittenLinks('http://a/').addReported('x');
    memory.forget(['http://a/x']);
    expect(memory.isReported('http://a/x', true)).toBe(false);
    expect(memory.getWrittenLinks('http://a/').get('x')).toBeUndefined();
    for (const link of ['1', '2', '3']) memory.getWrittenLinks('http://a/').addReported(link);
    expect(memory.getWrittenLinks('http://a/').get('1')).toBeUndefined();
  });
});
