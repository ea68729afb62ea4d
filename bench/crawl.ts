/**
 * Measures whole crawls of one host from one root, with everything on: robots.txt, policy, durable frontier, text
 * extraction, and delivery to a receiver that only acknowledges. Each run is a new process with a new data directory.
 *
 *   node dist/bench/crawl.js [--runs 3] [--pages 10000] [--known 1000000] [--content yes] [--beside CHECKOUT] [--profile yes]
 *   node dist/bench/crawl.js --seed http://host/start.html --expect 10137 [--again http://alias/start.html]… [--peer 'name=command with SEED']…
 *
 * Without --seed, it starts and crawls a site: the OpenJDK documentation where it is installed (`apt-get install
 * openjdk-17-doc`), otherwise or with --pages a synthetic one. A peer is any command that crawls SEED and then exits; it
 * alternates with Crawlway and is timed as a whole process, so quote the ratio within one run, not a time. --beside
 * alternates with the server of another built checkout, and prints the medians of the ratios of the pairs. Each --again is
 * a root that is submitted to the same server when the previous crawl has ended, for example another name of the same
 * site. --content adds a crawl with selectors and fields to each run. --profile adds one crawl under the processor
 * profiler, and prints where each thread spent its time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CrawlRun, createFullSpeedConfiguration, getOption, getOptions, median } from './crawl-run.js';
import { startCrawledSite } from './crawled-site.js';
import { fillStore } from './known-urls.js';
import { stop, type Usage } from './processes.js';
import { describeProfiles } from './thread-profiles.js';
import { Yardstick } from './yardstick.js';

/** A typical configuration for documentation: the content of the page without what surrounds it, and five fields. */
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
  /** How slow the machine was in the meantime; see yardstick.ts. */
  readonly yardstick: number;
}

/** Path of GNU time. */
const GNU_TIME = '/usr/bin/time';

interface CrawlOptions {
  readonly knownCount: number;
  readonly followingRoots?: readonly string[];
  readonly content?: string;
  readonly checkout?: string;
  readonly nodeFlags?: readonly string[];
}

/** Measures the first crawl, and then those of the roots in `followingRoots` by the same server. */
async function crawl(
  seed: string,
  { knownCount, followingRoots = [], content = '', checkout, nodeFlags }: CrawlOptions,
): Promise<{ firstRun: Run; laterRuns: Run[] }> {
  const otherHosts = followingRoots.map((url) => new URL(url).hostname);
  const config = createFullSpeedConfiguration(seed, { otherHosts, content });
  const fill = knownCount > 0 ? (file: string) => fillStore(file, knownCount) : undefined;
  const run = await CrawlRun.start(config, { fill, checkout, nodeFlags });
  const yardstick = new Yardstick();
  try {
    const { indexed } = await run.waitUntilIdle(knownCount + 1);
    const endedAt = performance.now();
    const { startedAt, readyAt } = run;
    const firstRun: Run = {
      pages: indexed - knownCount,
      crawlSeconds: (endedAt - readyAt) / 1000,
      wallSeconds: (endedAt - startedAt) / 1000,
      usage: run.getUsage(),
      yardstick: yardstick.end(),
    };
    const laterRuns: Run[] = [];
    for (const url of followingRoots) laterRuns.push(await crawlAgain(run, url));
    return { firstRun, laterRuns };
  } finally {
    await run.stop();
  }
}

async function crawlAgain(run: CrawlRun, url: string): Promise<Run> {
  const indexedBefore = (await run.getState()).indexed;
  const usageBefore = run.getUsage();
  const yardstick = new Yardstick();
  const startedAt = performance.now();
  await run.post('/roots', { url, site: false });
  const { indexed } = await run.waitUntilIdle(indexedBefore + 1);
  const seconds = (performance.now() - startedAt) / 1000;
  const usageAfter = run.getUsage();
  return {
    pages: indexed - indexedBefore,
    crawlSeconds: seconds,
    wallSeconds: seconds,
    usage: usageBefore && usageAfter && { ...usageAfter, cpu: usageAfter.cpu - usageBefore.cpu },
    yardstick: yardstick.end(),
  };
}

/** Runs a peer as a whole process and times it; GNU time, if installed, reports its processor time and memory. Throws if it fails. */
async function runPeer(command: string, seed: string): Promise<Run> {
  const yardstick = new Yardstick();
  const startedAt = performance.now();
  const run = new Promise<Omit<Run, 'yardstick'>>((resolve, reject) => {
    const shell = ['sh', '-c', command.replaceAll('SEED', seed)];
    const [program, ...args] = existsSync(GNU_TIME) ? [GNU_TIME, '-f', '%U %S %M', ...shell] : shell;
    const child: ChildProcess = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout!.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr!.on('data', (data: Buffer) => (errors += data.toString()));
    child.once('error', reject);
    child.once('exit', (code) => {
      const seconds = (performance.now() - startedAt) / 1000;
      if (code !== 0) return reject(new Error(`${command} ended with ${code}:\n${errors.slice(-2_000)}`));
      const [user, system, kb] = (errors.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
      const pages = Number(/"pages":\s*(\d+)/.exec(output)?.[1] ?? Number.NaN);
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

function formatRow(name: string, runs: readonly Run[], expected: number): string {
  const pages = median(runs.map((run) => run.pages));
  const pageCount = Number.isNaN(pages) ? expected : pages;
  const processRate = median(runs.map((run) => pageCount / run.wallSeconds));
  const crawlRate = median(runs.map((run) => pageCount / run.crawlSeconds));
  const cpu = median(runs.map((run) => ((run.usage?.cpu ?? Number.NaN) / pageCount) * 1000));
  const peakMb = median(runs.map((run) => run.usage?.peakMb ?? Number.NaN));
  const yardstick = median(runs.map((run) => run.yardstick));
  return `| ${name} | ${pageCount} | ${processRate.toFixed(0)} | ${crawlRate.toFixed(0)} | ${cpu.toFixed(2)} | ${peakMb.toFixed(0)} | ${yardstick.toFixed(2)} |`;
}

/** The medians of the ratios of the pairs: pages/s of the whole process, of the crawl alone, processor time. */
function formatRatios(name: string, ownRuns: readonly Run[], otherRuns: readonly Run[]): string {
  const ratio = (value: (run: Run) => number): string =>
    median(ownRuns.map((run, i) => value(run) / value(otherRuns[i]!))).toFixed(2);
  const [whole, alone, cpu, memory] = [
    ratio((run) => run.pages / run.wallSeconds),
    ratio((run) => run.pages / run.crawlSeconds),
    ratio((run) => (run.usage?.cpu ?? Number.NaN) / run.pages),
    ratio((run) => run.usage?.peakMb ?? Number.NaN),
  ];
  return `beside ${name}, pairs in turns: ${whole} of the pages/s, ${alone} of those of the crawl alone, ${cpu} of the CPU, ${memory} of the memory`;
}

async function main(): Promise<void> {
  const runs = Number(getOption('runs', '3'));
  const knownCount = Number(getOption('known', '0'));
  const besides = getOptions('beside').map((folder) => resolve(folder));
  const { seed, pages, server } = await startCrawledSite();
  const expected = Number(getOption('expect', String(pages)));
  const peers = getOptions('peer').map((text) => ({
    name: text.slice(0, text.indexOf('=')),
    command: text.slice(text.indexOf('=') + 1),
  }));
  const ownRuns: Run[] = [];
  const laterRuns: Run[] = [];
  const contentRuns: Run[] = [];
  const besideRuns = new Map<string, Run[]>(besides.map((folder) => [folder, []]));
  const peerRuns = new Map<string, Run[]>(peers.map(({ name }) => [name, []]));
  for (let i = 0; i < runs; i++) {
    const result = await crawl(seed, { knownCount, followingRoots: getOptions('again') });
    ownRuns.push(result.firstRun);
    laterRuns.push(...result.laterRuns);
    if (getOption('content', '') !== '')
      contentRuns.push((await crawl(seed, { knownCount, content: CONTENT })).firstRun);
    for (const checkout of besides)
      besideRuns.get(checkout)!.push((await crawl(seed, { knownCount, checkout })).firstRun);
    for (const { name, command } of peers) peerRuns.get(name)!.push(await runPeer(command, seed));
  }
  console.log(`${seed}, medians of ${runs} runs each`);
  for (const { name, command } of peers) console.log(`${name}: ${command}`);
  console.log();
  console.log(
    '| crawler | pages | pages/s, whole process | pages/s, crawl alone | CPU s per 1,000 | peak MB | yardstick ms |',
  );
  console.log('|---|---|---|---|---|---|---|');
  console.log(formatRow(knownCount > 0 ? `Crawlway, ${knownCount} URLs known before` : 'Crawlway', ownRuns, expected));
  if (laterRuns.length > 0) console.log(formatRow('Crawlway at work, following crawls', laterRuns, expected));
  if (contentRuns.length > 0) console.log(formatRow('Crawlway with selectors and fields', contentRuns, expected));
  for (const [name, namedRuns] of [...besideRuns, ...peerRuns]) console.log(formatRow(name, namedRuns, expected));
  for (const [name, namedRuns] of besideRuns) console.log(`\n${formatRatios(name, ownRuns, namedRuns)}`);
  if (getOption('profile', '') !== '') {
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-profile-'));
    await crawl(seed, { knownCount, nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${folder}`] });
    console.log(`\n${describeProfiles(folder)}`);
    rmSync(folder, { recursive: true });
  }
  if (server) await stop(server);
  const counts = [...ownRuns, ...laterRuns].map((run) => run.pages);
  if (counts.some((count) => count !== expected))
    console.log(`expected ${expected} pages per crawl, but counted ${counts.join(', ')}`);
}

await main();
