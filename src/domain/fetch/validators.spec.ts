import { describe, expect, it } from 'vitest';
import { validatorsOf } from './validators.js';

const DATE = 'Sun, 22 Nov 2026 10:00:00 GMT';

describe('the validators of an answer', () => {
  it('are what a conditional request can be made of', () => {
    expect(validatorsOf({ etag: 'W/"1"', 'last-modified': DATE })).toEqual({ etag: 'W/"1"', lastModified: DATE });
    expect(validatorsOf({})).toEqual({});
  });

  it('are left out when they say nothing or cost too much', () => {
    expect(validatorsOf({ etag: `"${'x'.repeat(59_000)}"`, 'last-modified': 'garbage' })).toEqual({});
    expect(validatorsOf({ etag: '', 'last-modified': `${DATE}${' '.repeat(9_000)}` })).toEqual({});
  });
});
