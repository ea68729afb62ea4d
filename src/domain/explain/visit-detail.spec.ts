import { describe, expect, it } from 'vitest';
import { milliseconds } from '../time/units.js';
import { detailOfAnswer, relatedUrl, termsDetail, toldDetail, triedDetail } from './visit-detail.js';

describe('what the detail of a visit says of the answer', () => {
  const wrapped: readonly (readonly [string, (detail: string | undefined) => string])[] = [
    ['the site has told of the page by IndexNow', (detail) => toldDetail(detail, 'indexnow')],
    ['the site has told of the page by WebSub', (detail) => toldDetail(detail, 'websub')],
    [
      'an earlier version noted that the site had told of it',
      (detail) => [detail, 'asked for by the site (IndexNow)'].filter(Boolean).join('; '),
    ],
    ['a person had the host tried', (detail) => triedDetail(detail, milliseconds(90_000))],
    ['the site says how the page may be used', (detail) => termsDetail(detail, 'content_usage: train-ai=n')],
  ];

  it.each(wrapped)('is the same when %s', (_what, wrap) => {
    expect(detailOfAnswer(wrap('redirects to http://a.example/b'))).toBe('redirects to http://a.example/b');
    expect(detailOfAnswer(wrap(undefined))).toBeUndefined();
    expect(relatedUrl(wrap('redirects to http://a.example/b'))).toEqual(relatedUrl('redirects to http://a.example/b'));
  });
});
