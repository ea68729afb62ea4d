import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextBuffer } from './text-buffer.js';

it('the middle of a text consists of whole characters and is at most as long as asked for', () => {
  const buffer = new TextBuffer();
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, fc.nat(60), (pieces, length) => {
      const written = pieces.join(' ').toWellFormed();
      buffer.begin(Buffer.byteLength(written) * 2);
      buffer.append(written);
      const middle = buffer.sampleMiddle(length);
      const { text } = buffer.finish(10_000);
      expect(`${text} `).toContain(middle);
      expect(Buffer.byteLength(middle)).toBeLessThanOrEqual(length);
      expect(Buffer.byteLength(middle)).toBeGreaterThan(Math.min(length, Buffer.byteLength(text)) - 7);
    }),
    { numRuns: 500 },
  );
});
