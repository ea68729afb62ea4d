/**
 * Measures what known URLs cost: the same crawl on a store that knows 100,000 URLs and then on one that knows 10
 * million, and the time from the start of the process until the first request to the site.
 *
 *   node dist/bench/known.js [--few 100000] [--many 10000000] [--pages 5000] [--runs 3]
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CrawlRun, createConfiguration, getOption, median } from './crawl-run.js';
import { fillStore } from './known-urls.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_094;
const TARGETS = { cost: 1.2, rssMb: 500, startSeconds: 2 };
const pages = Number(getOption('pages', '5000'));
const runs = Number(getOption('runs', '3'));

interface Measurement {
  /** Processor seconds per 1,000 pages, without the first crawl, during which code is compiled. */
  readonly cpu: number;
  readonly perSecond: number;
  readonly peakMb: number;
  readonly startSeconds: number;
  /** Processor time of the server until the first request, in seconds. */
  readonly startCpu: number;
}

const createSeedUrl = (host: number): string => `http://127.0.1.${host}:${SITE_PORT}/`;

/**
 * Crawls several hosts with the same pages one after the other, so that each crawl does the same work on the same
 * store.
 */
async function measure(knownCount: number): Promise<Measurement> {
  const siteFile = join(fileURLToPath(new URL('..', import.meta.url)), 'bench/synthetic-site.js');
  const siteArgs = ['--port', String(SITE_PORT), '--pages', String(pages), '--hosts', String(runs + 1)];
  const site = await startProgram(siteFile, siteArgs, /^synthetic/);
  const firstRequest = new Promise<number>((resolve) => {
    createInterface({ input: site.stdout! }).on('line', (line) => {
      const at = /^first request .* at (\d+)/.exec(line)?.[1];
      if (at) resolve(Number(at) - performance.timeOrigin);
    });
  });
  const attributes = 'nthreads="32" aggressive="true" throttleTimeMS="0" defaultAccept="true"';
  const run = await CrawlRun.start(createConfiguration(attributes, `<Root url="${createSeedUrl(1)}" site="false"/>`), {
    fill: (file) => fillStore(file, knownCount),
  });
  try {
    const startSeconds = ((await firstRequest) - run.startedAt) / 1000;
    const startCpu = run.getUsage()?.cpu ?? Number.NaN;
    await run.waitUntilIdle(knownCount + pages);
    const crawls: { cpu: number; perSecond: number }[] = [];
    for (let host = 2; host <= runs + 1; host++) {
      const [startedAt, cpuBefore] = [performance.now(), run.getUsage()?.cpu ?? Number.NaN];
      await run.post('/roots', { url: createSeedUrl(host) });
      await run.waitUntilIdle(knownCount + pages * host);
      const cpuSeconds = (run.getUsage()?.cpu ?? Number.NaN) - cpuBefore;
      crawls.push({ cpu: (cpuSeconds / pages) * 1000, perSecond: pages / ((performance.now() - startedAt) / 1000) });
    }
    return {
      cpu: median(crawls.map((crawl) => crawl.cpu)),
      perSecond: median(crawls.map((crawl) => crawl.perSecond)),
      peakMb: run.getUsage()?.peakMb ?? Number.NaN,
      startSeconds,
      startCpu,
    };
  } finally {
    await run.stop();
    await stop(site);
  }
}

const formatRow = (knownCount: number, { cpu, perSecond, peakMb, startSeconds, startCpu }: Measurement): string =>
  `| ${knownCount} | ${perSecond.toFixed(0)} | ${cpu.toFixed(2)} | ${peakMb.toFixed(0)} | ${startSeconds.toFixed(2)} | ${startCpu.toFixed(2)} |`;

const sizes = [Number(getOption('few', '100000')), Number(getOption('many', '10000000'))] as const;
const fewResult = await measure(sizes[0]);
const manyResult = await measure(sizes[1]);
console.log(`crawls of ${pages} pages, medians of ${runs}\n`);
console.log('| known URLs | pages/s | CPU s per 1,000 | peak MB | start to first request, s | CPU s until then |');
console.log('|---|---|---|---|---|---|');
console.log(formatRow(sizes[0], fewResult));
console.log(formatRow(sizes[1], manyResult));
console.log(
  `\na page costs ${(manyResult.cpu / fewResult.cpu).toFixed(2)} times as much; targets: at most ${TARGETS.cost} times, under ${TARGETS.rssMb} MB, under ${TARGETS.startSeconds} s`,
);
