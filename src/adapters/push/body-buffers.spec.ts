import { describe, expect, it } from 'vitest';
import { BodyBuffers } from './body-buffers.js';

describe('memory for bodies', () => {
  it('is as long as wanted, and used again only when it was given back', () => {
    const buffers = new BodyBuffers();
    const first = buffers.take(1_000);
    const second = buffers.take(1_000);
    expect([first.length, second.length]).toEqual([1_000, 1_000]);
    expect(second.buffer).not.toBe(first.buffer);
    buffers.giveBack(first);
    expect(buffers.take(300_000).buffer).not.toBe(first.buffer);
    const again = buffers.take(2_000);
    expect([again.length, again.buffer]).toEqual([2_000, first.buffer]);
  });

  it('is bounded: a few, and none that is large', () => {
    const buffers = new BodyBuffers();
    const large = buffers.take(5 << 20);
    buffers.giveBack(large);
    expect(buffers.take(5 << 20).buffer).not.toBe(large.buffer);
    const taken = Array.from({ length: 10 }, () => buffers.take(100));
    for (const body of taken) buffers.giveBack(body);
    const again = new Set(Array.from({ length: 10 }, () => buffers.take(100).buffer));
    expect(taken.filter(({ buffer }) => again.has(buffer))).toHaveLength(4);
  });
});
