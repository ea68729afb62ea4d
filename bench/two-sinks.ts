/**
 * `node dist/bench/two-sinks.js [--pages 3000] [--seconds 60]`: documents a second at a sink that is well, as the only one of its
 * crawler, beside one that is down, and beside one that answers each request after ten seconds. A crawl ends when the sink has all
 * pages, or after the time given.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CrawlRun, fullSpeed, option, sleep } from './crawl-run.js';
import { startSyntheticSite } from './synthetic-site.js';

const pages = Number(option('pages', '3000'));
const most = Number(option('seconds', '60'));
const SITE_PORT = 18_760;
const RECEIVER_PORT = 18_750;
const SINKS = 'http://127.0.0.1:18740/api/v1/sinks';
const ANSWER_AFTER_MS = 10_000;

interface SinkState {
  readonly name: string;
  readonly acknowledged: number;
}

/** A second sink at this address; without one the crawler has the first alone. */
function configuration(site: string, other?: string): string {
  const alone = fullSpeed(site, RECEIVER_PORT);
  if (other === undefined) return alone;
  return alone
    .replace('<cw:PushTo sink="main"/>', '<cw:PushTo sink="main"/><cw:PushTo sink="other"/>')
    .replace('</CrawlConfig>', `<cw:Sink name="other" type="json" url="${other}"/></CrawlConfig>`);
}

async function acknowledged(): Promise<number> {
  const { items } = (await (await fetch(SINKS)).json()) as { items: SinkState[] };
  return items.find(({ name }) => name === 'main')!.acknowledged;
}

async function measure(site: string, other?: string): Promise<{ documents: number; seconds: number }> {
  const run = await CrawlRun.start(configuration(site, other));
  try {
    for (;;) {
      await sleep(100);
      const documents = await acknowledged();
      const seconds = (performance.now() - run.readyAt) / 1000;
      if (documents >= pages || seconds >= most) return { documents, seconds };
    }
  } finally {
    await run.stop();
  }
}

function startSlowReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end(), ANSWER_AFTER_MS));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const site = await startSyntheticSite({ port: SITE_PORT, pages });
const slow = await startSlowReceiver();
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
try {
  const cases = {
    alone: undefined,
    'beside one that is down': 'http://127.0.0.1:9/',
    'beside a slow one': addressOf(slow),
  };
  console.log('| the sink | documents | seconds | documents/s |\n|---|---|---|---|');
  for (const [name, other] of Object.entries(cases)) {
    const { documents, seconds } = await measure(site.url, other);
    console.log(`| ${name} | ${documents} | ${seconds.toFixed(1)} | ${(documents / seconds).toFixed(0)} |`);
  }
} finally {
  slow.closeAllConnections();
  slow.close();
  await site.close();
}
