/**
 * Measures revisits of unchanged pages: after a whole crawl, every page is made due, and the site responds with 304.
 * Prints the pages per second of both.
 *
 *   node dist/bench/revisits.js [--pages 10000] [--runs 3]
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrawlRun, createConfiguration, getOption, median, sleep } from './crawl-run.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_093;
const SEED = `http://127.0.0.1:${SITE_PORT}/`;
const TARGET = 2;

interface Phase {
  readonly pagesPerSecond: number;
  /** Processor seconds per 1,000 pages. */
  readonly cpu: number;
}

const pages = Number(getOption('pages', '10000'));
const runs = Number(getOption('runs', '3'));

async function measurePhase(run: CrawlRun, startedAt: number, isDone: () => Promise<boolean>): Promise<Phase> {
  const cpuBefore = run.getUsage()?.cpu ?? Number.NaN;
  while (!(await isDone())) await sleep(50);
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (run.getUsage()?.cpu ?? Number.NaN) - cpuBefore;
  return { pagesPerSecond: pages / elapsedSeconds, cpu: (cpuSeconds / pages) * 1000 };
}

async function measure(): Promise<{ readonly firstFetches: Phase; readonly revisits: Phase }> {
  const config = createConfiguration(
    'nthreads="32" aggressive="true" throttleTimeMS="0" defaultAccept="true"',
    `<Root url="${SEED}" site="false"/>`,
  );
  const run = await CrawlRun.start(config);
  try {
    const firstFetches = await measurePhase(run, run.readyAt, async () => {
      const { idle, pendingOrders, indexed } = await run.getState();
      return idle && pendingOrders === 0 && indexed >= pages;
    });
    const startedAt = performance.now();
    await run.post('/refresh', { like: `${SEED}%` });
    const revisits = await measurePhase(
      run,
      startedAt,
      async () => ((await run.countVisits()).get('unchanged') ?? 0) >= pages && (await run.getState()).idle,
    );
    return { firstFetches, revisits };
  } finally {
    await run.stop();
  }
}

const siteFile = join(fileURLToPath(new URL('..', import.meta.url)), 'bench/synthetic-site.js');
const site = await startProgram(siteFile, ['--port', String(SITE_PORT), '--pages', String(pages)], /^synthetic/);
const results = [];
for (let i = 0; i < runs; i++) results.push(await measure());
await stop(site);
const formatRow = (name: string, phases: readonly Phase[]): string =>
  `| ${name} | ${median(phases.map((phase) => phase.pagesPerSecond)).toFixed(0)} | ${median(phases.map((one) => one.cpu)).toFixed(2)} |`;
const ratio = median(
  results.map(({ firstFetches, revisits }) => revisits.pagesPerSecond / firstFetches.pagesPerSecond),
);
console.log(`${pages} pages, one host, no politeness, medians of ${runs}\n`);
console.log('| visits | pages/s | CPU s per 1,000 |');
console.log('|---|---|---|');
console.log(
  formatRow(
    'first fetches',
    results.map(({ firstFetches }) => firstFetches),
  ),
);
console.log(
  formatRow(
    'unchanged (304)',
    results.map(({ revisits }) => revisits),
  ),
);
console.log(`\nrevisits reach ${ratio.toFixed(2)} times the pages/s of first fetches; target: ${TARGET} times`);
