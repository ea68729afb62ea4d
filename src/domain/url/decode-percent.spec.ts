import { expect, it } from 'vitest';
import { decodePercent } from './decode-percent.js';

it('decodes escapes, but keeps text that is not validly encoded', () => {
  expect(decodePercent('caf%C3%A9%2F%25')).toBe('café/%');
  // A stray percent sign, Latin 1, an overlong form and a surrogate.
  for (const text of ['100%', 'caf%E9', '%C0%AF', '%ED%A0%80']) expect(decodePercent(text)).toBe(text);
});
