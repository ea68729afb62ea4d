/**
 * `npm run bench -- hostile-share [--seconds 4] [--rounds 6] [--throttle 500] [--only NAME]`: measures what a hostile
 * host costs the healthy ones beside it. For each kind of hostility, one server crawls healthy hosts and the hostile
 * one, which is alternately paused and resumed. The result is the rate of healthy pages in the better half of the turns
 * with the hostile host, divided by that in the better half of the turns without it; the target is 90 %. The worse half
 * is ignored because other programs on the machine slow down only some of the turns, whereas the hostile host is
 * present in each. The processor time that the hostile host costs is also reported; it hardly depends on other
 * programs.
 *
 * With the throttle, politeness is the limit and not the machine, as in a crawl of the web. With `--throttle 0`,
 * requests are sent as fast as the machine can, so that the hostile host also competes for its cores. The hostile host
 * is a process of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startCrawl } from './hostile-crawl.js';
import { HOSTILE_ADDRESS, HOSTILITIES, startHostileHost } from './hostile-hosts.js';
import type { MeasuredServer } from './measured-server.js';
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

interface Hosts {
  readonly items: readonly { readonly host: string; readonly indexed: number; readonly errors: number }[];
}

interface Turn {
  /** Healthy pages per second. */
  readonly pagesPerSecond: number;
  /** Processor seconds of the server per second. */
  readonly cores: number;
}

interface Shares {
  /** Mean rates of healthy pages in the better half of the turns, without and with the hostile host. */
  readonly aloneRate: number;
  readonly besideRate: number;
  /** Rates of healthy pages in the worst turns. */
  readonly worst: { readonly alone: number; readonly beside: number };
  /** Additional cores that the server uses with the hostile host. */
  readonly cores: number;
  readonly hostilePages: number;
}

/** Each round consists of a turn without the hostile host and one with it, in an order that alternates. */
async function measure(hostile: string): Promise<Shares> {
  const healthy = Array.from({ length: HEALTHY_HOSTS }, (_, i) => `http://127.0.1.${i + 1}:${HEALTHY_PORT}/`);
  const { server, end } = await startCrawl({ roots: [...healthy, hostile], site: true, throttleMs: throttle, pace: 1 });
  const host = encodeURIComponent(new URL(hostile).host);
  const measureTurn = async (action: 'pause' | 'resume'): Promise<Turn> => {
    await server.post(`/api/v1/hosts/${host}/${action}`);
    await sleep(SETTLE_MS); // until requests in flight have ended
    const [before, cpu, startedAt] = [
      (await countVisited(server)).healthy,
      server.measureFootprint().cpu,
      performance.now(),
    ];
    await sleep(seconds * 1_000);
    const pages = (await countVisited(server)).healthy - before;
    const elapsed = (performance.now() - startedAt) / 1_000;
    return { pagesPerSecond: pages / elapsed, cores: (server.measureFootprint().cpu - cpu) / elapsed };
  };
  try {
    await sleep(WARM_UP_MS);
    const turns: { alone: Turn; beside: Turn }[] = [];
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) turns.push({ alone: await measureTurn('pause'), beside: await measureTurn('resume') });
      else {
        const besideTurn = await measureTurn('resume');
        turns.push({ alone: await measureTurn('pause'), beside: besideTurn });
      }
    }
    const aloneRates = turns.map((round) => round.alone.pagesPerSecond);
    const besideRates = turns.map((round) => round.beside.pagesPerSecond);
    return {
      aloneRate: averageBetterHalf(aloneRates),
      besideRate: averageBetterHalf(besideRates),
      worst: { alone: Math.min(...aloneRates), beside: Math.min(...besideRates) },
      cores: median(turns.map((round) => round.beside.cores - round.alone.cores)),
      hostilePages: (await countVisited(server)).hostile,
    };
  } finally {
    await end();
  }
}

/** Mean of the better half of the rates. */
function averageBetterHalf(rates: readonly number[]): number {
  const betterRates = rates.toSorted((a, b) => b - a).slice(0, Math.ceil(rates.length / 2));
  return betterRates.reduce((sum, rate) => sum + rate, 0) / betterRates.length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}

async function countVisited(server: MeasuredServer): Promise<{ healthy: number; hostile: number }> {
  const { items } = await server.get<Hosts>('/api/v1/hosts?crawler=test&limit=100');
  const sums = { healthy: 0, hostile: 0 };
  for (const { host, indexed, errors } of items) {
    if (host.startsWith(HOSTILE_ADDRESS)) sums.hostile += indexed + errors;
    else sums.healthy += indexed;
  }
  return sums;
}

async function measureKind(kind: string): Promise<Shares> {
  const child = fork(fileURLToPath(import.meta.url), ['--serve', kind]);
  try {
    const [url] = (await once(child, 'message')) as [string];
    return await measure(url);
  } finally {
    child.kill();
  }
}

const formatPercent = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`;

async function measureAll(): Promise<boolean> {
  const siteFile = fileURLToPath(new URL('./synthetic-site.js', import.meta.url));
  const siteArgs = ['--port', String(HEALTHY_PORT), '--pages', '1000000', '--hosts', String(HEALTHY_HOSTS)];
  const site = await startProgram(siteFile, siteArgs, /^synthetic/);
  let lowestRatio = 1;
  console.log(
    `${HEALTHY_HOSTS} healthy hosts and a hostile one, throttle ${throttle} ms, ${rounds} turns of ${seconds} s each\n`,
  );
  console.log(
    '| the hostile host | healthy pages/s without it | with it | ratio | in the worst turns | additional cores | hostile pages |',
  );
  console.log('|---|---|---|---|---|---|---|');
  try {
    for (const kind of Object.keys(HOSTILITIES).filter((name) => values.only === undefined || name === values.only)) {
      const { aloneRate, besideRate: rate, worst, cores, hostilePages } = await measureKind(kind);
      lowestRatio = Math.min(lowestRatio, rate / aloneRate);
      const cells = [kind, aloneRate.toFixed(1), rate.toFixed(1), formatPercent(rate / aloneRate)];
      const worstTurns = `${worst.alone.toFixed(1)} and ${worst.beside.toFixed(1)}`;
      console.log(`| ${[...cells, worstTurns, cores.toFixed(2), hostilePages].join(' | ')} |`);
    }
  } finally {
    await stop(site);
  }
  return lowestRatio >= TARGET;
}

/** With --serve, this process is the hostile host, until its parent ends. */
if (values.serve !== undefined) {
  const { url } = await startHostileHost(values.serve);
  process.send!(url);
  process.on('disconnect', () => process.exit());
} else {
  process.exitCode = (await measureAll()) ? 0 : 1;
}
