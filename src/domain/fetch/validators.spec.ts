import { describe, expect, it } from 'vitest';
import { readValidators } from './validators.js';

const DATE = 'Sun, 22 Nov 2026 10:00:00 GMT';

describe('the validators of an answer', () => {
  it('are what a conditional request can be made of', () => {
    expect(readValidators({ etag: 'W/"1"', 'last-modified': DATE })).toEqual({ etag: 'W/"1"', lastModified: DATE });
    expect(readValidators({})).toEqual({});
  });

  it('are left out when they say nothing or cost too much', () => {
    expect(readValidators({ etag: `"${'x'.repeat(59_000)}"`, 'last-modified': 'garbage' })).toEqual({});
    expect(readValidators({ etag: '', 'last-modified': `${DATE}${' '.repeat(9_000)}` })).toEqual({});
  });
});
