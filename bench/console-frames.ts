/**
 * Measures how smooth the console is while the server crawls at full speed and sends live events: the intervals between
 * frames in the system's Chromium, and the processor time of its main thread. Chromium, server, site and receiver share
 * the machine, so an empty page is measured, too: the frames that it drops are not caused by the console.
 *
 *   node dist/bench/console-frames.js [--seconds 15]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { ARGUMENTS, CHROMIUM } from '../test/console/chromium.js';
import { createFullSpeedConfiguration } from './crawl-run.js';
import { startProgram, stop } from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const API = 'http://127.0.0.1:18840';
const RECEIVER_PORT = 18_850;
const SITE_PORT = 18_190;
const PAGES = 1_000_000;
/** Time until the crawl has reached its speed and the screen shows its first content. */
const WARM_UP_MS = 4_000;
const LATE_MS = 20;

const SCREENS: Readonly<Record<string, string>> = {
  'an empty page': 'about:blank',
  Overview: `${API}/`,
  Sources: `${API}/sources`,
  URLs: `${API}/urls`,
  Hosts: `${API}/hosts`,
  Push: `${API}/push?view=ledger`,
};

interface Smoothness {
  /** Median of the milliseconds between two frames. */
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
  /** Share of the frames that came more than LATE_MS after the previous one. */
  readonly lateShare: number;
  /** Processor time of the main thread, as a share of the elapsed time. */
  readonly busyShare: number;
  readonly pagesPerSecond: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function countIndexed(): Promise<number> {
  const view = (await (await fetch(`${API}/api/v1/crawlers/bench`)).json()) as { indexed: number };
  return view.indexed;
}

async function readBusySeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

/** Script that runs in the page and returns the times of its frames. */
const createFrameScript = (ms: number): string => `new Promise((resolve) => {
  const times = [];
  const end = performance.now() + ${ms};
  const frame = (now) => { times.push(now); if (now < end) requestAnimationFrame(frame); else resolve(times); };
  requestAnimationFrame(frame);
})`;

async function measure(page: Page, ms: number): Promise<Smoothness> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const [busyBefore, pagesBefore, startedAt] = [
    await readBusySeconds(session),
    await countIndexed(),
    performance.now(),
  ];
  const times = (await page.evaluate(createFrameScript(ms))) as number[];
  const seconds = (performance.now() - startedAt) / 1000;
  const [busyAfter, pagesAfter] = [await readBusySeconds(session), await countIndexed()];
  await session.detach();
  const intervals = times.slice(1).map((time, i) => time - times[i]!);
  const lateShare = intervals.filter((interval) => interval > LATE_MS).length / intervals.length;
  const sorted = intervals.sort((a, b) => a - b);
  return {
    median: sorted[sorted.length >> 1]!,
    p95: sorted[Math.floor(sorted.length * 0.95)]!,
    worst: sorted.at(-1)!,
    lateShare,
    busyShare: (busyAfter - busyBefore) / seconds,
    pagesPerSecond: (pagesAfter - pagesBefore) / seconds,
  };
}

function formatRow(name: string, { median, p95, worst, lateShare, busyShare, pagesPerSecond }: Smoothness): string {
  const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return `| ${name} | ${pagesPerSecond.toFixed(0)} | ${median.toFixed(1)} | ${p95.toFixed(1)} | ${worst.toFixed(0)} | ${formatPercent(lateShare)} | ${formatPercent(busyShare)} |`;
}

async function main(): Promise<void> {
  if (!CHROMIUM) throw new Error('Chromium was not found: apt-get install chromium, or set CHROMIUM to its path');
  const index = process.argv.indexOf('--seconds');
  const ms = (index < 0 ? 15 : Number(process.argv[index + 1])) * 1000;
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-frames-'));
  writeFileSync(
    join(folder, 'config.xml'),
    createFullSpeedConfiguration(`http://127.0.0.1:${SITE_PORT}/`, { receiverPort: RECEIVER_PORT }),
  );
  const startDistProgram = (path: string, args: readonly string[], ready: RegExp) =>
    startProgram(join(DIST, path), args, ready);
  const site = await startDistProgram(
    'bench/synthetic-site.js',
    ['--port', String(SITE_PORT), '--pages', String(PAGES)],
    /http/,
  );
  const receiver = await startDistProgram('test/support/ack-receiver.js', ['--port', String(RECEIVER_PORT)], /\d/);
  const serveArgs = ['serve', '--config', join(folder, 'config.xml'), '--data', join(folder, 'data')];
  const server = await startDistProgram('program/main.js', [...serveArgs, '--port', new URL(API).port], /is ready/);
  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGUMENTS });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    console.log('| screen | pages/s crawled | median ms | p95 ms | worst ms | frames over 20 ms | main thread |');
    console.log('|---|---|---|---|---|---|---|');
    for (const [name, url] of Object.entries(SCREENS)) {
      await page.goto(url);
      await sleep(WARM_UP_MS);
      console.log(formatRow(name, await measure(page, ms)));
    }
  } finally {
    await browser.close();
    for (const child of [server, receiver, site]) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
