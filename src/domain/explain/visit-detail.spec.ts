import { describe, expect, it } from 'vitest';
import { milliseconds } from '../time/units.js';
import {
  appendBackOffDetail,
  appendNotificationDetail,
  appendTermsDetail,
  extractResponseDetail,
  parseRelatedUrl,
} from './visit-detail.js';

describe('the visit detail about a response', () => {
  const wrapped: readonly (readonly [string, (detail: string | undefined) => string])[] = [
    ['the site has told of the page by IndexNow', (detail) => appendNotificationDetail(detail, 'indexnow')],
    ['the site has told of the page by WebSub', (detail) => appendNotificationDetail(detail, 'websub')],
    [
      'an earlier version noted that the site had told of it',
      (detail) => [detail, 'asked for by the site (IndexNow)'].filter(Boolean).join('; '),
    ],
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
