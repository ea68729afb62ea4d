/**
 * `npm run bench -- hostile-share [--seconds 4] [--rounds 6] [--throttle 500] [--only NAME]`: what a hostile host costs the healthy ones beside it. For
 * each kind of hostility one server crawls healthy hosts and the hostile one, which is paused and resumed in turns; what counts is the ratio of the
 * healthy pages in both: 90 % is the target. Turns of seconds in one process meet the same neighbours on the machine. The throttle makes politeness the limit and not the machine, as it is in a crawl of the web; `--throttle 0`
 * asks as fast as the machine can, so that the hostile host also competes for its cores.
 *
 * The hostile host is asked at the same throttle as the others and lives in a process of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startIndex } from '../demo-index/server.js';
import { HOSTILE_ADDRESS, HOSTILITIES, startHostileHost } from './hostile-hosts.js';
import { MeasuredServer } from './measured-server.js';
import { startProgram, stop } from './processes.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '6' },
    throttle: { type: 'string', default: '500' },
    only: { type: 'string' },
    serve: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const throttle = Number(values.throttle);

const HEALTHY_HOSTS = 16;
const HEALTHY_PORT = 18_095;
const WARM_UP_MS = 4_000;
const SETTLE_MS = 1_000;
const TARGET = 0.9;

function configuration(hostile: string, index: string): string {
  const healthy = Array.from({ length: HEALTHY_HOSTS }, (_, i) => `http://127.0.1.${i + 1}:${HEALTHY_PORT}/`);
  const roots = [...healthy, hostile];
  return `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="32" aggressive="${throttle === 0}" throttleTimeMS="${throttle}" defaultAccept="true" nearDuplicateDetector="false">
    ${roots.map((url) => `<Root url="${url}" site="true"/>`).join('')}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${index}" connector="test"/>
</CrawlConfig>`;
}

interface Hosts {
  readonly items: readonly { readonly host: string; readonly indexed: number; readonly errors: number }[];
}

interface Shares {
  readonly alone: number;
  readonly beside: number;
  readonly hostilePages: number;
}

/** Healthy pages a second while the hostile host is paused, and while it is not. */
async function measure(hostile: string): Promise<Shares> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-hostile-share-'));
  const index = await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });
  const server = await MeasuredServer.start(folder, configuration(hostile, index.url), 1);
  const host = encodeURIComponent(new URL(hostile).host);
  try {
    await sleep(WARM_UP_MS);
    const pages = { pause: 0, resume: 0 };
    for (let round = 0; round < rounds; round++) {
      for (const turn of ['pause', 'resume'] as const) {
        await server.post(`/api/v1/hosts/${host}/${turn}`);
        await sleep(SETTLE_MS); // what was in flight ends
        const [before, started] = [(await visited(server)).healthy, performance.now()];
        await sleep(seconds * 1_000);
        const healthy = (await visited(server)).healthy - before;
        pages[turn] += healthy / ((performance.now() - started) / 1_000) / rounds;
      }
    }
    return { alone: pages.pause, beside: pages.resume, hostilePages: (await visited(server)).hostile };
  } finally {
    await server.stop();
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function visited(server: MeasuredServer): Promise<{ healthy: number; hostile: number }> {
  const { items } = await server.get<Hosts>('/api/v1/hosts?crawler=test&limit=100');
  const sums = { healthy: 0, hostile: 0 };
  for (const { host, indexed, errors } of items) {
    if (host.startsWith(HOSTILE_ADDRESS)) sums.hostile += indexed + errors;
    else sums.healthy += indexed;
  }
  return sums;
}

async function beside(kind: string): Promise<Shares> {
  const child = fork(fileURLToPath(import.meta.url), ['--serve', kind]);
  try {
    const [url] = (await once(child, 'message')) as [string];
    return await measure(url);
  } finally {
    child.kill();
  }
}

async function measureAll(): Promise<boolean> {
  const siteFile = fileURLToPath(new URL('./synthetic-site.js', import.meta.url));
  const siteArgs = ['--port', String(HEALTHY_PORT), '--pages', '1000000', '--hosts', String(HEALTHY_HOSTS)];
  const site = await startProgram(siteFile, siteArgs, /^synthetic/);
  let worst = 1;
  console.log(
    `${HEALTHY_HOSTS} healthy hosts and a hostile one, throttle ${throttle} ms, ${rounds} turns of ${seconds} s each\n`,
  );
  console.log('| the hostile host | healthy pages/s alone | beside it | ratio | hostile pages |');
  console.log('|---|---|---|---|---|');
  try {
    for (const kind of Object.keys(HOSTILITIES).filter((name) => values.only === undefined || name === values.only)) {
      const { alone, beside: rate, hostilePages } = await beside(kind);
      worst = Math.min(worst, rate / alone);
      const share = ((100 * rate) / alone).toFixed(1);
      console.log(`| ${kind} | ${alone.toFixed(1)} | ${rate.toFixed(1)} | ${share} % | ${hostilePages} |`);
    }
  } finally {
    await stop(site);
  }
  return worst >= TARGET;
}

/** As a process of its own: the hostile host, until its parent ends. */
if (values.serve !== undefined) {
  const { url } = await startHostileHost(values.serve);
  process.send!(url);
  process.on('disconnect', () => process.exit());
} else {
  process.exitCode = (await measureAll()) ? 0 : 1;
}
