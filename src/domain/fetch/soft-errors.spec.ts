import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SoftErrorDefinition } from '../crawl/definition.js';
import { compileSoftErrors } from './soft-errors.js';

const place = (line: number) => ({ file: 'CrawlConfig.xml', line, column: 5 });
const soft = (field: 'url' | 'title' | 'content', pattern: string, line = 1, status = 404): SoftErrorDefinition => ({
  [field]: pattern,
  status,
  place: place(line),
});
const page = { url: 'https://example.com/a?err=1', title: 'Page not found', text: 'Sorry, nothing is here.' };

describe('soft errors', () => {
  it.each([
    ['url', '[?&]err='],
    ['title', '(?i)NOT FOUND$'],
    ['content', 'nothing.*here'],
  ] as const)('are found by a pattern on the %s', (field, pattern) => {
    expect(compileSoftErrors([soft(field, pattern, 7, 410)]).match(page)).toEqual({ status: 410, place: place(7) });
  });

  it('are found by a pattern that spans several lines of the text', () =>
    expect(compileSoftErrors([soft('content', 'Sorry.*here')]).match({ ...page, text: 'Sorry,\nnot\nhere.' })).toEqual({
      status: 404,
      place: place(1),
    }));

  it('are case-sensitive, and each pattern is tested against its own field only', () => {
    const matcher = compileSoftErrors([
      soft('title', 'not Found'),
      soft('title', 'Sorry'),
      soft('content', 'not found'),
    ]);
    expect(matcher.match(page)).toBeUndefined();
    expect(compileSoftErrors([]).match(page)).toBeUndefined();
  });

  it('with patterns on several fields require all of them to match', () => {
    const mergeWork = (title: string, content: string) =>
      compileSoftErrors([{ url: 'err=', title, content, status: 404, place: place(1) }]).match(page);
    expect(mergeWork('not found', 'nothing')).toMatchObject({ status: 404 });
    expect(mergeWork('not found', 'something')).toBeUndefined();
    expect(mergeWork('welcome', 'nothing')).toBeUndefined();
  });

  it('are decided by the first pattern that matches', () => {
    const matcher = compileSoftErrors([
      soft('title', 'nope', 1),
      soft('content', 'here', 2, 503),
      soft('title', 'Page', 3),
    ]);
    expect(matcher.match(page)).toEqual({ status: 503, place: place(2) });
  });

  it('refuse a pattern that the linear engine cannot run, with its place', () => {
    expect(() => compileSoftErrors([soft('title', '(a)\\1', 12)])).toThrow(/^CrawlConfig\.xml:12:5 /);
    expect(() => compileSoftErrors([soft('title', '(', 3)])).toThrow(/^CrawlConfig\.xml:3:5 /);
  });

  it('look at the first 65,536 characters of a text', () => {
    const matcher = compileSoftErrors([soft('content', 'late$|late ')]);
    expect(matcher.match({ ...page, text: `${'x'.repeat(65_532)}late` })).toBeDefined();
    expect(matcher.match({ ...page, text: `${'x'.repeat(65_536)}late` })).toBeUndefined();
  });

  it('find a plain text wherever it occurs, whatever surrounds it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        (before, after, present) => {
          const text = present ? `${before}gone for good${after}` : before + after;
          const found = compileSoftErrors([soft('content', 'gone for good')]).match({ ...page, text }) !== undefined;
          expect(found).toBe(text.includes('gone for good'));
        },
      ),
    );
  });
});
