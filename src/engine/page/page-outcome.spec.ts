import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import { hours, instant, milliseconds } from '../../domain/time/units.js';
import { findOutcomeWithoutBody } from './page-outcome.js';

const answer = (status: number, headers: Record<string, string> = {}): HttpResponse => ({
  kind: 'response',
  status,
  headers,
  body: new Uint8Array(0),
  transferred: 0,
  address: '127.0.0.1',
  timings: { header: milliseconds(0), total: milliseconds(0) },
});

describe('a response without a document', () => {
  it.each(['soon', '-1', '1.5', 'Mon, 99 Foo 2026 00:00:00 GMT'])(
    '503 with Retry-After is an outage also when its body is unreadable because of %j',
    (header) => {
      const outcome = findOutcomeWithoutBody(answer(503, { 'retry-after': header }), false, instant(0));
      expect(outcome).toMatchObject({ kind: 'error', code: 'http-503-retry-after' });
      expect(outcome).not.toHaveProperty('retryAfter');
    },
  );

  it.each(['86401', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'Retry-After counts for a day at most: %s',
    (header) => {
      const outcome = findOutcomeWithoutBody(answer(503, { 'retry-after': header }), false, instant(0));
      expect(outcome).toMatchObject({ retryAfter: hours(24) });
    },
  );

  it('503 without Retry-After is a failure of the page', () => {
    expect(findOutcomeWithoutBody(answer(503), false, instant(0))).toMatchObject({ code: 'http-5xx' });
  });

  it.each([204, 205])('%d states that there is no content', (status) => {
    expect(findOutcomeWithoutBody(answer(status), false, instant(0))).toMatchObject({
      kind: 'error',
      code: 'http-other',
    });
  });

  it.each([
    ['bytes 0-99/100', 100, undefined],
    ['Bytes 0-99/100 ', 100, undefined],
    ['bytes 0-99/200', 100, 'body-truncated'],
    ['bytes 1-100/100', 100, 'body-truncated'],
    ['bytes 0-99/*', 100, 'body-truncated'],
    ['bytes 0-99/100', 99, 'body-truncated'],
    ['', 100, 'body-truncated'],
  ])('206 is a page only if it is the whole one: %j with %d bytes', (range, transferred, code) => {
    const response = { ...answer(206, range === '' ? {} : { 'content-range': range }), transferred };
    const outcome = findOutcomeWithoutBody(response, false, instant(0));
    expect(outcome?.kind === 'error' ? outcome.code : undefined).toBe(code);
  });

  it('200 has content, however short', () => {
    expect(findOutcomeWithoutBody(answer(200), false, instant(0))).toBeUndefined();
  });
});
