/**
 * Runs the real server as a process, as `npm start` does, and measures it from outside; time can pass faster for it.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../test/support/server-process.js';
import { RUNTIME_ENV, RUNTIME_FLAGS } from './processes.js';

const MEGABYTE = 1024 * 1024;

export interface Footprint {
  /** Resident memory of the process with all its threads, but without the processes that read documents. */
  readonly rssMb: number;
  /** Database, write-ahead log and everything else in the data directory. */
  readonly diskMb: number;
  /** Processor time of all threads so far, in seconds. */
  readonly cpu: number;
}

export class MeasuredServer {
  private constructor(
    private readonly process: ServerProcess,
    private readonly url: string,
    private readonly dataFolder: string,
  ) {}

  /** @param folder contains all the server's files @param pace how many times faster time passes for the server */
  static async start(folder: string, configuration: string, pace: number): Promise<MeasuredServer> {
    const config = join(folder, 'CrawlConfig.xml');
    const data = join(folder, 'data');
    writeFileSync(config, configuration);
    const nodeFlags = [...RUNTIME_FLAGS, '--import', new URL('./hurried-time.js', import.meta.url).href];
    const hurryVariables = { CRAWLWAY_BENCH_PACE: String(pace), CRAWLWAY_BENCH_SINCE: String(Date.now()) };
    const env = { ...RUNTIME_ENV, ...hurryVariables };
    const server = await new ServerProcess({ config, data, env, node: nodeFlags }).ready();
    return new MeasuredServer(server, server.url, data);
  }

  get hasEnded(): boolean {
    return this.process.hasEnded;
  }

  get output(): string {
    return this.process.output;
  }

  measureFootprint(): Footprint {
    const { pid } = this.process;
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const files = readdirSync(this.dataFolder).map((name) =>
      statSync(join(this.dataFolder, name), { throwIfNoEntry: false }),
    );
    return {
      rssMb: Math.round(Number(kilobytes) / 1024),
      diskMb: files.reduce((sum, file) => sum + (file?.size ?? 0), 0) / MEGABYTE,
      cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    };
  }

  async get<T>(path: string): Promise<T> {
    return (await fetch(`${this.url}${path}`)).json() as Promise<T>;
  }

  async post(path: string, body?: unknown): Promise<void> {
    const jsonRequest =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { ok, status } = await fetch(`${this.url}${path}`, { method: 'POST', ...jsonRequest });
    if (!ok) throw new Error(`the server responded to POST ${path} with ${status}`);
  }

  /** Number of visits since the start, by outcome. */
  async countOutcomes(): Promise<ReadonlyMap<string, number>> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const rows = [...text.matchAll(/^crawlway_pages_total\{.*outcome="([^"]+)".*\} (\d+)/gm)];
    return new Map(rows.map(([, outcome, count]) => [outcome!, Number(count)]));
  }

  /** Number of documents without text, by reason. */
  async countWithoutText(): Promise<ReadonlyMap<string, number>> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const rows = [...text.matchAll(/^crawlway_documents_without_text_total\{.*reason="([^"]+)".*\} (\d+)/gm)];
    return new Map(rows.map(([, reason, count]) => [reason!, Number(count)]));
  }

  stop(): Promise<number | null> {
    return this.process.end('SIGTERM');
  }
}
