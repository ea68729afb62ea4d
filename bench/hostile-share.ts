/**
 * `npm run bench -- hostile-share [--seconds 4] [--rounds 6] [--throttle 500] [--only NAME]`: what a hostile host costs the healthy
 * ones beside it. For each kind of hostility one server crawls healthy hosts and the hostile one, which is paused and resumed in
 * turns; what counts is the ratio of healthy pages in the better half of the turns with it and without: 90 % is the target. Neighbours
 * on the machine only ever take pages away, from some turns, while each turn has its hostile pages. What the hostile host costs of
 * the processor stands beside it: that hardly depends on what else the machine does.
 *
 * The throttle makes politeness the limit and not the machine, as it is in a crawl of the web; `--throttle 0` asks as fast as the
 * machine can, so that the hostile host also competes for its cores. The hostile host lives in a process of its own.
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
  /** Healthy pages a second. */
  readonly pages: number;
  /** Processor seconds of the server a second. */
  readonly cores: number;
}

interface Shares {
  /** Of the better half of the turns. */
  readonly alone: number;
  readonly beside: number;
  /** The rates of the worst turns. */
  readonly worst: { readonly alone: number; readonly beside: number };
  /** Cores that the server takes more beside the hostile host. */
  readonly cores: number;
  readonly hostilePages: number;
}

/** Each round is a turn without the hostile host and one with it, first one way around, then the other. */
async function measure(hostile: string): Promise<Shares> {
  const healthy = Array.from({ length: HEALTHY_HOSTS }, (_, i) => `http://127.0.1.${i + 1}:${HEALTHY_PORT}/`);
  const { server, end } = await startCrawl({ roots: [...healthy, hostile], site: true, throttleMs: throttle, pace: 1 });
  const host = encodeURIComponent(new URL(hostile).host);
  const turn = async (action: 'pause' | 'resume'): Promise<Turn> => {
    await server.post(`/api/v1/hosts/${host}/${action}`);
    await sleep(SETTLE_MS); // what was in flight ends
    const [before, cpu, started] = [(await visited(server)).healthy, server.footprint().cpu, performance.now()];
    await sleep(seconds * 1_000);
    const pages = (await visited(server)).healthy - before;
    const elapsed = (performance.now() - started) / 1_000;
    return { pages: pages / elapsed, cores: (server.footprint().cpu - cpu) / elapsed };
  };
  try {
    await sleep(WARM_UP_MS);
    const both: { alone: Turn; beside: Turn }[] = [];
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) both.push({ alone: await turn('pause'), beside: await turn('resume') });
      else {
        const beside = await turn('resume');
        both.push({ alone: await turn('pause'), beside });
      }
    }
    const alone = both.map((round) => round.alone.pages);
    const beside = both.map((round) => round.beside.pages);
    return {
      alone: betterHalf(alone),
      beside: betterHalf(beside),
      worst: { alone: Math.min(...alone), beside: Math.min(...beside) },
      cores: median(both.map((round) => round.beside.cores - round.alone.cores)),
      hostilePages: (await visited(server)).hostile,
    };
  } finally {
    await end();
  }
}

/** Their mean. */
function betterHalf(rates: readonly number[]): number {
  const better = rates.toSorted((a, b) => b - a).slice(0, Math.ceil(rates.length / 2));
  return better.reduce((sum, rate) => sum + rate, 0) / better.length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
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

const percent = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`;

async function measureAll(): Promise<boolean> {
  const siteFile = fileURLToPath(new URL('./synthetic-site.js', import.meta.url));
  const siteArgs = ['--port', String(HEALTHY_PORT), '--pages', '1000000', '--hosts', String(HEALTHY_HOSTS)];
  const site = await startProgram(siteFile, siteArgs, /^synthetic/);
  let least = 1;
  console.log(
    `${HEALTHY_HOSTS} healthy hosts and a hostile one, throttle ${throttle} ms, ${rounds} turns of ${seconds} s each\n`,
  );
  console.log(
    '| the hostile host | healthy pages/s alone | beside it | ratio | in the worst turns | cores it costs | hostile pages |',
  );
  console.log('|---|---|---|---|---|---|---|');
  try {
    for (const kind of Object.keys(HOSTILITIES).filter((name) => values.only === undefined || name === values.only)) {
      const { alone, beside: rate, worst, cores, hostilePages } = await beside(kind);
      least = Math.min(least, rate / alone);
      const cells = [kind, alone.toFixed(1), rate.toFixed(1), percent(rate / alone)];
      const worstTurns = `${worst.alone.toFixed(1)} and ${worst.beside.toFixed(1)}`;
      console.log(`| ${[...cells, worstTurns, cores.toFixed(2), hostilePages].join(' | ')} |`);
    }
  } finally {
    await stop(site);
  }
  return least >= TARGET;
}

/** As a process of its own: the hostile host, until its parent ends. */
if (values.serve !== undefined) {
  const { url } = await startHostileHost(values.serve);
  process.send!(url);
  process.on('disconnect', () => process.exit());
} else {
  process.exitCode = (await measureAll()) ? 0 : 1;
}
