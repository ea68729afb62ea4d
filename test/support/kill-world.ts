/**
 * The real server as a process of its own, crawling a site that changes and pushing to an index that fails now and then,
 * killed at random moments. In the end the site stops changing, and the index must equal it.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningIndex, startIndex } from '../../demo-index/server.js';
import { FakeSite, html } from './fake-site.js';
import { type CallFate, FlakyReceiver } from './flaky-receiver.js';
import { failPower } from './power-failure.js';
import { ServerProcess } from './server-process.js';

export interface KillReport {
  readonly kills: number;
  readonly killedWhileStarting: number;
  readonly requests: number;
  readonly changesOfTheSite: number;
  readonly failuresOfTheReceiver: number;
  /** Bytes of the WAL that were lost in power failures. */
  readonly bytesLost: number;
  readonly documents: number;
  /** Milliseconds from the site's last change until the index equals it. */
  readonly settledAfter: number;
  /** Differences in the end; empty if the index equals the site. */
  readonly differences: readonly string[];
}

/** A search engine as the index, which is killed in turns with the server. */
interface KilledEngine {
  readonly url: string;
  /** Type and further attributes of the sink. */
  readonly sink: string;
  /** Kills it and starts it again. */
  killAndRestart(): Promise<void>;
  /** The stamps of what it holds, by URL. */
  indexed(): Promise<ReadonlyMap<string, string>>;
}

export interface KillOptions {
  /** Absent: the demo index, which is not killed. */
  readonly engine?: KilledEngine;
  readonly kills: number;
  readonly pages: number;
  /** Maximum number of requests that a server makes before it is killed. */
  readonly longestLife: number;
  /** Simulates a power failure with each kill: some of the last writes are lost. */
  readonly power?: 'fails';
  readonly patience?: number;
  readonly progress?: (kills: number) => void;
}

export async function runKills(options: KillOptions): Promise<KillReport> {
  const world = await KillWorld.start(options);
  try {
    return await world.run();
  } finally {
    await world.close();
  }
}

class KillWorld {
  private readonly living = new Set<number>();
  private readonly versions = new Map<number, number>();
  private changes = 0;
  private killedWhileStarting = 0;
  private bytesLost = 0;
  private isEqual = false;
  private server: ServerProcess | undefined;

  private constructor(
    private readonly options: KillOptions,
    private readonly site: FakeSite,
    private readonly index: RunningIndex | undefined,
    private readonly receiver: FlakyReceiver,
    private readonly folder: string,
  ) {
    for (let page = 0; page < options.pages; page++) this.put(page);
    this.putHome();
  }

  static async start(options: KillOptions): Promise<KillWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-kill-'));
    const site = await FakeSite.start();
    const { engine } = options;
    const index = engine ? undefined : await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });
    const receiver = await FlakyReceiver.start(engine?.url ?? index!.url);
    receiver.fate = sometimesFails;
    const world = new KillWorld(options, site, index, receiver, folder);
    writeFileSync(join(folder, 'CrawlConfig.xml'), configuration(site.url('/'), receiver.url, engine?.sink));
    return world;
  }

  async run(): Promise<KillReport> {
    const mutating = setInterval(() => this.mutate(), 20);
    try {
      for (let kills = 0; kills < this.options.kills; kills++) {
        if (this.options.engine && kills % 2 === 1) await this.outliveTheEngine(this.options.engine);
        else await this.liveAndDie(kills === 0);
        this.options.progress?.(kills + 1);
      }
    } finally {
      clearInterval(mutating);
    }
    this.receiver.fate = () => 'pass';
    for (const page of this.living) this.put(page); // every page changes once more, so that every link is found again
    this.putHome();
    const rested = performance.now();
    await this.alive().ready();
    const differences = await this.untilEqual();
    if (differences.length === 0) this.isEqual = true;
    else differences.push(`the data is kept in ${this.folder}`);
    return {
      kills: this.options.kills,
      killedWhileStarting: this.killedWhileStarting,
      requests: this.site.requests.length,
      changesOfTheSite: this.changes,
      failuresOfTheReceiver: this.receiver.failures,
      bytesLost: this.bytesLost,
      documents: this.living.size + 1,
      settledAfter: Math.round(performance.now() - rested),
      differences,
    };
  }

  async close(): Promise<void> {
    await this.server?.end();
    await this.receiver.close();
    await this.index?.close();
    await this.site.close();
    if (this.isEqual) rmSync(this.folder, { recursive: true, force: true });
  }

  /** One in eight servers is killed while it is still starting. The first one runs longest, so that there is something to lose. */
  private async liveAndDie(isFirst: boolean): Promise<void> {
    if (!isFirst && this.server?.hasEnded && Math.random() < 0.125) {
      this.killedWhileStarting++;
      this.launch();
      await sleep(Math.random() * 1_500);
    } else {
      await this.live(isFirst ? this.options.longestLife : this.randomLife());
    }
    await this.server?.end();
    if (this.options.power === 'fails') this.bytesLost += failPower(join(this.folder, 'data', 'crawlway.sqlite')).lost;
  }

  private async outliveTheEngine(engine: KilledEngine): Promise<void> {
    await this.live(this.randomLife());
    await engine.killAndRestart();
  }

  private async live(requests: number): Promise<void> {
    const server = await this.alive().ready();
    await Promise.race([this.site.untilRequests(this.site.requests.length + requests), server.ended()]);
  }

  private randomLife(): number {
    return 1 + Math.floor(Math.random() * this.options.longestLife);
  }

  private alive(): ServerProcess {
    return this.server === undefined || this.server.hasEnded ? this.launch() : this.server;
  }

  private launch(): ServerProcess {
    const server = new ServerProcess({ config: join(this.folder, 'CrawlConfig.xml'), data: join(this.folder, 'data') });
    this.server = server;
    return server;
  }

  private mutate(): void {
    const page = Math.floor(Math.random() * this.options.pages);
    const dice = Math.random();
    this.changes++;
    if (dice < 0.6 || !this.living.has(page)) this.put(page);
    else if (dice < 0.8) this.take(page, { status: 404 });
    else this.take(page, { status: 301, headers: { location: `/p${(page + 1) % this.options.pages}` } });
    this.putHome();
  }

  private put(page: number): void {
    this.living.add(page);
    const version = (this.versions.get(page) ?? 0) + 1;
    this.versions.set(page, version);
    this.site.page(`/p${page}`, ['/'], `Version ${version} of page ${page}.`);
  }

  private take(page: number, answer: Parameters<FakeSite['set']>[1]): void {
    this.living.delete(page);
    this.site.set(`/p${page}`, answer);
  }

  private putHome(): void {
    const links = [...this.living].map((page) => `/p${page}`);
    this.site.page('/', links, `Change ${this.changes} of the site.`);
  }

  private async untilEqual(): Promise<string[]> {
    const deadline = performance.now() + (this.options.patience ?? 60_000);
    for (;;) {
      const differences = this.differences(await this.indexed());
      if (differences.length === 0 || performance.now() > deadline) return differences;
      // A document whose URL was lost in a power failure is known only to the index.
      if (this.options.power === 'fails') await this.reconcile();
      await sleep(200);
    }
  }

  private async reconcile(): Promise<void> {
    await fetch(`${this.server!.url}/api/v1/sinks/main/reconcile?repair=true`, { method: 'POST' });
  }

  private differences(indexed: ReadonlyMap<string, string>): string[] {
    const wrong: string[] = [];
    const expected = new Map([['/', this.body('/')]]);
    for (const page of this.living) expected.set(`/p${page}`, this.body(`/p${page}`));
    for (const [path, body] of expected) {
      const stamp = indexed.get(this.site.url(path));
      const digest = createHash('sha256').update(body).digest('hex');
      if (stamp === undefined) wrong.push(`${path} is on the site and not in the index`);
      else if (!stamp.startsWith(digest)) wrong.push(`${path} is in the index in another version`);
    }
    for (const url of indexed.keys())
      if (!expected.has(new URL(url).pathname)) wrong.push(`${url} is in the index and not on the site`);
    return wrong;
  }

  private body(path: string): string {
    if (path === '/') {
      const links = [...this.living].map((page) => `/p${page}`);
      return html('/', links, `Change ${this.changes} of the site.`);
    }
    const page = Number(path.slice(2));
    return html(path, ['/'], `Version ${this.versions.get(page)} of page ${page}.`);
  }

  private async indexed(): Promise<ReadonlyMap<string, string>> {
    if (this.index === undefined) return this.options.engine!.indexed();
    const query = 'enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS';
    const text = await (await fetch(`${this.index.url}/papi/4/connectors/test/${query}`)).text();
    const lines = text.split('\n').filter((line) => line !== '');
    return new Map(
      lines.map((line) => {
        const [uri, stamp] = line.split(' ') as [string, string];
        return [decodeURIComponent(uri.replaceAll('+', ' ')), decodeURIComponent(stamp)];
      }),
    );
  }
}

function sometimesFails(): CallFate {
  const dice = Math.random();
  return dice < 0.05 ? 'fail' : dice < 0.1 ? 'lose answer' : 'pass';
}

function configuration(root: string, receiver: string, sink = 'type="papi" connector="test"'): string {
  return `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="8" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false"
           nearDuplicateDetector="false" smartRefreshMinAgeS="1" smartRefreshMaxAgeS="2" deletionGuard="false">
    <Root url="${root}" site="false"/><cw:Content changeDetection="bytes"/><cw:ErrorPolicy retryDelayS="5"/>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" ${sink} url="${receiver}"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Sink>
</CrawlConfig>
`;
}
