/**
 * `npm run simulate -- --seeds 1000 --from 1`: runs worlds and tells which of them went wrong; a seed replays exactly.
 * With `--nodes` worlds of several nodes on one database, with `--rules` worlds in which a person and the rules never rest, with `--shared` such worlds whose crawlers push to the same sinks, with
 * `--bad-days` worlds in which whole hosts fail in every way, with `--sinks` worlds with a second sink that is slow or down for long,
 * with `--parts` worlds whose pages are split into parts that come and go, with `--walls` and `--waves` worlds whose hosts say the same everywhere, with
 * `--lapses` worlds in which some of their pages or answers are wrong, with `--small-sites` worlds of sites of one to three pages, with `--strangers` worlds in which hostile hosts are crawled beside a healthy one.
 */
import { runBadDays } from './bad-days-world.js';
import { runCluster } from './cluster-world.js';
import { runPartsWorld } from './parts-world.js';
import { runRuledWorld, runSharedWorld } from './ruled-world.js';
import { runSinksWorld } from './sinks-world.js';
import { runStrangersWorld } from './strangers-world.js';
import { runLapsesWorld, runSmallSitesWorld, runWallsWorld, runWavesWorld } from './walls-world.js';
import { runWorld } from './world.js';

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};

const from = option('from', 1);
const seeds = option('seeds', 100);
const kinds = {
  nodes: runCluster,
  rules: runRuledWorld,
  shared: runSharedWorld,
  'bad-days': runBadDays,
  sinks: runSinksWorld,
  parts: runPartsWorld,
  walls: runWallsWorld,
  waves: runWavesWorld,
  lapses: runLapsesWorld,
  'small-sites': runSmallSitesWorld,
  strangers: runStrangersWorld,
};
const kind = (Object.keys(kinds) as (keyof typeof kinds)[]).find((name) => process.argv.includes(`--${name}`));
const run = kind ? kinds[kind] : runWorld;
const totals = new Map<string, number>();
let failed = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const { seed: _, violations, ...counts } = await run(seed);
  for (const [what, count] of Object.entries(counts)) totals.set(what, (totals.get(what) ?? 0) + (count as number));
  if (violations.length === 0) continue;
  failed++;
  console.log(`seed ${seed}: ${violations.length} violations`);
  for (const violation of violations.slice(0, 10)) console.log(`  ${violation}`);
}
console.log([...totals].map(([what, count]) => `${count} ${what}`).join(', '));
console.log(`worlds: ${seeds - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
