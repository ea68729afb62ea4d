/**
 * Runs a whole crawl server for a benchmark, as a process with a new data directory and a receiver that only
 * acknowledges.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ProcessTree,
  RUNTIME_FLAGS,
  readResidentMb,
  readThreads,
  readUsage,
  startProgram,
  stop,
  type ThreadUsage,
  type Usage,
} from './processes.js';

const DIST = fileURLToPath(new URL('..', import.meta.url));
const API_PORT = 18_740;
const RECEIVER_PORT = 18_750;
const POLL_MS = 100;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const getOptions = (name: string): string[] =>
  process.argv.flatMap((argument, i) => (argument === `--${name}` ? [process.argv[i + 1] ?? ''] : []));
export const getOption = (name: string, fallback: string): string => getOptions(name)[0] ?? fallback;

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** Describes the machine and the version of Node, for the heading of a table. */
export function describeMachine(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cores.length} cores ${cores[0]?.model.trim() ?? ''}, ${memory} GB, ${type()}, Node ${process.versions.node}`;
}

/**
 * Creates a configuration with one crawler named bench that pushes all its documents. `attributes` and `elements` are
 * those of its Crawler element.
 */
export const createConfiguration = (attributes: string, elements: string, receiverPort = RECEIVER_PORT): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" nearDuplicateDetector="false" crawlSitemaps="false" ${attributes}>
    ${elements}
    <cw:Traps maxUrlsPerHost="100000000" maxPatternUrls="100000000"/>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="http://127.0.0.1:${receiverPort}" connector="bench"/>
</CrawlConfig>`;

/**
 * Creates such a configuration for one site, without politeness. Roots of `otherHosts` may be submitted later; `content`
 * are further elements of the crawler.
 */
export const createFullSpeedConfiguration = (
  site: string,
  {
    receiverPort = RECEIVER_PORT,
    otherHosts = [],
    content = '',
  }: { receiverPort?: number; otherHosts?: readonly string[]; content?: string } = {},
): string => {
  const rules = [new URL(site).hostname, ...otherHosts].map(
    (host) => `<Rule><ar:Host val="${host}"/><Index/><Follow/><Accept/></Rule>`,
  );
  return createConfiguration(
    'nthreads="32" aggressive="true" throttleTimeMS="0"',
    `${content}<Root url="${site}" site="false"/><Rules group="bench">${rules.join('')}</Rules>`,
    receiverPort,
  );
};

export interface CrawlerState {
  readonly idle: boolean;
  readonly pendingOrders: number;
  readonly indexed: number;
}

export class CrawlRun {
  /** When the server process was started and when it reported that it was ready, by performance.now. */
  readonly startedAt: number;
  readonly readyAt: number;

  private constructor(
    private readonly folder: string,
    private readonly receiver: ChildProcess,
    private readonly server: ChildProcess,
    times: { readonly startedAt: number; readonly readyAt: number },
  ) {
    this.startedAt = times.startedAt;
    this.readyAt = times.readyAt;
  }

  /**
   * @param fill may write to the database, whose path it is given, before the server starts
   * @param checkout a built checkout whose server is measured instead of this one's
   * @param nodeFlags more flags of Node for the server
   * @param cores those on which the server may run, as `taskset` names them
   */
  static async start(
    config: string,
    {
      fill,
      checkout,
      nodeFlags = [],
      cores,
    }: {
      fill?: (database: string) => Promise<void>;
      checkout?: string;
      nodeFlags?: readonly string[];
      cores?: string;
    } = {},
  ): Promise<CrawlRun> {
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-'));
    const data = join(folder, 'data');
    const file = join(folder, 'config.xml');
    mkdirSync(data);
    writeFileSync(file, config);
    await fill?.(join(data, 'crawlway.sqlite'));
    const receiverArgs = ['--port', String(RECEIVER_PORT)];
    const receiver = await startProgram(join(DIST, 'test/support/ack-receiver.js'), receiverArgs, /\d/);
    const startedAt = performance.now();
    const args = ['serve', '--config', file, '--data', data, '--port', String(API_PORT)];
    const program = join(checkout === undefined ? DIST : join(checkout, 'dist'), 'program/main.js');
    const flags = [...RUNTIME_FLAGS, ...nodeFlags];
    const server = await startProgram(program, args, /is ready/, flags, cores).catch(async (error: unknown) => {
      await stop(receiver);
      throw error;
    });
    return new CrawlRun(folder, receiver, server, { startedAt, readyAt: performance.now() });
  }

  getState(): Promise<CrawlerState> {
    return this.get<CrawlerState>('');
  }

  async get<T>(path: string): Promise<T> {
    return (await fetch(this.createUrl(path))).json() as Promise<T>;
  }

  async post(path: string, body: unknown): Promise<void> {
    const response = await fetch(this.createUrl(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`the server responded to POST ${path} with ${response.status}: ${await response.text()}`);
  }

  /** Number of fetches since the start, and their total duration in seconds. */
  async countFetches(): Promise<{ readonly count: number; readonly seconds: number }> {
    const text = await this.readMetrics();
    const readValue = (name: string) =>
      Number(new RegExp(`^crawlway_fetch_duration_seconds_${name} (\\S+)`, 'm').exec(text)?.[1]);
    return { count: readValue('count'), seconds: readValue('sum') };
  }

  /** Number of visits since the start, by outcome. */
  async countVisits(): Promise<ReadonlyMap<string, number>> {
    const text = await this.readMetrics();
    const rows = [...text.matchAll(/^crawlway_pages_total\{.*outcome="([^"]+)".*\} (\d+)/gm)];
    return new Map(rows.map(([, outcome, count]) => [outcome!, Number(count)]));
  }

  /** Waits until nothing is due, in flight or unacknowledged, and at least `minIndexed` documents are in the index. */
  async waitUntilIdle(minIndexed = 1): Promise<CrawlerState> {
    for (;;) {
      await sleep(POLL_MS);
      const state = await this.getState();
      if (state.idle && state.pendingOrders === 0 && state.indexed >= minIndexed) return state;
    }
  }

  getUsage(): Usage | undefined {
    return readUsage(this.server);
  }

  getMemory(): ReturnType<typeof readResidentMb> {
    return readResidentMb(this.server.pid!);
  }

  getReceiverUsage(): Usage | undefined {
    return readUsage(this.receiver);
  }

  getThreads(): ThreadUsage[] {
    return readThreads(this.server);
  }

  /** Watches the server and the processes that it starts; the caller must stop the returned object. */
  watchProcesses(): ProcessTree {
    return new ProcessTree(this.server.pid!);
  }

  async stop(): Promise<void> {
    await stop(this.server);
    await stop(this.receiver);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async readMetrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${API_PORT}/metrics`)).text();
  }

  private readonly createUrl = (path: string): string => `http://127.0.0.1:${API_PORT}/api/v1/crawlers/bench${path}`;
}
