import { describe, expect, it } from 'vitest';
import { BodyBuffers } from './body-buffers.js';

describe('buffers for bodies', () => {
  it('are as long as requested, and reused only after their release', () => {
    const buffers = new BodyBuffers();
    const first = buffers.acquire(1_000);
    const second = buffers.acquire(1_000);
    expect([first.length, second.length]).toEqual([1_000, 1_000]);
    expect(second.buffer).not.toBe(first.buffer);
    buffers.release(first);
    expect(buffers.acquire(300_000).buffer).not.toBe(first.buffer);
    const again = buffers.acquire(2_000);
    expect([again.length, again.buffer]).toEqual([2_000, first.buffer]);
  });

  it('are kept in a bounded number, and no large ones', () => {
    const buffers = new BodyBuffers();
    const large = buffers.acquire(5 << 20);
    buffers.release(large);
    expect(buffers.acquire(5 << 20).buffer).not.toBe(large.buffer);
    const taken = Array.from({ length: 10 }, () => buffers.acquire(100));
    for (const body of taken) buffers.release(body);
    const again = new Set(Array.from({ length: 10 }, () => buffers.acquire(100).buffer));
    expect(taken.filter(({ buffer }) => again.has(buffer))).toHaveLength(4);
  });
});
