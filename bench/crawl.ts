/**
 * Whole crawls of one host from one root, with everything on: robots.txt, policy, durable frontier, text extraction, delivery to
 * a receiver that only acknowledges. Each run is a process of its own with a new data directory.
 *
 *   node dist/bench/crawl.js [--pages 10000] [--runs 3] [--known 1000000] [--content yes]
 *   node dist/bench/crawl.js --seed http://host/start.html --expect 10137 [--again http://alias/start.html]… [--peer 'name=command with SEED']…
 *
 * Without --seed it crawls a synthetic site that it starts itself. A peer is any command that crawls SEED and ends; it is run in
 * turn with Crawlway and timed as a whole process, so quote the ratio of one run, not a time. Each --again is a root that the
 * same server gets when the crawl before has come to its end, for instance another name of the same site. --content crawls once more
 * in each turn, with selectors and fields.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrawlRun, configuration, median, option, options } from './crawl-run.js';
import { fillStore } from './known-urls.js';
import { startProgram, stop, type Usage } from './processes.js';
import { Yardstick } from './yardstick.js';

/** What a person would configure for documentation: the content of the page, without what surrounds it, and five fields. */
const CONTENT = `<cw:Content><cw:Include select="main, #main-content, body"/>
  <cw:Exclude select="nav, footer, .sidebar, [role=navigation]"/>
  <cw:Field name="heading" select="h1"/><cw:Field name="version" select=".version"/>
  <cw:Field name="released" select="time" attribute="datetime" type="date"/>
  <cw:Field name="summary" select="meta[name=description]"/><cw:Field name="examples" select="pre > code" multiple="true"/></cw:Content>`;

interface Run {
  readonly pages: number;
  /** From the first request to the last acknowledgement, in seconds. */
  readonly crawlSeconds: number;
  /** From the start of the process to the last acknowledgement. */
  readonly wallSeconds: number;
  readonly usage: Usage | undefined;
  /** How slow the machine was meanwhile. */
  readonly yardstick: number;
}

const DIST = fileURLToPath(new URL('..', import.meta.url));
const SITE_PORT = 18_090;
/** GNU time. */
const TIME = '/usr/bin/time';

/** The first crawl, and those of `again` by the same server. */
async function crawl(
  seed: string,
  known: number,
  again: readonly string[],
  content = '',
): Promise<{ first: Run; later: Run[] }> {
  const hosts = [seed, ...again].map((url) => `<ar:Host val="${new URL(url).hostname}"/>`);
  const rules = `${content}<Root url="${seed}" site="false"/><Rules group="bench">
    ${hosts.map((host) => `<Rule>${host}<Index/><Follow/><Accept/></Rule>`).join('')}</Rules>`;
  const config = configuration('nthreads="32" aggressive="true" throttleTimeMS="0"', rules);
  const run = await CrawlRun.start(config, known > 0 ? (file) => fillStore(file, known) : undefined);
  const yardstick = new Yardstick();
  try {
    const { indexed } = await run.untilIdle(known + 1);
    const end = performance.now();
    const { startedAt, readyAt } = run;
    const first: Run = {
      pages: indexed - known,
      crawlSeconds: (end - readyAt) / 1000,
      wallSeconds: (end - startedAt) / 1000,
      usage: run.usage(),
      yardstick: yardstick.end(),
    };
    const later: Run[] = [];
    for (const url of again) later.push(await crawlAgain(run, url));
    return { first, later };
  } finally {
    await run.stop();
  }
}

async function crawlAgain(run: CrawlRun, url: string): Promise<Run> {
  const known = (await run.state()).indexed;
  const before = run.usage();
  const yardstick = new Yardstick();
  const startedAt = performance.now();
  await run.post('/roots', { url });
  const { indexed } = await run.untilIdle(known + 1);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = run.usage();
  return {
    pages: indexed - known,
    crawlSeconds: seconds,
    wallSeconds: seconds,
    usage: before && after && { ...after, cpu: after.cpu - before.cpu },
    yardstick: yardstick.end(),
  };
}

/** A whole process, timed from outside; GNU time, where it is installed, tells its processor time and memory. */
async function peer(command: string, seed: string): Promise<Run> {
  const yardstick = new Yardstick();
  const started = performance.now();
  const run = new Promise<Omit<Run, 'yardstick'>>((resolve, reject) => {
    const shell = ['sh', '-c', command.replaceAll('SEED', seed)];
    const [program, ...args] = existsSync(TIME) ? [TIME, '-f', '%U %S %M', ...shell] : shell;
    const child: ChildProcess = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let errors = '';
    child.stdout!.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr!.on('data', (data: Buffer) => (errors += data.toString()));
    child.once('error', reject);
    child.once('exit', () => {
      const seconds = (performance.now() - started) / 1000;
      const [user, system, kb] = (errors.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
      const pages = Number(/"pages":\s*(\d+)/.exec(out)?.[1] ?? Number.NaN);
      resolve({
        pages,
        crawlSeconds: seconds,
        wallSeconds: seconds,
        usage: { cpu: user! + system!, peakMb: kb! / 1024 },
      });
    });
  });
  return { ...(await run), yardstick: yardstick.end() };
}

function row(name: string, runs: readonly Run[], expected: number): string {
  const pages = median(runs.map((run) => run.pages));
  const counted = Number.isNaN(pages) ? expected : pages;
  const perSecond = median(runs.map((run) => counted / run.wallSeconds));
  const alone = median(runs.map((run) => counted / run.crawlSeconds));
  const cpu = median(runs.map((run) => ((run.usage?.cpu ?? Number.NaN) / counted) * 1000));
  const peak = median(runs.map((run) => run.usage?.peakMb ?? Number.NaN));
  const yardstick = median(runs.map((run) => run.yardstick));
  return `| ${name} | ${counted} | ${perSecond.toFixed(0)} | ${alone.toFixed(0)} | ${cpu.toFixed(2)} | ${peak.toFixed(0)} | ${yardstick.toFixed(2)} |`;
}

async function main(): Promise<void> {
  const pages = Number(option('pages', '10000'));
  const runs = Number(option('runs', '3'));
  const known = Number(option('known', '0'));
  const ownSite = options('seed').length === 0;
  const site = ownSite
    ? await startProgram(
        join(DIST, 'bench/synthetic-site.js'),
        ['--port', String(SITE_PORT), '--pages', String(pages)],
        /http/,
      )
    : undefined;
  const seed = option('seed', `http://127.0.0.1:${SITE_PORT}/`);
  const expected = Number(option('expect', String(pages)));
  const peers = options('peer').map((text) => ({
    name: text.slice(0, text.indexOf('=')),
    command: text.slice(text.indexOf('=') + 1),
  }));
  const own: Run[] = [];
  const later: Run[] = [];
  const withContent: Run[] = [];
  const others = new Map<string, Run[]>(peers.map(({ name }) => [name, []]));
  for (let i = 0; i < runs; i++) {
    const run = await crawl(seed, known, options('again'));
    own.push(run.first);
    later.push(...run.later);
    if (option('content', '') !== '') withContent.push((await crawl(seed, known, [], CONTENT)).first);
    for (const { name, command } of peers) others.get(name)!.push(await peer(command, seed));
  }
  if (site) await stop(site);
  console.log(`${seed}, ${runs} runs each, medians`);
  for (const { name, command } of peers) console.log(`${name}: ${command}`);
  console.log();
  console.log(
    '| crawler | pages | pages/s, whole process | pages/s, crawl alone | CPU s per 1,000 | peak MB | yardstick ms |',
  );
  console.log('|---|---|---|---|---|---|---|');
  console.log(row(known > 0 ? `Crawlway, ${known} URLs known before` : 'Crawlway', own, expected));
  if (later.length > 0) console.log(row('Crawlway at work, next crawls', later, expected));
  if (withContent.length > 0) console.log(row('Crawlway with selectors and fields', withContent, expected));
  for (const [name, list] of others) console.log(row(name, list, expected));
  const counts = [...own, ...later].map((run) => run.pages);
  if (counts.some((count) => count !== expected)) console.log(`expected ${expected} pages; got ${counts.join(', ')}`);
}

await main();
