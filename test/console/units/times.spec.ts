import { expect, it } from 'vitest';
import { formatDue } from '../../../console/src/ui/format.js';

it('a future visit whose time has passed is shown as due, never as "4 s ago"', () => {
  expect(formatDue(1_000, 5_000)).toBe('due');
  expect(formatDue(65_000, 5_000)).toBe('in 1 min');
});
