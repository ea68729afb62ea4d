/**
 * What known URLs cost: the same crawl on a store that knows 100,000 URLs and on one that knows 10 million, in turn, and the
 * time from the start of the process to the first request at the site.
 *
 *   node dist/bench/known.js [--few 100000] [--many 10000000] [--pages 5000] [--runs 3]
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CrawlRun, configuration, median, option } from './crawl-run.js';
import { fillStore } from './known-urls.js';
import { startProgram, stop } from './processes.js';

const SITE_PORT = 18_094;
const TARGETS = { cost: 1.2, rssMb: 500, startSeconds: 2 };
const pages = Number(option('pages', '5000'));
const runs = Number(option('runs', '3'));

interface Measured {
  /** Of the crawls after the first, in seconds for 1,000 pages; the first one has the compiler in it. */
  readonly cpu: number;
  readonly perSecond: number;
  readonly peakMb: number;
  readonly startSeconds: number;
  /** Processor time of the server until then, in seconds. */
  readonly startCpu: number;
}

const seed = (host: number): string => `http://127.0.1.${host}:${SITE_PORT}/`;

/** One crawl after the other, each of another host with the same pages, so that all do the same work on the same store. */
async function measure(known: number): Promise<Measured> {
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
  const run = await CrawlRun.start(configuration(attributes, `<Root url="${seed(1)}" site="false"/>`), (file) =>
    fillStore(file, known),
  );
  try {
    const startSeconds = ((await firstRequest) - run.startedAt) / 1000;
    const startCpu = run.usage()?.cpu ?? Number.NaN;
    await run.untilIdle(known + pages);
    const crawls: { cpu: number; perSecond: number }[] = [];
    for (let host = 2; host <= runs + 1; host++) {
      const [started, before] = [performance.now(), run.usage()?.cpu ?? Number.NaN];
      await run.post('/roots', { url: seed(host) });
      await run.untilIdle(known + pages * host);
      const used = (run.usage()?.cpu ?? Number.NaN) - before;
      crawls.push({ cpu: (used / pages) * 1000, perSecond: pages / ((performance.now() - started) / 1000) });
    }
    return {
      cpu: median(crawls.map((crawl) => crawl.cpu)),
      perSecond: median(crawls.map((crawl) => crawl.perSecond)),
      peakMb: run.usage()?.peakMb ?? Number.NaN,
      startSeconds,
      startCpu,
    };
  } finally {
    await run.stop();
    await stop(site);
  }
}

const row = (known: number, { cpu, perSecond, peakMb, startSeconds, startCpu }: Measured): string =>
  `| ${known} | ${perSecond.toFixed(0)} | ${cpu.toFixed(2)} | ${peakMb.toFixed(0)} | ${startSeconds.toFixed(2)} | ${startCpu.toFixed(2)} |`;

const sizes = [Number(option('few', '100000')), Number(option('many', '10000000'))] as const;
const few = await measure(sizes[0]);
const many = await measure(sizes[1]);
console.log(`crawls of ${pages} pages, medians of ${runs}\n`);
console.log('| known URLs | pages/s | CPU s per 1,000 | peak MB | start to first request, s | CPU s until then |');
console.log('|---|---|---|---|---|---|');
console.log(row(sizes[0], few));
console.log(row(sizes[1], many));
console.log(
  `\ncost of a page ${(many.cpu / few.cpu).toFixed(2)} times; targets: at most ${TARGETS.cost} times, under ${TARGETS.rssMb} MB, under ${TARGETS.startSeconds} s`,
);
