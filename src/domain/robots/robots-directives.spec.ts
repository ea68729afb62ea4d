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
