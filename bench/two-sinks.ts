/**
 * `node dist/bench/two-sinks.js [--pages 3000] [--seconds 60]`: measures documents per second at a healthy sink that is
 * the only one of its crawler, that is beside one that is down, and that is beside one that responds to each request
 * only after ten seconds. A crawl ends when the healthy sink has all pages, or after the given time.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CrawlRun, createFullSpeedConfiguration, getOption, sleep } from './crawl-run.js';
import { startSyntheticSite } from './synthetic-site.js';

const pages = Number(getOption('pages', '3000'));
const maxSeconds = Number(getOption('seconds', '60'));
const SITE_PORT = 18_760;
const SINKS_URL = 'http://127.0.0.1:18740/api/v1/sinks';
const RESPONSE_DELAY_MS = 10_000;

interface SinkState {
  readonly name: string;
  readonly acknowledged: number;
}

/** @param otherSinkUrl address of a second sink. Absent: the crawler has only one. */
function createConfiguration(site: string, otherSinkUrl?: string): string {
  const configuration = createFullSpeedConfiguration(site);
  if (otherSinkUrl === undefined) return configuration;
  return configuration
    .replace('<cw:PushTo sink="main"/>', '<cw:PushTo sink="main"/><cw:PushTo sink="other"/>')
    .replace('</CrawlConfig>', `<cw:Sink name="other" type="json" url="${otherSinkUrl}"/></CrawlConfig>`);
}

async function countAcknowledged(): Promise<number> {
  const { items } = (await (await fetch(SINKS_URL)).json()) as { items: SinkState[] };
  return items.find(({ name }) => name === 'main')!.acknowledged;
}

async function measure(site: string, otherSinkUrl?: string): Promise<{ documents: number; seconds: number }> {
  const run = await CrawlRun.start(createConfiguration(site, otherSinkUrl));
  try {
    for (;;) {
      await sleep(100);
      const documents = await countAcknowledged();
      const seconds = (performance.now() - run.readyAt) / 1000;
      if (documents >= pages || seconds >= maxSeconds) return { documents, seconds };
    }
  } finally {
    await run.stop();
  }
}

function startSlowReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end(), RESPONSE_DELAY_MS));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const site = await startSyntheticSite({ port: SITE_PORT, pages });
const slowReceiver = await startSlowReceiver();
const getAddress = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
try {
  const cases = {
    alone: undefined,
    'beside one that is down': 'http://127.0.0.1:9/',
    'beside a slow one': getAddress(slowReceiver),
  };
  console.log('| the sink | documents | seconds | documents/s |\n|---|---|---|---|');
  for (const [name, otherSinkUrl] of Object.entries(cases)) {
    const { documents, seconds } = await measure(site.url, otherSinkUrl);
    console.log(`| ${name} | ${documents} | ${seconds.toFixed(1)} | ${(documents / seconds).toFixed(0)} |`);
  }
} finally {
  slowReceiver.closeAllConnections();
  slowReceiver.close();
  await site.close();
}
