/**
 * Measures how fresh smart refresh keeps a collection with a given budget of visits, in a seeded simulation of 100,000
 * pages without network: `node dist/bench/freshness.js [pages]`. With `--story`, it prints the visits of single pages
 * within a second; with `--seeds 8 --every 10 --pages 2000`, it compares sitemaps with none on eight simulated webs.
 *
 * There are two measures, averaged over pages and time. *Harmonic staleness*: a copy that has missed n changes costs
 * 1 + 1/2 + … + 1/n (Kolobov and others, NeurIPS 2019); less is better. *Freshness*: the share of pages whose copy is
 * up to date (Cho and Garcia-Molina, TODS 28(4), 2003). Each is given as a share of the optimum with known rates: the
 * optimum's staleness divided by that of the policy, and the policy's freshness divided by that of the optimum.
 *
 * All policies begin with the same first crawl and may then make the same number of visits per day, to the page that is
 * due first. Smart refresh is the engine's own: change belief, interval and visit price are computed by the functions
 * that the crawl calls, for a host that can serve the budgeted number of pages per day. Smart refresh does not visit a
 * page before it is due, whereas the other policies then visit the next page early. *Learning* is the first half of the
 * time after the first crawl, *settled* the last quarter.
 */
import { REFRESH_OBJECTIVES } from '../src/domain/refresh/smart-refresh.js';
import { getOption } from './crawl-run.js';
import { createInformedPolicy } from './freshness-informed.js';
import {
  computeBestPrice,
  computeOptimum,
  createNutchPolicy,
  createSmartPolicy,
  DAY,
  type Policy,
  type Result,
  Simulation,
  type SitemapShares,
  VISITS_PER_PAGE,
} from './freshness-simulation.js';
import { printStory } from './freshness-story.js';
import { BREWINGTON_CYBENKO, CHO_GARCIA_MOLINA, type Distribution, makeWeb } from './freshness-web.js';

async function report(
  distribution: Distribution,
  visitsEvery: number,
  size: number,
  visitsPerPage = VISITS_PER_PAGE,
): Promise<void> {
  const daysToRun = Math.ceil(visitsEvery * visitsPerPage);
  const budget = Math.max(1, Math.round(size / visitsEvery));
  const pages = makeWeb(distribution, size, 0);
  const optimum = {
    staleness: computeOptimum(pages, budget, 'harmonic').staleness,
    freshness: computeOptimum(pages, budget, 'freshness').freshness,
  };
  console.log(
    `\n${distribution.name}; ${budget} visits per day, one per page every ${visitsEvery} days; ${daysToRun} days`,
  );
  console.log(`optimum: harmonic staleness ${optimum.staleness.toFixed(4)}, freshness ${optimum.freshness.toFixed(4)}`);
  console.log(
    '| share of the optimum | harmonic: whole time | learning | settled | freshness: whole time | learning | settled | visits made |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  const formatPercent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const printRow = (name: string, { whole, learning, settled, usedShare }: Result) => {
    const spans = [whole, learning, settled];
    const stalenessShares = spans.map(({ staleness }) => optimum.staleness / staleness);
    const freshnessShares = spans.map(({ freshness }) => freshness / optimum.freshness);
    console.log(`| ${name} | ${[...stalenessShares, ...freshnessShares, usedShare].map(formatPercent).join(' | ')} |`);
  };
  const simulate = async (policy: Policy, web = pages, sitemaps?: SitemapShares) =>
    printRow(policy.name, await new Simulation(web, policy, budget, sitemaps).run(daysToRun));
  for (const objective of REFRESH_OBJECTIVES) {
    const objectiveOptimum = computeOptimum(pages, budget, objective);
    printRow(`optimum of ${objective} (computed)`, {
      whole: objectiveOptimum,
      learning: objectiveOptimum,
      settled: objectiveOptimum,
      usedShare: 1,
    });
  }
  await simulate({ name: 'uniform', chooseDelay: () => visitsEvery * DAY });
  await simulate(createNutchPolicy(size));
  for (const objective of REFRESH_OBJECTIVES) {
    const policy = createSmartPolicy(size, objective);
    await simulate(policy);
  }
  await simulate(createInformedPolicy(distribution, size, computeBestPrice(pages, budget, 'harmonic')));
  const smartPolicy = createSmartPolicy(size, 'harmonic');
  await simulate(
    { ...smartPolicy, name: `${smartPolicy.name}, 40 % with Last-Modified` },
    makeWeb(distribution, size, 0.4),
  );
  for (const sitemaps of SITEMAP_SHARES) {
    const policy = createSmartPolicy(size, 'harmonic');
    await simulate({ ...policy, name: `${policy.name}, ${formatShares(sitemaps)}` }, pages, sitemaps);
  }
}

const SITEMAP_SHARES: readonly SitemapShares[] = [
  { true: 0.4, lying: 0.2 },
  { true: 0.4, lying: 0 },
  { true: 0, lying: 0.6 },
];

const NO_SITEMAPS: SitemapShares = { true: 0, lying: 0 };

const formatShares = (shares: SitemapShares): string =>
  `sitemaps: ${shares.true * 100} % true, ${shares.lying * 100} % lying`;

/**
 * Compares sitemaps with none, on a different simulated web for each seed: harmonic staleness and fresh pages, divided
 * by those without sitemaps. The column without sitemaps but with other random changes shows the effect of chance.
 */
async function compareOverSeeds(seeds: number, visitsEvery: number, size: number): Promise<void> {
  const daysToRun = Math.ceil(visitsEvery * VISITS_PER_PAGE);
  const budget = Math.max(1, Math.round(size / visitsEvery));
  console.log(
    `\nstaleness with sitemaps divided by that without; ${size} pages, one visit per page every ${visitsEvery} days`,
  );
  console.log(
    `| seed | ${['none, other changes', ...SITEMAP_SHARES.map(formatShares)].map((name) => `${name}: whole time | settled | fresh pages, settled`).join(' | ')} |`,
  );
  console.log(`|---${'|---|---|---'.repeat(SITEMAP_SHARES.length + 1)}|`);
  for (let seed = 1; seed <= seeds; seed++) {
    const pages = makeWeb(CHO_GARCIA_MOLINA, size, 0, seed);
    const run = (shares: SitemapShares, changeSeed = seed) =>
      new Simulation(pages, createSmartPolicy(size, 'harmonic'), budget, shares, changeSeed).run(daysToRun);
    const baseline = await run(NO_SITEMAPS);
    const cells: string[] = [];
    for (const result of [run(NO_SITEMAPS, -seed), ...SITEMAP_SHARES.map((shares) => run(shares))]) {
      const { whole, settled } = await result;
      cells.push(
        (whole.staleness / baseline.whole.staleness).toFixed(3),
        (settled.staleness / baseline.settled.staleness).toFixed(3),
        (settled.freshness / baseline.settled.freshness).toFixed(3),
      );
    }
    console.log(`| ${seed} | ${cells.join(' | ')} |`);
  }
}

const tellsStory = process.argv.includes('--story');
const seeds = Number(getOption('seeds', '0'));
const visitsEvery = Number(getOption('every', '10'));
const [firstArgument] = process.argv.slice(2);
const size =
  firstArgument === undefined || firstArgument.startsWith('--')
    ? Number(getOption('pages', '100000'))
    : Number(firstArgument);
if (tellsStory) printStory();
else if (seeds > 0) {
  await compareOverSeeds(seeds, visitsEvery, size);
} else {
  console.log('Target: once settled, within 5 % of the optimum of the objective with known rates.');
  for (const visitsEvery of [3, 10, 30]) await report(CHO_GARCIA_MOLINA, visitsEvery, size);
  await report(BREWINGTON_CYBENKO, 10, size);
  await report(BREWINGTON_CYBENKO, 10, size, 4 * VISITS_PER_PAGE);
}
