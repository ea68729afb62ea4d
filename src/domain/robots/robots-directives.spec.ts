import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobotsDirectives } from './robots-directives.js';

const reported = (metas: [string, string][], lines: string[] = []) => {
  const { index, follow, archive } = parseRobotsDirectives(
    metas.map(([agent, directives]) => ({ agent, directives })),
    lines,
    'CrawlBot',
  );
  return [index ? '' : 'noindex', follow ? '' : 'nofollow', archive ? '' : 'noarchive'].filter(Boolean).join(' ');
};

describe('robots directives', () => {
  it.each([
    ['', ''],
    ['all', ''],
    ['index, follow', ''],
    ['noindex', 'noindex'],
    ['NOINDEX,NoFollow', 'noindex nofollow'],
    ['none', 'noindex nofollow'],
    ['noarchive; nofollow', 'nofollow noarchive'],
    ['noindex nofollow', 'noindex nofollow'],
    ['noindexes, constructor, __proto__', ''],
  ])('of a meta element: %j becomes %j', (content, expected) => expect(reported([['robots', content]])).toBe(expected));

  it('count when the meta element is for all robots or this one, and add up', () => {
    expect(
      reported([
        ['robots', 'noarchive'],
        ['crawlbot', 'nofollow'],
        ['otherbot', 'noindex'],
      ]),
    ).toBe('nofollow noarchive');
  });

  it.each([
    ['noindex, nofollow', 'noindex nofollow'],
    ['crawlbot: noindex', 'noindex'],
    ['CRAWLBOT : noindex', 'noindex'],
    ['otherbot: noindex', ''],
    ['otherbot: noindex, nofollow', ''],
    ['nofollow, otherbot: noindex, none, crawlbot: noarchive', 'nofollow noarchive'],
    ['*: noindex', 'noindex'],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive', 'noarchive'],
    ['unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, noindex', 'noindex'],
    ['max-snippet:20, noindex', 'noindex'],
  ])('of a header: %j becomes %j', (line, expected) => expect(reported([], [line])).toBe(expected));

  it('of several header lines add up; an agent name applies to its own line', () => {
    expect(reported([['robots', 'noarchive']], ['otherbot: noindex', 'nofollow'])).toBe('nofollow noarchive');
  });

  it('never throw and never grant what another one forbids', () => {
    const words = fc.array(fc.constantFrom('noindex', 'index', 'all', 'none', 'follow', 'crawlbot:', 'x:', ',', ':'), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(fc.string(), words, (noise, line) => {
        expect(
          reported(
            [
              ['robots', noise],
              ['robots', 'noindex'],
            ],
            [line.join(' '), noise],
          ),
        ).toContain('noindex');
      }),
    );
  });
});

describe('terms for showing a page', () => {
  const termsOf = (metas: readonly string[], lines: readonly string[] = []) => {
    const { terms, unavailableAfter } = parseRobotsDirectives(
      metas.map((directives) => ({ agent: 'robots', directives })),
      lines,
      'CrawlBot',
    );
    const until = unavailableAfter === undefined ? [] : [new Date(unavailableAfter).toISOString().slice(0, 16)];
    return [...terms.map(({ name, value }) => `${name}=${value}`), ...until];
  };

  it.each([
    ['nosnippet', ['nosnippet=true']],
    ['Max-Snippet : 20, max-image-preview:large', ['max_snippet=20', 'max_image_preview=large']],
    ['max-video-preview:-1, noimageindex', ['max_video_preview=-1', 'noimageindex=true']],
    ['max-snippet:20, max-snippet:30', ['max_snippet=20']],
    ['xnosnippet, nosnippets', []],
    ['unavailable_after: 2026-06-25', ['unavailable_after=2026-06-25', '2026-06-25T00:00']],
    ['Unavailable_After : 2026-06-25T15:00:00Z', ['unavailable_after=2026-06-25T15:00:00Z', '2026-06-25T15:00']],
    ['unavailable_after: 25 Jun 2026 15:00:00 GMT', ['unavailable_after=25 Jun 2026 15:00:00 GMT', '2026-06-25T15:00']],
    ['unavailable_after: 25 Jun 2026 15:00:00 EST', ['unavailable_after=25 Jun 2026 15:00:00 EST', '2026-06-25T20:00']],
    [
      'unavailable_after: Thu, 25 Jun 2026 15:00:00 +0200, noarchive',
      ['unavailable_after=Thu, 25 Jun 2026 15:00:00 +0200', '2026-06-25T13:00'],
    ],
    [
      'unavailable_after: June 25, 2026 3:00 pm EST, max-snippet:5',
      ['max_snippet=5', 'unavailable_after=June 25, 2026 3:00 pm EST', '2026-06-25T20:00'],
    ],
    [
      'unavailable_after: Thursday, 25 Jun 2026 15:00:00 UTC max-snippet',
      ['max_snippet=true', 'unavailable_after=Thursday, 25 Jun 2026 15:00:00 UTC max-snippet', '2026-06-25T15:00'],
    ],
    ['unavailable_after: soon', []],
    ['noindex', []],
  ])('of a meta element: %j', (directives, expected) => expect(termsOf([directives])).toEqual(expected));

  it.each([
    ['otherbot: nosnippet', []],
    ['crawlbot: nosnippet', ['nosnippet=true']],
    ['otherbot: nosnippet, crawlbot: max-snippet:5', ['max_snippet=5']],
    ['max-snippet:5, otherbot: nosnippet', ['max_snippet=5']],
    ['otherbot: noindex, *: unavailable_after: 2026-06-25', ['unavailable_after=2026-06-25', '2026-06-25T00:00']],
    [
      'unavailable_after: Thu, 25 Jun 2026 15:00:00 GMT',
      ['unavailable_after=Thu, 25 Jun 2026 15:00:00 GMT', '2026-06-25T15:00'],
    ],
  ])('of a header: %j', (line, expected) => expect(termsOf([], [line])).toEqual(expected));

  it('of several places are combined, and the earliest date counts', () => {
    expect(
      termsOf(['max-snippet:9, unavailable_after: 2026-06-25'], ['max-snippet:5', 'unavailable_after: 2026-05-01']),
    ).toEqual(['max_snippet=9', 'unavailable_after=2026-06-25', 'unavailable_after=2026-05-01', '2026-05-01T00:00']);
    expect(termsOf(['unavailable_after: 2026-05-01', 'unavailable_after: 2026-06-25']).at(-1)).toBe('2026-05-01T00:00');
  });
});
