import { describe, expect, it } from 'vitest';
import { readValidators } from './validators.js';

const DATE = 'Sun, 22 Nov 2026 10:00:00 GMT';

describe('the validators of a response', () => {
  it('are the ones that a conditional request needs', () => {
    expect(readValidators({ etag: 'W/"1"', 'last-modified': DATE })).toEqual({ etag: 'W/"1"', lastModified: DATE });
    expect(readValidators({})).toEqual({});
  });

  it('are dropped when they are empty or too long', () => {
    expect(readValidators({ etag: `"${'x'.repeat(59_000)}"`, 'last-modified': 'garbage' })).toEqual({});
    expect(readValidators({ etag: '', 'last-modified': `${DATE}${' '.repeat(9_000)}` })).toEqual({});
  });

  it('are kept up to 1,024 characters of an ETag and 64 of a date', () => {
    const etag = (length: number) => readValidators({ etag: 'x'.repeat(length) }).etag?.length;
    expect([etag(1), etag(1_024), etag(1_025)]).toEqual([1, 1_024, undefined]);
    const date = (length: number) => readValidators({ 'last-modified': DATE.padEnd(length) }).lastModified?.length;
    expect([date(64), date(65)]).toEqual([64, undefined]);
  });
});
