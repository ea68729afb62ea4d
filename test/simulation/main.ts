/** `npm run simulate -- --seeds 1000 --from 1`: runs worlds and tells which of them went wrong; a seed replays exactly. */
import { runWorld } from './world.js';

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};

const from = option('from', 1);
const seeds = option('seeds', 100);
const totals = { pages: 0, requests: 0, crashes: 0, orders: 0 };
let failed = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const report = await runWorld(seed);
  totals.pages += report.pages;
  totals.requests += report.requests;
  totals.crashes += report.crashes;
  totals.orders += report.orders;
  if (report.violations.length === 0) continue;
  failed++;
  console.log(`seed ${seed}: ${report.violations.length} violations`);
  for (const violation of report.violations.slice(0, 10)) console.log(`  ${violation}`);
}
const { pages, requests, crashes, orders } = totals;
console.log(`${pages} pages, ${requests} requests, ${orders} orders in the ledgers, ${crashes} crashes`);
console.log(`worlds: ${seeds - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
