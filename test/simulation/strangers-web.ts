/**
 * A healthy host whose pages depend on the time alone, and hosts of strangers that say about it whatever they like: so that what
 * becomes of the healthy host can be compared with what becomes of it without them.
 */
import type { FetchOutcome } from '../../src/domain/fetch/outcome.js';
import { after, hours, type Instant, milliseconds } from '../../src/domain/time/units.js';
import type { Clock } from '../../src/engine/ports/clock.js';
import type { FetchEngine, FetchRequest } from '../../src/engine/ports/fetcher.js';
import type { Respond } from './moods.js';
import { Random } from './random.js';

export const HEALTHY = 'http://well.test';
/** A page below this path is for the staff only. */
export const STAFF = '/staff/';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const links = (hrefs: readonly string[]): string => hrefs.map((href) => `<a href="${href}">link</a>`).join('\n');
const encoder = new TextEncoder();
const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** The archive has this many pages at first, and one more every two hours; each has a link to the next one. */
const ARCHIVED = 32;
const ARCHIVED_IN_THE_END = ARCHIVED + 20;
/** Pages for the staff that no page names. */
const UNNAMED = range(6).map((i) => `${STAFF}unnamed/${i}`);
/** Of so many pages, one names a canonical URL that does not exist. */
const MISTAKEN = 7;

/**
 * Pages, products with a query, pages for the staff, some of which no page names, an archive that grows and answers to any number, and pages with canonical URLs,
 * some of which do not exist: all within the limits of the crawl, but not far below them.
 */
export class HealthyHost {
  readonly paths: readonly string[];
  /** Those that are there from the beginning. */
  readonly firstPaths: readonly string[];
  /** How long each page keeps its text. */
  private readonly ages = new Map<string, number>();
  private readonly validators: boolean;
  private openedAt: Instant | undefined;

  constructor(random: Random) {
    const pages = range(random.integer(20, 40)).map((i) => `/page/${i}`);
    const products = range(random.integer(10, 30)).map((i) => `/product?id=${i}`);
    const staff = range(random.integer(3, 8)).map((i) => `${STAFF}${i}`);
    const archive = range(ARCHIVED_IN_THE_END).map((i) => `/archive/${i}`);
    this.firstPaths = ['/', '/list', ...pages, ...products, ...staff, ...archive.slice(0, ARCHIVED)];
    this.paths = [...this.firstPaths, ...archive.slice(ARCHIVED)];
    for (const path of [...this.paths, ...UNNAMED]) this.ages.set(path, hours(random.integer(5, 60)));
    this.validators = random.chance(0.5);
  }

  answer(path: string, request: FetchRequest, now: Instant, respond: Respond): FetchOutcome {
    if (path === '/robots.txt') return respond(200, { 'content-type': 'text/plain' }, 'User-agent: *\nAllow: /\n');
    // As many servers do.
    const merged = path.replace(/\/{2,}/g, '/').replace(/^\/staff/i, '/staff');
    const archived = Number(/^\/archive\/(\d+)$/.exec(merged)?.[1] ?? -1);
    // Only pages with links that are new teach something about their pattern.
    if (archived >= this.countArchived(now)) {
      const elsewhere = links([`http://strange0.test/archive/${archived}`]);
      return respond(200, HTML, `<title>Archive</title>Nothing was written on this page. ${elsewhere}`);
    }
    if (!this.ages.has(merged)) return respond(404);
    // What a page of the archive links to changes, too.
    const etag = `"${this.getVersion(merged, now)}${archived < 0 ? '' : `-${archived + 1 < this.countArchived(now)}`}"`;
    if (this.validators && request.ifNoneMatch === etag) return respond(304, { etag });
    const number = Number(/^\/page\/(\d+)$/.exec(merged)?.[1] ?? 1);
    const canonical = number % MISTAKEN === 0 ? `<link rel="canonical" href="/canonical/${number}">` : '';
    const body = `<html lang="en"><head><title>${merged}</title>${canonical}</head><body>${this.getText(merged, now)} ${this.getLinks(merged, now)}</body></html>`;
    return respond(200, this.validators ? { ...HTML, etag } : HTML, body);
  }

  private readonly getVersion = (path: string, now: Instant): number => Math.floor(now / this.ages.get(path)!);

  getText(path: string, now: Instant): string {
    return writeText(path, this.getVersion(path, now));
  }

  /** Its home page takes long, so that strangers name its URLs first. */
  getDelay(path: string): number {
    return path === '/' ? 30_000 : 10;
  }

  /** Whether a text is that of a page for the staff. */
  isStaffs(text: string): boolean {
    const paths = this.paths.filter((path) => path.startsWith(STAFF));
    return [...paths, ...UNNAMED].some((path) => text.includes(writeText(path, 0).slice(0, 300)));
  }

  private countArchived(now: Instant): number {
    this.openedAt ??= now;
    return Math.min(ARCHIVED_IN_THE_END, ARCHIVED + Math.floor((now - this.openedAt) / hours(2)));
  }

  private getLinks(path: string, now: Instant): string {
    if (path === '/') return links(['/list', ...this.paths.filter((other) => other.startsWith('/product'))]);
    if (path === '/list')
      return links(['/archive/0', ...this.paths.filter((other) => !/^\/(?:product|archive)/.test(other))]);
    const archived = Number(/^\/archive\/(\d+)$/.exec(path)?.[1] ?? -1) + 1;
    return links(archived > 0 && archived < this.countArchived(now) ? ['/', `/archive/${archived}`] : ['/']);
  }
}

/** Ninety words of the page, and ten that change. */
function writeText(path: string, version: number): string {
  let state = 7;
  for (const letter of path) state = (Math.imul(state, 31) + letter.codePointAt(0)!) >>> 0;
  const [lasting, changing] = [new Random(state), new Random(state + version)];
  const word = (random: Random): string =>
    range(3)
      .map(() => random.pick(['ka', 'lo', 'mi', 'nu', 're', 'sto', 'dra', 'pel', 'fin', 'gu', 'wes', 'hy']))
      .join('');
  return [...range(90).map(() => word(lasting)), ...range(10).map(() => word(changing))].join(' ');
}

type Say = (
  random: Random,
  paths: readonly string[],
  now: Instant,
  healthy: HealthyHost,
) => string | { location: string };

const onHealthy = (path: string): string => HEALTHY + path;

/** What a stranger's page says. */
const SAYINGS = {
  'queries that do not exist': (random) =>
    links(range(random.integer(1, 300)).map((i) => onHealthy(`/product?id=junk${i}`))),
  'pages that do not exist': (random) => links(range(random.integer(1, 300)).map((i) => onHealthy(`/junk/${i}`))),
  'new pages each hour that do not exist': (random, _, now) =>
    links(range(random.integer(1, 60)).map((i) => onHealthy(`/flood/${Math.floor(now / hours(1))}/${i}`))),
  'an endless pattern': (random) =>
    links(range(random.integer(20, 200)).map((i) => onHealthy(`/page/${i}/page/${i + 1}/page/${i % 7}/`))),
  'an endless calendar': (random) =>
    links(range(random.integer(20, 200)).map((i) => onHealthy(`/product?id=${i % 5}&day=${i}&month=${i % 12}`))),
  'pages of its archive that do not exist yet': (random) =>
    links(range(random.integer(60, 300)).map((i) => onHealthy(`/archive/${1_000 + i}`))),
  'the canonical URLs that it names by mistake': (random) =>
    links(range(8).flatMap((i) => (random.chance(0.7) ? [onHealthy(`/canonical/${i * MISTAKEN}`)] : []))),
  'its pages': (random, paths) => links(paths.filter(() => random.chance(0.5)).map(onHealthy)),
  'its pages, written otherwise': (random, paths) =>
    links([
      // In one spelling each, or the plain one would be kept.
      ...UNNAMED.map((path) => onHealthy(random.pick([path.replace('/staff/', '/STAFF/'), `/${path}`]))),
      ...paths
        .filter(() => random.chance(0.5))
        .flatMap((path) => [
          `${HEALTHY}/${path}`,
          `HTTP://WELL.TEST:80${path}#x`,
          `${HEALTHY}.${path}`,
          onHealthy(path.replace('/s', '/%73').replace('/p', '/%70')),
          onHealthy(path.replace('/staff/', '/x/../staff//')),
          onHealthy(path.replace('/staff/', '/STAFF/')),
        ]),
    ]),
  'a canonical URL there': (random, paths) =>
    `<link rel="canonical" href="${onHealthy(random.pick(paths))}">${writeText('canonical', 0)}`,
  'that it has moved there': (random, paths) => ({ location: onHealthy(random.pick(paths)) }),
  'that it has moved to a page that does not exist': (random) => ({
    location: onHealthy(`/moved/${random.integer(1, 50)}`),
  }),
  'that visitors go on there': (random, paths) =>
    `<meta http-equiv="refresh" content="0;url=${onHealthy(random.pick(paths))}">`,
  'what one of its pages says': (random, paths, now, healthy) => {
    const path = random.pick(paths);
    return `<title>${path}</title>${healthy.getText(path, now)}`;
  },
  'who may read': (random, paths) =>
    `<meta name="acl_allow" content="everyone"><meta name="robots" content="noindex">${links(
      paths.filter((path) => path.startsWith(STAFF)).map((path) => `${HEALTHY}/${path}`),
    )}${writeText('who', random.integer(1, 9))}`,
  'a base there': (random) =>
    `<base href="${HEALTHY}/">${links(range(random.integer(1, 100)).map((i) => `based${i}`))}`,
} satisfies Record<string, Say>;
export type Saying = keyof typeof SAYINGS;

/** A host of strangers: what its pages say, how long it thinks, and which sitemaps its robots.txt names. */
export class StrangersHost {
  readonly host: string;
  private readonly sayings: readonly Saying[];
  private readonly seed: number;
  private readonly thinks: number;
  private readonly sitemaps: number;

  constructor(
    random: Random,
    number: number,
    private readonly healthy: HealthyHost,
    first: Saying | undefined,
  ) {
    this.host = `strange${number}.test`;
    const picked = range(random.integer(2, 8)).map(() => random.pick(Object.keys(SAYINGS) as Saying[]));
    this.sayings = first ? [first, ...picked] : picked;
    this.seed = random.integer(1, 1_000_000);
    this.thinks = random.chance(0.3) ? random.integer(1_000, 60_000) : 10;
    this.sitemaps = random.chance(0.4) ? random.integer(1, 200) : 0;
  }

  get delay(): number {
    return this.thinks;
  }

  answer(path: string, now: Instant, respond: Respond): FetchOutcome {
    if (path === '/robots.txt') {
      const sitemaps = range(this.sitemaps).map((i) => `Sitemap: ${HEALTHY}/junk${i}.xml`);
      return respond(200, { 'content-type': 'text/plain' }, ['Sitemap: /sitemap.xml', ...sitemaps].join('\n'));
    }
    if (path === '/sitemap.xml') {
      const urls = [...this.healthy.paths, ...range(100).map((i) => `/mapped/${i}`)].map(
        (path) =>
          `<url><loc>${HEALTHY}${path}</loc><lastmod>2030-01-01</lastmod><changefreq>always</changefreq><priority>1.0</priority></url>`,
      );
      return respond(200, { 'content-type': 'application/xml' }, `<urlset>${urls.join('')}</urlset>`);
    }
    if (path === '/') return respond(200, HTML, `Hello ${links(this.sayings.map((_, i) => `/s${i}`))}`);
    const number = Number(/^\/s(\d+)$/.exec(path)?.[1] ?? -1);
    const saying = this.sayings[number];
    if (!saying) return respond(404);
    const said = (SAYINGS[saying] as Say)(new Random(this.seed + number), this.healthy.paths, now, this.healthy);
    return typeof said === 'string' ? respond(200, HTML, `${said} ${links(['/'])}`) : respond(301, said);
  }
}

/** Both together, for one crawl; it remembers what the healthy host was asked for. */
export class StrangersWeb {
  readonly asked: { path: string; at: Instant }[] = [];

  constructor(
    readonly healthy: HealthyHost,
    readonly strangers: readonly StrangersHost[],
  ) {}

  get roots(): string[] {
    return [HEALTHY, ...this.strangers.map(({ host }) => `http://${host}`)].map((origin) => `${origin}/`);
  }

  fetcher(clock: Clock): FetchEngine {
    return {
      engine: 'http',
      fetch: (request) => this.fetch(request, clock),
      resolve: async (host) => `192.0.2.${this.strangers.findIndex((stranger) => stranger.host === host) + 2}`,
      close: async () => undefined,
    };
  }

  private async fetch(request: FetchRequest, clock: Clock): Promise<FetchOutcome> {
    const { host, pathname, search } = new URL(request.url);
    const stranger = this.strangers.find((candidate) => candidate.host === host);
    const total = milliseconds(stranger?.delay ?? this.healthy.getDelay(pathname));
    const path = decodeURI(pathname) + search;
    if (!stranger && request.url.startsWith(`${HEALTHY}/`)) this.asked.push({ path, at: clock.now() });
    await clock.sleep(total);
    const respond: Respond = (status, headers = {}, body = '') => {
      const bytes = encoder.encode(body);
      const timings = { header: total, total };
      return {
        kind: 'response',
        status,
        headers,
        body: bytes,
        transferred: bytes.length,
        address: '192.0.2.1',
        timings,
      };
    };
    const now = after(clock.now(), milliseconds(0));
    return stranger?.answer(path, now, respond) ?? this.healthy.answer(path, request, now, respond);
  }
}
