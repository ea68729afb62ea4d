/**
 * `node dist/bench/kill.js --kills 200`: kills the real server with kill -9 during a crawl, again and again, and checks
 * whether the index equals the site in the end.
 */
import { parseArgs } from 'node:util';
import { runKills } from '../test/support/kill-world.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    pages: { type: 'string', default: '200' },
    life: { type: 'string', default: '500' },
  },
});

const startedAt = performance.now();
const report = await runKills({
  kills: Number(values.kills),
  pages: Number(values.pages),
  longestLife: Number(values.life),
  progress: (kills) => {
    if (kills % 20 === 0) console.log(`${kills} kills, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  },
});
const { differences, ...numbers } = report;
console.table(numbers);
for (const difference of differences.slice(0, 20)) console.log(difference);
console.log(
  differences.length === 0
    ? 'the index equals the site'
    : `the index differs from the site in ${differences.length} documents`,
);
process.exitCode = differences.length === 0 ? 0 : 1;
