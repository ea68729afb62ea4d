/**
 * One world from one number in which hostile strangers' hosts are crawled beside a healthy one, and the process is restarted. The
 * healthy host's documents, their metas and rights, and what it may have within the limits are the same as without them, and its
 * pages are visited as soon and as often.
 */

import { hash } from 'node:crypto';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { CookieSessions } from '../../src/adapters/sessions/cookie-sessions.js';
import type { PushDocument } from '../../src/domain/push/order.js';
import { after, days, hours, type Instant, milliseconds, minutes } from '../../src/domain/time/units.js';
import { Engine } from '../../src/engine/engine.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Sink } from '../../src/engine/ports/sink.js';
import { ManualClock } from '../support/manual-clock.js';
import { openStoreInThisThread } from '../support/store-in-this-thread.js';
import { Fuse } from './fuse.js';
import { pass, settle } from './passing-time.js';
import { Random } from './random.js';
import { HEALTHY, HealthyHost, type Saying, STAFF, StrangersHost, StrangersWeb } from './strangers-web.js';

const THROTTLE_MS = 2_500;
const DURATION = days(2);
const LIMITS = { maxUrlsPerHost: 150, maxQueryVariants: 40, maxPatternUrls: 30 };
/** In every third world, strangers have room for as many pages as it takes to judge a pattern, and try to teach one. */
const LARGE_LIMIT = 700;
/** What the first stranger says in any case, by the remainder of the seed. */
const FIRST_SAYINGS: readonly (Saying | undefined)[] = [
  'pages of its archive that do not exist yet',
  'its pages, written otherwise',
  undefined,
];
/** Different URLs that strangers have the host asked for: a tenth of its limit, as many that do not exist, both again after the restart. */
const getMostStrange = (limit: number): number => (4 * limit) / 10;
/** Key files that IndexNow asks for within an hour. */
const MOST_WRONG_KEYS = 60;
/** Of its visits, and of its pace, a host may lose this share to strangers. */
const LOST_SHARE = 0.05;

export interface StrangersReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly requests: number;
  readonly strange: number;
}

/** What became of the healthy host. */
interface Outcome {
  readonly documents: ReadonlyMap<string, string>;
  /** Visits of its pages, and what else it was asked for. */
  readonly visits: number;
  readonly others: readonly string[];
  /** When the last of its pages was visited for the first time, in requests' time: the number of throttles since the start. */
  readonly completeAfter: number;
  /** What the store says about each of its URLs. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The patterns of its URLs that were ever taken for endless, as they are stored. */
  readonly endless: ReadonlySet<string>;
  readonly violations: readonly string[];
}

const getLimit = (seed: number): number => (seed % 3 === 0 ? LARGE_LIMIT : LIMITS.maxUrlsPerHost);

export async function runStrangersWorld(seed: number): Promise<StrangersReport> {
  const alone = await crawl(seed, false);
  const beside = await crawl(seed, true);
  return {
    seed,
    violations: [...alone.violations, ...beside.violations, ...compare(alone, beside, getLimit(seed))],
    requests: beside.visits,
    strange: beside.others.length,
  };
}

function compare(alone: Outcome, beside: Outcome, limit: number): string[] {
  const violations: string[] = [];
  for (const [uri, document] of alone.documents) {
    const other = beside.documents.get(uri);
    if (other === undefined) violations.push(`${uri} is missing because of strangers: ${beside.reasons.get(uri)}`);
    else if (other !== document) violations.push(`${uri} is other than without strangers: ${document} | ${other}`);
  }
  for (const patterns of beside.endless)
    if (!alone.endless.has(patterns)) violations.push(`its own URLs were taken for endless: ${patterns}`);
  if (beside.visits < alone.visits * (1 - LOST_SHARE))
    violations.push(`${beside.visits} visits beside strangers, ${alone.visits} without`);
  const strange = new Set(beside.others.filter((path) => !alone.others.includes(path)));
  const keys = [...strange].filter((path) => path.startsWith('/wrong-key')).length;
  if (keys > MOST_WRONG_KEYS) violations.push(`${keys} wrong keys were looked for`);
  if (strange.size - keys > getMostStrange(limit))
    violations.push(`${strange.size - keys} URLs of strangers were visited`);
  const latest = Math.ceil(alone.completeAfter * (1 + LOST_SHARE)) + 1;
  if (beside.completeAfter > latest)
    violations.push(`complete after ${beside.completeAfter} pauses, ${alone.completeAfter} without strangers`);
  return violations;
}

async function crawl(seed: number, hasStrangers: boolean): Promise<Outcome> {
  const random = new Random(seed);
  const healthy = new HealthyHost(random);
  const restartsAfter = milliseconds(random.integer(minutes(1), hours(30)));
  const strangers = Array.from(
    { length: random.integer(1, 5) },
    (_, i) => new StrangersHost(random, i, healthy, i === 0 ? FIRST_SAYINGS[seed % FIRST_SAYINGS.length] : undefined),
  );
  const web = new StrangersWeb(healthy, hasStrangers ? strangers : []);
  const world = new StrangersWorld(web, getLimit(seed));
  await world.run(restartsAfter, random);
  return world.outcome();
}

/** What of a document is the same whenever it was visited. */
const CHANGING: ReadonlySet<string> = new Set(['crawl_time']);

class StrangersWorld {
  private readonly clock = new ManualClock();
  private readonly start = this.clock.now();
  private readonly documents = new Map<string, PushDocument>();
  private readonly violations: string[] = [];
  private readonly reasons = new Map<string, string>();
  private readonly endless = new Set<string>();
  private store!: FrontierStore;
  private engine!: Engine;
  private fuse = new Fuse();

  constructor(
    private readonly web: StrangersWeb,
    private readonly maxUrlsPerHost: number,
  ) {}

  async run(restartsAfter: ReturnType<typeof hours>, random: Random): Promise<void> {
    this.store = await openStoreInThisThread();
    await this.open();
    const submitted = random.chance(0.5);
    await pass(this.clock, minutes(30));
    if (submitted && this.web.strangers.length > 0) await this.submit(random);
    await pass(this.clock, restartsAfter);
    this.fuse.blow();
    await settle();
    await this.open();
    const end = after(this.start, DURATION);
    await pass(this.clock, milliseconds(end - this.clock.now()));
    // Every page is as it is now for both crawls, and visited once more.
    void this.engine.maintenance.refresh('world', { like: `${HEALTHY}/%` });
    await pass(this.clock, hours(1));
    for (const { url, status, reason, canonical, foundOn } of await this.store.list({ crawler: 'world' }, 0, 10_000))
      this.reasons.set(url, `${status}, ${reason}, ${canonical ?? 'named'} on ${foundOn}`);
    this.fuse.blow();
    await this.store.close();
  }

  outcome(): Outcome {
    const own = new Set(this.web.healthy.paths);
    const visits = this.web.asked.filter(({ path }) => own.has(path));
    const first = new Map<string, Instant>();
    for (const { path, at } of visits) if (!first.has(path)) first.set(path, at);
    const last = Math.max(...this.web.healthy.firstPaths.map((path) => first.get(path) ?? Number.POSITIVE_INFINITY));
    // Two pages that consist mostly of links may be near duplicates of each other.
    for (const path of this.web.healthy.paths.slice(2))
      if (!this.documents.has(HEALTHY + path))
        this.violations.push(`${path} is not in the index: ${this.reasons.get(HEALTHY + path)}`);
    return {
      documents: new Map([...own].flatMap((path) => this.describe(HEALTHY + path))),
      visits: visits.length,
      others: this.web.asked.filter(({ path }) => !own.has(path)).map(({ path }) => path),
      completeAfter: Math.ceil((last - this.start) / THROTTLE_MS),
      reasons: this.reasons,
      endless: this.endless,
      violations: this.violations,
    };
  }

  private describe(uri: string): [string, string][] {
    const document = this.documents.get(uri);
    if (!document) return [];
    const metas = document.metas.filter(({ name }) => !CHANGING.has(name)).map(({ name, value }) => `${name}=${value}`);
    return [[uri, [document.text, ...metas.sort()].join('\n')]];
  }

  /** Anybody may say that pages have changed, with keys that are wrong. */
  private async submit(random: Random): Promise<void> {
    for (let i = 0; i < random.integer(1, 100); i++) {
      const submission = {
        host: 'well.test',
        key: `wrong-key-${i}`,
        keyLocation: `${HEALTHY}/wrong-key-${i}.txt`,
        urls: this.web.healthy.paths.map((path) => HEALTHY + path),
      };
      const answered = this.engine.indexNow.submit(submission, `10.0.${i}.0`);
      await pass(this.clock, milliseconds(THROTTLE_MS + 100));
      void answered.then(({ status }) => {
        if (status === 200) this.violations.push('a wrong key was accepted');
      });
    }
  }

  private async open(): Promise<void> {
    this.fuse = new Fuse();
    const { fuse } = this;
    const clock = fuse.clock(this.clock);
    this.engine = new Engine({
      store: this.openStore(fuse),
      clock,
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: (message, more) => this.violations.push(`${message} ${JSON.stringify(more)}`),
      },
      cron: () => undefined,
      loadDomains: async () => (host) => host.split('.').slice(-2).join('.'),
      sessions: new CookieSessions(),
      createSink: () => fuse.guard(this.createSink()),
      processor: new LocalPageProcessor({
        createEngines: () => [fuse.guard(this.web.fetcher(clock))],
        reader: createPageReader(),
        clock,
        digest: (content) => hash('sha256', content, 'hex'),
      }),
    });
    void this.engine.open(this.definition()).catch((error: unknown) => this.violations.push(String(error)));
    await settle();
  }

  private openStore(fuse: Fuse): FrontierStore {
    const guarded = fuse.guard(this.store);
    const putSetting: FrontierStore['putSetting'] = (name, value) => {
      if (value !== undefined && name === `endless/world/${new URL(HEALTHY).host}`) this.endless.add(value);
      return guarded.putSetting(name, value);
    };
    return Object.assign(Object.create(guarded) as FrontierStore, { close: async () => undefined, putSetting });
  }

  private createSink(): Sink {
    return {
      name: 'main',
      deliver: async (batch) =>
        batch.map((order) => {
          if (order.kind === 'add') this.add(order.uri, order.document);
          else this.documents.delete(order.uri);
          return { state: 'acknowledged' };
        }),
      close: async () => undefined,
    };
  }

  private add(uri: string, document: PushDocument): void {
    this.documents.set(uri, document);
    const readers = document.metas.filter(({ name }) => name === 'acl_allow').map(({ value }) => value);
    if (uri.startsWith(HEALTHY) && this.web.healthy.isStaffs(document.text) && readers.join() !== 'staff')
      this.violations.push(`${uri} is for the staff and may be read by ${readers.join()}`);
  }

  private definition() {
    const roots = this.web.roots.map((url) => `<Root url="${url}" site="false"/>`).join('');
    const limits = Object.entries({ ...LIMITS, maxUrlsPerHost: this.maxUrlsPerHost })
      .map(([name, limit]) => `${name}="${limit}"`)
      .join(' ');
    const { definition, problems } = readConfiguration(
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
        <Crawler name="world" nthreads="8" throttleTimeMS="${THROTTLE_MS}" defaultAccept="true" crawlSitemaps="true" nearDuplicateDetector="true"
                 smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="43200">
          ${roots}<cw:Traps ${limits}/>
          <cw:Acl default="everyone"><cw:AclRule url="${HEALTHY}/" allow="everyone"/><cw:AclRule url="${HEALTHY}${STAFF}" allow="staff"/></cw:Acl><cw:PushTo sink="main"/></Crawler>
        <cw:Fetcher name="default"/><cw:Sink name="main" type="json" url="http://127.0.0.1:1/"/></CrawlConfig>`,
      { file: 'world.xml', env: {}, readFile: () => '' },
    );
    if (!definition) throw new Error(problems.map((problem) => problem.message).join('; '));
    return definition;
  }
}
