/**
 * A whole crawl in one process for a test: real sockets to fake sites, the real fetcher, readers, policy, SQLite and sinks;
 * only the clock is manual.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningIndex, startIndex } from '../../demo-index/server.js';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import type { Lookup } from '../../src/adapters/http/dns-cache.js';
import { HttpFetcher } from '../../src/adapters/http/http-fetcher.js';
import { createPageReader, DocumentReader } from '../../src/adapters/parsers/page-reader.js';
import { createSink } from '../../src/adapters/push/create-sink.js';
import type { OrderRecord } from '../../src/adapters/push/order-record.js';
import { CookieSessions } from '../../src/adapters/sessions/cookie-sessions.js';
import { createLogin } from '../../src/adapters/sessions/logins/create-login.js';
import { findNextCronTime } from '../../src/adapters/system/cron.js';
import { loadRegistrableDomains } from '../../src/adapters/system/registrable-domain.js';
import type { ServerDefinition } from '../../src/domain/crawl/definition.js';
import type { UrlState } from '../../src/domain/crawl/url-state.js';
import type { SinkType } from '../../src/domain/push/sink-types.js';
import { after, type Duration, type Instant, minutes } from '../../src/domain/time/units.js';
import type { TextSeal } from '../../src/engine/crawl/logins/logins.js';
import { Engine } from '../../src/engine/engine.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import type { ContentExtractor } from '../../src/engine/ports/content-extractor.js';
import type { FetchEngine } from '../../src/engine/ports/fetcher.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Log } from '../../src/engine/ports/log.js';
import type { Nodes } from '../../src/engine/ports/nodes.js';
import type { PageProcessor } from '../../src/engine/ports/page-processor.js';
import type { Partitions } from '../../src/engine/ports/partitions.js';
import type { Plugins } from '../../src/engine/ports/plugins.js';
import type { Sink } from '../../src/engine/ports/sink.js';
import { countingCalls, PendingCalls } from './counting-calls.js';
import type { FlakyReceiver } from './flaky-receiver.js';
import { ManualClock } from './manual-clock.js';
import { scenarioStore } from './scenario-database.js';

export interface WorldOptions {
  /** Attributes of the Crawler element, in addition to those that keep a test fast. */
  readonly attributes?: string;
  /** Content of the Crawler element. */
  readonly crawler: string;
  /** Further elements of CrawlConfig. */
  readonly more?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Folder of the files that the configuration names and that are not in `files`. */
  readonly folder?: string;
  readonly index?: 'real' | 'none';
  /** A proxy between the sink and the index. */
  readonly through?: FlakyReceiver;
  readonly clock?: ManualClock;
  /** Receives the page processor before the engine does, and may wrap its methods. */
  readonly processor?: (processor: PageProcessor) => void;
  /** Runs the plug-ins of the configuration; the world closes it. */
  readonly plugins?: Plugins;
  /** Take precedence over the built-in ones. */
  readonly extractors?: readonly ContentExtractor[];
  /** Fetch engines beside HTTP; the world is not idle while they work. */
  readonly engines?: (definition: ServerDefinition, http: HttpFetcher) => readonly FetchEngine[];
  /** Addresses of host names, '' while no name server responds; other names do not exist. By default, the system resolves names. */
  readonly names?: Readonly<Record<string, string>>;
  /** With it, sessions of logins survive a restart. */
  readonly seal?: TextSeal;
  /** A store, which an earlier crawl may have filled; by default an empty one. The world closes it. */
  readonly store?: FrontierStore;
  /** Connects worlds that share a crawl, with one clock and a store each; the world closes it. */
  readonly cluster?: { readonly partitions: Partitions; readonly nodes: Nodes };
  /** Sinks whose responses depend on the clock: the world does not wait for them. */
  readonly slowSinks?: readonly string[];
  /** Whether idle sinks are checked every five minutes, and Push API sinks for emptiness each minute; passing days takes long then. */
  readonly asksIdleSinks?: boolean;
}

/** The part of the options that forms the configuration. */
type Configured = Pick<WorldOptions, 'attributes' | 'crawler' | 'more' | 'files' | 'folder'>;

const ATTRIBUTES =
  'name="test" nthreads="8" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false"';

/** Number of turns of the event loop in a row in which nothing is on its way, before each look at the crawlers. */
const CALM_TURNS = 5;
/** Numbers of looks in a row without work after which a world is idle, after which its clock advances, and after which it is stuck. */
const SURELY_IDLE = 3;
const SURELY_WAITING = 5;
const SURELY_STUCK = 100;
/** Number of calls within one wait after which more will follow without end. */
const MAX_ENDS = 20_000;

export class CrawlWorld {
  private closing: Promise<void> | undefined;

  private constructor(
    readonly engine: Engine,
    readonly store: FrontierStore,
    readonly clock: ManualClock,
    readonly index: RunningIndex | undefined,
    /** Of the file sink, which a world without an index has. */
    private readonly folder: string | undefined,
    private readonly options: WorldOptions,
    readonly errors: string[],
    /** Calls of the store and of sinks, and pages that are fetched and read. */
    private readonly pending: PendingCalls,
  ) {}

  static async start(options: WorldOptions): Promise<CrawlWorld> {
    const clock = options.clock ?? new ManualClock();
    const index =
      options.index === 'none' ? undefined : await startIndex({ file: ':memory:', port: 0, host: '127.0.0.1' });
    const folder = index ? undefined : mkdtempSync(join(tmpdir(), 'crawlway-test-'));
    if (options.through && index) options.through.target = index.url;
    const pending = new PendingCalls();
    const store = countingCalls(options.store ?? (await scenarioStore()), pending);
    const errors: string[] = [];
    const processor = new LocalPageProcessor({
      createEngines: (definitions) => {
        const lookup = options.names && lookupIn(options.names);
        const http = new HttpFetcher(definitions, { lookup, now: () => clock.now() });
        const others = options.engines?.(world.definition(options), http) ?? [];
        return [http, ...others.map((engine) => world.watchedEngine(engine))];
      },
      // Plug-ins may read formats, which only the server's reader supports.
      reader: options.plugins ? new DocumentReader() : createPageReader(options.extractors),
      clock,
      digest: (content) => createHash('sha256').update(content).digest('hex'),
      pluginCaller: options.plugins && { call: (...asked) => world.delivered(options.plugins!.call(...asked)) },
    });
    // Requests beside visits, such as those of logins: a slow server does not follow the manual clock.
    const request = processor.fetch.bind(processor);
    processor.fetch = (asked) => world.delivered(request(asked));
    options.plugins?.onFacts((facts) => processor.setPlugins(facts));
    options.processor?.(processor);
    const process = processor.process.bind(processor);
    processor.process = (...asked) => world.delivered(process(...asked));
    const engine = new Engine({
      store,
      ...options.cluster,
      clock,
      log: collectingLog(errors),
      cron: findNextCronTime,
      loadDomains: () => world.delivered(loadRegistrableDomains()),
      sessions: new CookieSessions(),
      createLogin,
      seal: options.seal,
      createSink: (definition) => world.watched(createSink(definition, options.plugins), definition.type),
      plugins: options.plugins,
      processor,
    });
    const world: CrawlWorld = new CrawlWorld(engine, store, clock, index, folder, options, errors, pending);
    const definition = world.definition(options);
    await options.plugins?.configure(definition.plugins ?? []);
    await engine.open(definition);
    return world;
  }

  /** The world waits for a working sink as for a page in flight: disks and sockets do not follow the manual clock. */
  private watched(sink: Sink, type: SinkType): Sink {
    const deliver = sink.deliver.bind(sink);
    if (!this.options.asksIdleSinks) {
      delete sink.probe;
      if (type === 'papi') delete sink.isEmpty;
    }
    if (this.options.slowSinks?.includes(sink.name)) return sink;
    sink.deliver = (batch, signal) => this.delivered(deliver(batch, signal));
    const documents = sink.readDocuments?.bind(sink);
    if (documents) sink.readDocuments = (uris, signal) => this.delivered(documents(uris, signal));
    const { probe, identify, checkSchema } = sink;
    if (probe) sink.probe = (signal) => this.delivered(probe.call(sink, signal));
    if (identify) sink.identify = (signal) => this.delivered(identify.call(sink, signal));
    if (checkSchema) sink.checkSchema = (signal) => this.delivered(checkSchema.call(sink, signal));
    return sink;
  }

  /** The world waits for the answer. */
  delivered<T>(answer: Promise<T>): Promise<T> {
    return this.pending.track(answer);
  }

  private watchedEngine(engine: FetchEngine): FetchEngine {
    const fetch = engine.fetch.bind(engine);
    engine.fetch = (request, signal) => this.delivered(fetch(request, signal));
    return engine;
  }

  definition(options: Configured): ServerDefinition {
    const sink = this.index
      ? `<cw:Sink name="main" type="papi" url="${this.options.through?.url ?? this.index.url}" connector="test"/>`
      : `<cw:Sink name="main" type="file" url="${this.ordersFile}"/>`;
    const names = attributeNames(options.attributes ?? '');
    const kept = ATTRIBUTES.split(' ').filter((attribute) => !names.has(attribute.split('=')[0]!));
    const crawler = /<Crawler\b/.test(options.crawler)
      ? options.crawler
      : `<Crawler ${kept.join(' ')} ${options.attributes ?? ''}>${options.crawler}<cw:PushTo sink="main"/></Crawler>`;
    const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
${crawler}
${/<cw:Fetcher\b/.test(options.more ?? '') ? '' : '<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>'}
${sink}${options.more ?? ''}</CrawlConfig>`;
    const { files = {}, folder } = options;
    const pathOf = (name: string): string => (folder === undefined ? name : join(folder, name));
    const { definition, problems } = readConfiguration(xml, {
      file: 'CrawlConfig.xml',
      env: {},
      pathOf,
      readFile: (name) => {
        const text = folder === undefined ? files[name] : (files[name] ?? readFileSync(pathOf(name), 'utf8'));
        if (text === undefined) throw new Error(`no file ${name}`);
        return text;
      },
    });
    if (!definition)
      throw new Error(
        `the configuration has problems:\n${problems.map((problem) => `${problem.place.line}: ${problem.message}`).join('\n')}`,
      );
    return definition;
  }

  async reconfigure(options: Configured): Promise<void> {
    const definition = this.definition({ ...this.options, ...options });
    await this.options.plugins?.configure(definition.plugins ?? []);
    await this.engine.reconfigure(definition);
  }

  /** Runs until every crawler has nothing left to do that is due within `patience` of now. */
  async untilIdle(patience: Duration = minutes(2)): Promise<void> {
    if (await this.settle(after(this.clock.now(), patience))) return;
    const next = this.clock.nextTimer;
    throw new Error(`the crawl waits for ${next === undefined ? 'nothing' : new Date(next).toISOString()}`);
  }

  /** Lets the crawl work until nothing is due (true), or until nothing can happen before the deadline (false). */
  private async settle(deadline: Instant): Promise<boolean> {
    let quiet = 0;
    let idle = 0;
    let ends = 0;
    for (let looks = 0; ; looks++) {
      if (looks > 2_000_000) throw new Error('the crawl does not come to rest');
      for (let turns = 0; turns < CALM_TURNS; turns++) {
        await slot();
        if (!this.isCalm()) {
          turns = -1;
          if (++ends > MAX_ENDS) throw new Error('visits have no end');
          quiet = idle = 0;
          await this.pending.nextEnd();
        }
      }
      const { busy, active } = await this.look();
      const calm = this.isCalm();
      quiet = busy && calm && !active ? quiet + 1 : 0;
      // What was just read from the store may have given the engine new work.
      idle = !busy && calm ? idle + 1 : 0;
      if (idle === SURELY_IDLE) return true;
      // Nothing happens on the sockets, so the clock has to advance.
      const next = this.clock.nextTimer;
      if (quiet >= SURELY_WAITING && next !== undefined && next <= deadline) {
        this.clock.advanceTo(next);
        quiet = 0;
      } else if (quiet >= SURELY_STUCK) return false;
    }
  }

  /** What the crawlers' views say; one node alone is asked directly, because a world looks half a million times in the gate. */
  private async look(): Promise<{ readonly busy: boolean; readonly active: boolean }> {
    if (this.options.cluster) {
      const views = await this.engine.listCrawlers();
      const busy = views.some(({ idle, pendingOrders }) => !idle || pendingOrders > 0);
      return { busy, active: views.some(({ active }) => active > 0) };
    }
    const crawlers = this.engine['crawlers'].list();
    const busy = crawlers.some((crawler) => !crawler.isIdle() || crawler['pendingOrders'] > 0);
    return { busy, active: crawlers.some((crawler) => crawler['parts'].loop.fetchesInFlight > 0) };
  }

  /** True if nothing is on its way from a site, or to the store or a sink. */
  isCalm(): boolean {
    return this.pending.count === 0;
  }

  /** Lets time pass, and the crawl do what becomes due. */
  async pass(time: Duration): Promise<void> {
    const end = after(this.clock.now(), time);
    for (;;) {
      await this.settle(end);
      const next = this.clock.nextTimer;
      if (next === undefined || next > end) break;
      this.clock.advanceTo(next);
    }
    this.clock.advanceTo(end);
    await this.settle(after(end, minutes(2)));
  }

  /** Waits for the result of a command, and lets time pass for it. */
  async during<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    work.then(end, end);
    while (!ended) {
      await slot();
      await this.settle(after(this.clock.now(), minutes(2)));
    }
    return work;
  }

  async state(url: string, crawler = 'test'): Promise<UrlState | undefined> {
    return this.store.find(crawler, url);
  }

  /** URIs in the index, sorted. */
  async indexed(): Promise<string[]> {
    if (!this.index) throw new Error('this world has no index');
    const url = `${this.index.url}/papi/4/connectors/test/enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS`;
    const text = await (await fetch(url)).text();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => decodeURIComponent(line.split(' ')[0]!.replaceAll('+', ' ')))
      .sort();
  }

  /** The last pushed document of each URI; for a world without an index. */
  pushed(): Map<string, NonNullable<OrderRecord['document']>> {
    return new Map(this.orders().flatMap(({ uri, document }) => (document ? [[uri, document]] : [])));
  }

  private get ordersFile(): string {
    if (this.folder === undefined) throw new Error('this world has an index');
    return join(this.folder, 'orders.jsonl');
  }

  /** Every order that the file sink received. */
  orders(): OrderRecord[] {
    const lines = readFileSync(this.ordersFile, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as OrderRecord);
  }

  /** Ends the crawl; a second call does nothing. */
  close(drain = 0 as Duration): Promise<void> {
    this.closing ??= this.end(drain);
    return this.closing;
  }

  private async end(drain: Duration): Promise<void> {
    await this.engine.drain(drain);
    await this.options.plugins?.close();
    await this.index?.close();
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }
}

const attributeNames = (attributes: string): Set<string> =>
  new Set([...attributes.matchAll(/([\w:-]+)=/g)].map((match) => match[1]!));

const lookupIn =
  (names: Readonly<Record<string, string>>): Lookup =>
  async (name) => {
    const address = names[name];
    if (!address)
      throw Object.assign(new Error(`no address for ${name}`), { code: address === '' ? 'EAI_AGAIN' : 'ENOTFOUND' });
    return [{ address, family: 4 }];
  };

const slot = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function collectingLog(errors: string[]): Log {
  const note = (message: string, particulars?: Readonly<Record<string, unknown>>): void => {
    errors.push(`${message} ${JSON.stringify(particulars ?? {})}`);
  };
  return { debug: () => undefined, info: () => undefined, warn: () => undefined, error: note };
}
