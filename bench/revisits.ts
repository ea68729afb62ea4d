/**
 * Revisits of unchanged pages: a whole crawl, then every page is made due and answers 304. Pages a second of both.
 *
 *   node dist/bench/revisits.js [--pages 10000] [--runs 3]
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrawlRun, configuration, median, option, sleep } from './crawl-run.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_093;
const SEED = `http://127.0.0.1:${SITE_PORT}/`;
const TARGET = 2;

interface Phase {
  readonly perSecond: number;
  /** Seconds of processor time for 1,000 pages. */
  readonly cpu: number;
}

const pages = Number(option('pages', '10000'));
const runs = Number(option('runs', '3'));

async function phase(run: CrawlRun, started: number, visited: () => Promise<boolean>): Promise<Phase> {
  const before = run.usage()?.cpu ?? Number.NaN;
  while (!(await visited())) await sleep(50);
  const took = (performance.now() - started) / 1000;
  const used = (run.usage()?.cpu ?? Number.NaN) - before;
  return { perSecond: pages / took, cpu: (used / pages) * 1000 };
}

async function measure(): Promise<{ readonly first: Phase; readonly again: Phase }> {
  const config = configuration(
    'nthreads="32" aggressive="true" throttleTimeMS="0" defaultAccept="true"',
    `<Root url="${SEED}" site="false"/>`,
  );
  const run = await CrawlRun.start(config);
  try {
    const first = await phase(run, run.readyAt, async () => {
      const { idle, pendingOrders, indexed } = await run.state();
      return idle && pendingOrders === 0 && indexed >= pages;
    });
    const started = performance.now();
    await run.post('/refresh', { like: `${SEED}%` });
    const again = await phase(
      run,
      started,
      async () => ((await run.visits()).get('unchanged') ?? 0) >= pages && (await run.state()).idle,
    );
    return { first, again };
  } finally {
    await run.stop();
  }
}

const siteFile = join(fileURLToPath(new URL('..', import.meta.url)), 'bench/synthetic-site.js');
const site = await startProgram(siteFile, ['--port', String(SITE_PORT), '--pages', String(pages)], /^synthetic/);
const measured = [];
for (let i = 0; i < runs; i++) measured.push(await measure());
await stop(site);
const row = (name: string, phases: readonly Phase[]): string =>
  `| ${name} | ${median(phases.map((one) => one.perSecond)).toFixed(0)} | ${median(phases.map((one) => one.cpu)).toFixed(2)} |`;
const ratio = median(measured.map(({ first, again }) => again.perSecond / first.perSecond));
console.log(`${pages} pages, one host, no politeness, medians of ${runs}\n`);
console.log('| visits | pages/s | CPU s per 1,000 |');
console.log('|---|---|---|');
console.log(
  row(
    'first fetches',
    measured.map(({ first }) => first),
  ),
);
console.log(
  row(
    'unchanged (304)',
    measured.map(({ again }) => again),
  ),
);
console.log(`\n${ratio.toFixed(2)} times the pages/s of first fetches; target ${TARGET}`);
