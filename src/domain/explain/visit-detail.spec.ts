import { describe, expect, it } from 'vitest';
import { milliseconds } from '../time/units.js';
import {
  appendBackOffDetail,
  appendCutLinksDetail,
  appendNotificationDetail,
  appendSessionDetail,
  appendTermsDetail,
  createNotIndexedDetail,
  createRedirectDetail,
  extractResponseDetail,
  parseRelatedUrl,
} from './visit-detail.js';

describe('the visit detail about a response', () => {
  const wrapped: readonly (readonly [string, (detail: string | undefined) => string])[] = [
    ['the site has told of the page by IndexNow', (detail) => appendNotificationDetail(detail, 'indexnow')],
    ['the site has told of the page by WebSub', (detail) => appendNotificationDetail(detail, 'websub')],
    ['a person had the host tried', (detail) => appendBackOffDetail(detail, milliseconds(90_000))],
    ['the site says how the page may be used', (detail) => appendTermsDetail(detail, 'content_usage: train-ai=n')],
  ];

  it.each(wrapped)('is the same when %s', (_what, wrap) => {
    expect(extractResponseDetail(wrap('redirects to http://a.example/b'))).toBe('redirects to http://a.example/b');
    expect(extractResponseDetail(wrap(undefined))).toBeUndefined();
    expect(parseRelatedUrl(wrap('redirects to http://a.example/b'))).toEqual(
      parseRelatedUrl('redirects to http://a.example/b'),
    );
  });
});

describe('the detail of a visit', () => {
  it.each([
    [createRedirectDetail('http://a.example/b'), 'to http://a.example/b', { url: 'http://a.example/b' }],
    [
      createRedirectDetail('http://a.example/b', 'url-too-long'),
      'to http://a.example/b (url-too-long)',
      { url: 'http://a.example/b', refused: 'url-too-long' },
    ],
    [createNotIndexedDetail('noindex'), 'not indexed: noindex', undefined],
    [createNotIndexedDetail('noindex', 'http://a.example/b'), 'not indexed: noindex', undefined],
    [createNotIndexedDetail('canonical-elsewhere'), 'not indexed: canonical-elsewhere', undefined],
    [
      createNotIndexedDetail('canonical-elsewhere', 'http://a.example/b'),
      'not indexed: canonical-elsewhere, its canonical URL is http://a.example/b',
      { url: 'http://a.example/b' },
    ],
    [
      createNotIndexedDetail('near-duplicate', 'http://a.example/b'),
      'not indexed: near-duplicate of http://a.example/b',
      { url: 'http://a.example/b' },
    ],
  ])('%s', (detail, expected, related) => {
    expect(detail).toBe(expected);
    expect(parseRelatedUrl(detail)).toEqual(related);
    expect(parseRelatedUrl(`x ${detail}`)).toBeUndefined();
    expect(parseRelatedUrl(`${detail} x`)).toBeUndefined();
  });

  const names = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`);
  it.each([
    [{ cookies: [] }, ''],
    [{ login: 'hr', cookies: [] }, 'sent with login hr'],
    [{ cookies: ['sid'] }, 'sent with cookie sid'],
    [{ login: 'hr', cookies: ['sid', 'a;b'] }, 'sent with login hr and with cookies sid, ab'],
    [{ cookies: names(10) }, `sent with cookies ${names(10).join(', ')}`],
    [{ cookies: names(12) }, `sent with cookies ${names(10).join(', ')} and 2 more`],
    [{ cookies: ['x'.repeat(50)] }, `sent with cookie ${'x'.repeat(40)}`],
  ])('says what was sent: %j', (sent, expected) => {
    expect(appendSessionDetail(undefined, sent)).toBe(expected);
    const both = appendSessionDetail('x', sent);
    expect(both).toBe(expected === '' ? 'x' : `x; ${expected}`);
    expect(extractResponseDetail(both)).toBe('x');
    expect(extractResponseDetail(appendSessionDetail(undefined, sent))).toBeUndefined();
  });

  it.each([
    [1, 'links-cut: 1 link beyond the first 10,000 URLs of the page left out'],
    [2_000, 'links-cut: 2,000 links beyond the first 10,000 URLs of the page left out'],
  ])('says how many links were left out: %s', (count, expected) => {
    expect(appendCutLinksDetail(undefined, { count, most: 10_000 })).toBe(expected);
    const both = appendCutLinksDetail('x', { count, most: 10_000 });
    expect(both).toBe(`x; ${expected}`);
    expect(extractResponseDetail(both)).toBe('x');
    expect(extractResponseDetail(expected)).toBeUndefined();
  });

  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [-5, 0],
  ])('says for how long the host was to rest: %s ms', (rest, expected) => {
    expect(appendBackOffDetail('x', milliseconds(rest))).toBe(
      `x; tried at a person's request, although the host was to rest for another ${expected} s`,
    );
  });

  it('has the terms of the site in one line of at most 500 characters, which are not about the answer', () => {
    expect(appendTermsDetail('x', 'a\n  b')).toBe('x; the site says: a b');
    expect(appendTermsDetail(undefined, 'y'.repeat(600))).toBe(`the site says: ${'y'.repeat(500)}`);
    expect(extractResponseDetail(undefined)).toBeUndefined();
    expect(extractResponseDetail('')).toBeUndefined();
  });
});
