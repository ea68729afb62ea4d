import { describe, expect, it } from 'vitest';
import { runKills } from '../support/kill-world.js';

describe('a server whose machine loses power while it crawls', () => {
  it('has a sound database, and in the end an index that equals the site', async () => {
    const report = await runKills({ kills: 3, pages: 60, longestLife: 100, power: 'fails', patience: 120_000 });
    expect(report.differences).toEqual([]);
    expect(report.bytesLost).toBeGreaterThan(0);
  }, 300_000);
});
