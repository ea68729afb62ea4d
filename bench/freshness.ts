/**
 * How fresh does smart refresh keep a collection, at a given budget of visits? A simulation of 100,000 pages, seeded, without
 * network: `node dist/bench/freshness.js [pages]`; with `--story` the visits of single pages, in a second; with `--seeds 8 --every 10 --pages 2000` sitemaps beside none, on as many webs.
 *
 * Two measures, averaged over pages and time. *Harmonic staleness*: a copy that has missed n changes costs 1 + 1/2 + … + 1/n
 * (Kolobov and others, NeurIPS 2019); less is better. *Freshness*: the share of pages whose copy is up to date (Cho and
 * Garcia-Molina, TODS 28(4), 2003). Each is given as a share of the optimum with known rates: the optimum's staleness over that
 * of the policy, and the policy's freshness over that of the optimum.
 *
 * Everybody begins with the same first crawl and then may make the same number of visits a day, to the page that is due first.
 * Smart refresh is the engine's own: the belief, the interval and the price of a visit are the functions that the crawl calls,
 * and the host that they see is one that serves so many pages a day and no more. What is not due then is not visited, while the
 * others visit the next page early. *Learning* is the first half of the time after the first crawl, *settled* the last quarter.
 */
import { REFRESH_OBJECTIVES } from '../src/domain/refresh/smart-refresh.js';
import { option } from './crawl-run.js';
import { informed } from './freshness-informed.js';
import {
  bestPrice,
  DAY,
  knownRates,
  nutch,
  type Policy,
  type Result,
  Simulation,
  type SitemapShares,
  smart,
  VISITS_A_PAGE,
} from './freshness-simulation.js';
import { story } from './freshness-story.js';
import { BREWINGTON_CYBENKO, CHO_GARCIA_MOLINA, type Distribution, makeWeb } from './freshness-web.js';

async function report(
  distribution: Distribution,
  visitsEvery: number,
  size: number,
  visitsAPage = VISITS_A_PAGE,
): Promise<void> {
  const daysToRun = Math.ceil(visitsEvery * visitsAPage);
  const budget = Math.max(1, Math.round(size / visitsEvery));
  const pages = makeWeb(distribution, size, 0);
  const best = {
    staleness: knownRates(pages, budget, 'harmonic').staleness,
    freshness: knownRates(pages, budget, 'freshness').freshness,
  };
  console.log(`\n${distribution.name}; ${budget} visits a day, one per page in ${visitsEvery} days; ${daysToRun} days`);
  console.log(`optimum: harmonic staleness ${best.staleness.toFixed(4)}, freshness ${best.freshness.toFixed(4)}`);
  console.log(
    '| share of the optimum | harmonic: whole time | learning | settled | freshness: whole time | learning | settled | visits made |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const row = (name: string, { whole, learning, settled, used }: Result) => {
    const spans = [whole, learning, settled];
    const harmonic = spans.map(({ staleness }) => best.staleness / staleness);
    const fresh = spans.map(({ freshness }) => freshness / best.freshness);
    console.log(`| ${name} | ${[...harmonic, ...fresh, used].map(percent).join(' | ')} |`);
  };
  const simulate = async (policy: Policy, web = pages, sitemaps?: SitemapShares) =>
    row(policy.name, await new Simulation(web, policy, budget, sitemaps).run(daysToRun));
  for (const objective of REFRESH_OBJECTIVES) {
    const known = knownRates(pages, budget, objective);
    row(`optimum of ${objective} (computed)`, { whole: known, learning: known, settled: known, used: 1 });
  }
  await simulate({ name: 'uniform', next: () => visitsEvery * DAY });
  await simulate(nutch(size));
  for (const objective of REFRESH_OBJECTIVES) {
    const policy = smart(size, objective);
    await simulate(policy);
  }
  await simulate(informed(distribution, size, bestPrice(pages, budget, 'harmonic')));
  const dated = smart(size, 'harmonic');
  await simulate({ ...dated, name: `${dated.name}, 40 % with Last-Modified` }, makeWeb(distribution, size, 0.4));
  for (const sitemaps of SITEMAPS) {
    const policy = smart(size, 'harmonic');
    await simulate({ ...policy, name: `${policy.name}, ${nameOf(sitemaps)}` }, pages, sitemaps);
  }
}

const SITEMAPS: readonly SitemapShares[] = [
  { true: 0.4, lying: 0.2 },
  { true: 0.4, lying: 0 },
  { true: 0, lying: 0.6 },
];

const NONE: SitemapShares = { true: 0, lying: 0 };

const nameOf = (shares: SitemapShares): string =>
  `sitemaps: ${shares.true * 100} % true, ${shares.lying * 100} % lying`;

/** Sitemaps beside none, on webs and changes of their own by seed: harmonic staleness over that without sitemaps, less than 1 is better, and fresh pages. None with other changes tells what chance makes. */
async function overSeeds(seeds: number, visitsEvery: number, size: number): Promise<void> {
  const daysToRun = Math.ceil(visitsEvery * VISITS_A_PAGE);
  const budget = Math.max(1, Math.round(size / visitsEvery));
  console.log(`\nstaleness with sitemaps over that without; ${size} pages, one visit a page in ${visitsEvery} days`);
  console.log(
    `| seed | ${['none, other changes', ...SITEMAPS.map(nameOf)].map((name) => `${name}: whole time | settled | fresh pages, settled`).join(' | ')} |`,
  );
  console.log(`|---${'|---|---|---'.repeat(SITEMAPS.length + 1)}|`);
  for (let seed = 1; seed <= seeds; seed++) {
    const pages = makeWeb(CHO_GARCIA_MOLINA, size, 0, seed);
    const run = (shares: SitemapShares, changes = seed) =>
      new Simulation(pages, smart(size, 'harmonic'), budget, shares, changes).run(daysToRun);
    const without = await run(NONE);
    const cells: string[] = [];
    for (const result of [run(NONE, -seed), ...SITEMAPS.map((shares) => run(shares))]) {
      const { whole, settled } = await result;
      cells.push(
        (whole.staleness / without.whole.staleness).toFixed(3),
        (settled.staleness / without.settled.staleness).toFixed(3),
        (settled.freshness / without.settled.freshness).toFixed(3),
      );
    }
    console.log(`| ${seed} | ${cells.join(' | ')} |`);
  }
}

const tellsStory = process.argv.includes('--story');
const seeds = Number(option('seeds', '0'));
const every = Number(option('every', '10'));
const [first] = process.argv.slice(2);
const size = first === undefined || first.startsWith('--') ? Number(option('pages', '100000')) : Number(first);
if (tellsStory) story();
else if (seeds > 0) {
  await overSeeds(seeds, every, size);
} else {
  console.log('Target: within 5 % of the optimum of the objective with known rates, settled.');
  for (const visitsEvery of [3, 10, 30]) await report(CHO_GARCIA_MOLINA, visitsEvery, size);
  await report(BREWINGTON_CYBENKO, 10, size);
  await report(BREWINGTON_CYBENKO, 10, size, 4 * VISITS_A_PAGE);
}
