import { describe, expect, it } from 'vitest';
import { runKills } from '../support/kill-world.js';

describe('a server that is killed while it crawls', () => {
  it('loses nothing: after three kills the index equals the site, which changed meanwhile', async () => {
    const report = await runKills({ kills: 3, pages: 60, longestLife: 100, patience: 120_000 });
    expect(report.differences).toEqual([]);
    expect(report.requests).toBeGreaterThan(60);
  }, 300_000);
});
