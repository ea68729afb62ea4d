import type { FetchOutcome } from '../../src/domain/fetch/outcome.js';
import { type Duration, type Instant, milliseconds } from '../../src/domain/time/units.js';
import type { Clock } from '../../src/engine/ports/clock.js';
import type { FetchEngine, FetchRequest } from '../../src/engine/ports/fetcher.js';
import { ALL_MOODS, answerInMood, type Mood, type Respond } from './moods.js';
import type { Random } from './random.js';

type PageKind = 'page' | 'gone' | 'redirect' | 'broken' | 'noindex';

interface Page {
  kind: PageKind;
  version: number;
  links: string[];
  target: string;
  /** What the page names as its canonical URL. */
  canonical?: string;
  /** Sections of the page by their ids, with the version of each. */
  sections?: Map<string, number>;
  /** Whether the last answer said `noindex` because of the host's template. */
  saidByTemplate?: boolean;
  /** Whether the page has said `noindex` itself since it was last visible: what its template says then is nothing new. */
  hasForbidden?: boolean;
  /** Whether the last answer was not the page's own. */
  hasLapsed?: boolean;
  /** The last answer that was. */
  cached?: string;
}

interface Site {
  readonly host: string;
  readonly pages: Map<string, Page>;
  /** How the whole host behaves now. */
  mood: Mood;
  readonly validators: boolean;
  /** What the host answers to everybody now, with a good status. */
  wall?: Wall;
  /** How many times it has begun to do so. */
  walls: number;
  /** Two thirds of the pages that were indexed when it began to do so. */
  closed?: ReadonlySet<string>;
}

/** Good statuses with wrong contents, for all pages of a host or for half of them. */
export const WALLS = ['maintenance', 'maintenance of half', 'nothing', 'noindex'] as const;
/** Wrong directives, redirects and replies of all pages of a host, and pages that move for good. */
export const WAVES = [
  'canonical',
  'robots',
  'redirects to maintenance',
  'redirects to a failure',
  'redirects to noindex',
  'cut replies',
  'a cookie check',
  'moved pages',
] as const;
/** Faults of some pages, or of some answers: the others are well meanwhile. */
export const LAPSES = [
  'a form on half',
  'a form now and then',
  'texts of other pages',
  'noindex on two thirds',
  'redirects to copies',
] as const;
/** Faults of sites that are too small to show by their other pages what is one. */
export const SMALL_SITES = [
  'maintenance',
  'nothing',
  'redirects to maintenance',
  'redirects to a failure',
  'cut replies',
  'a cookie check',
  'a form now and then',
  'noindex now and then',
] as const;
export type Wall = (typeof WALLS | typeof WAVES | typeof LAPSES | typeof SMALL_SITES)[number];

/** Where a host sends all its visitors while it is ill. */
const OUT = '/out';

/** The beginning of a text that is that of no page. */
const WALL_TEXT = 'This site is being worked on';
/** Says nothing of an outage. */
const FORM_TEXT = `Welcome to the new portal of our members, who find all they need in one place here. Choose a name and a
  colour to begin with, and then tell us which of our many offers you would like to see first of all.`;

export interface Asked {
  readonly host: string;
  readonly path: string;
  readonly from: Instant;
  /** When the answer had come, or the asking process died; undefined while the request is in flight. */
  to: Instant | undefined;
  /** The answer asked for rest. */
  wantsRest?: boolean;
  /** What the answer really was, whatever the crawler makes of it; undefined: it came from no page, or never came. */
  truth?: 'good' | 'gone' | 'fault';
}

const TYPE = { 'content-type': 'text/html; charset=utf-8' };
const encoder = new TextEncoder();

/** A web that exists only in memory: its pages change, vanish, fail and move, and it remembers who asked for what, when. */
export class SimulatedWeb {
  readonly asked: Asked[] = [];
  /** Whether the index has a text of its own of a URL, or that of the answer if one is given. */
  isIndexed: (url: string, html?: string) => boolean = () => false;
  private readonly sites: Site[] = [];
  private faults = true;
  private manyWays = false;
  private longTexts = false;
  private grows = true;

  constructor(
    private readonly random: Random,
    hosts: number,
    pagesPerHost: number,
    /** Texts come back, and a page that was away for a while is as before. */
    private readonly recurs = false,
    fewestPages = 2,
  ) {
    for (let i = 0; i < hosts; i++)
      this.sites.push(this.makeSite(`h${i}.test`, random.integer(fewestPages, pagesPerHost)));
    for (const site of this.sites) for (const [path, page] of site.pages) page.links = this.someLinks(site, path);
  }

  get roots(): string[] {
    return this.sites.map((site) => `http://${site.host}/`);
  }

  /** One thing changes somewhere. */
  mutate(): void {
    const site = this.random.pick(this.sites);
    const path = this.random.pick([...site.pages.keys()]);
    const page = site.pages.get(path)!;
    const dice = this.random.next();
    if (dice < 0.1 && !this.recurs)
      site.mood = this.random.pick([
        'well',
        'well',
        'refuses',
        'resets',
        'overloaded',
        'overloaded',
        'silent',
      ] as const);
    else if (dice < 0.45) this.change(page);
    else if (dice < 0.6) {
      page.links = this.someLinks(site, path);
      this.change(page);
    } else if (path !== '/') {
      page.kind = this.random.pick(['page', 'page', 'page', 'gone', 'redirect', 'broken', 'noindex'] as const);
      // Redirects are the subject of other worlds.
      if (this.longTexts && page.kind === 'redirect') page.kind = 'page';
      page.target = this.random.pick([...site.pages.keys()]);
      if (!this.recurs) page.version++;
    }
    if (this.grows && this.random.chance(0.1)) this.addPage(site);
  }

  /** A host has a bad day, or a good one, until it is said otherwise. */
  strike(): void {
    const moods = ['well', 'well', 'refuses', 'resets', 'overloaded', 'silent', 'errs', 'errs'] as const;
    this.random.pick(this.sites).mood = this.random.pick(moods);
  }

  /** A host has a day of any kind at all, or loses many of its pages, some of them until it is said otherwise. */
  haveADay(): void {
    const site = this.random.pick(this.sites);
    site.mood = this.random.chance(0.4) ? 'well' : this.random.pick(ALL_MOODS);
    if (!this.random.chance(0.1)) return;
    const kind = this.random.pick(['gone', 'page'] as const);
    for (const [path, page] of site.pages) if (path !== '/' && this.random.chance(0.6)) page.kind = kind;
  }

  /** From now on links are written in any of the ways that mean the same URL, and canonical links come and go. */
  writeInManyWays(): void {
    this.manyWays = true;
  }

  /** From now on pages have texts that are long enough to be guarded. */
  writeLongTexts(): void {
    this.longTexts = true;
  }

  /** From now on there are no new pages. */
  stopGrowing(): void {
    this.grows = false;
  }

  /** A host begins to say the same everywhere, or no longer does. */
  raiseWall(kinds: readonly Wall[] = WALLS): void {
    const site = this.random.pick(this.sites);
    const wall = site.wall === undefined ? this.random.pick(kinds) : undefined;
    if (wall === 'moved pages') this.movePages(site);
    else site.wall = wall;
    if (wall !== undefined) site.walls++;
    const indexed = [...site.pages].filter(([path]) => this.isIndexed(`http://${site.host}${path}`));
    // A few of few pages may have been closed on purpose.
    site.closed = new Set(indexed.length < 16 ? [] : indexed.filter((_, i) => i % 3 !== 0).map(([path]) => path));
  }

  /** Pages get addresses of their own, some of which do not exist, and redirect there. */
  private movePages({ pages }: Site): void {
    const number = this.random.integer(1, 99);
    for (const [path, page] of [...pages]) {
      if (path === '/' || page.kind !== 'page' || this.random.chance(0.2)) continue;
      const target = `/m${number}${path}`;
      if (this.random.chance(0.9))
        pages.set(target, { kind: 'page', version: page.version, links: page.links, target: '/' });
      page.kind = 'redirect';
      page.target = target;
    }
  }

  /** Where a page redirects to, if that is a page. */
  findTarget(url: string): string | undefined {
    const page = this.page(url);
    if (page?.kind !== 'redirect') return undefined;
    const target = new URL(page.target, url).href;
    return this.serves(target) ? target : undefined;
  }

  /** Whether a page has forbidden its indexing only because its host's template did. */
  isSaidByTemplate(url: string): boolean {
    const page = this.page(url);
    return page?.kind === 'page' && page.saidByTemplate === true && !page.hasForbidden;
  }

  /** The text of a page, by its path and version. */
  textOf(url: string): string | undefined {
    const page = this.page(url);
    return page && this.writeText(new URL(url).pathname, page.version);
  }

  /** Whether the page has, or had, the text. */
  hasSaid(url: string, text: string): boolean {
    const { host, pathname } = new URL(url);
    const newest = this.sites.find((site) => site.host === host)?.pages.get(pathname)?.version ?? -1;
    const versions = Array.from({ length: Math.max(newest, this.recurs ? 2 : 0) + 1 }, (_, version) => version);
    return newest >= 0 && versions.some((version) => text.startsWith(this.writeText(pathname, version)));
  }

  private writeText(path: string, version: number): string {
    if (!this.longTexts) return `version ${version}`;
    const write = numberOf(path) % 3 === 1 ? figure : textWord;
    return Array.from({ length: 50 }, (_, i) => write(`${path} ${version}`, i)).join(' ');
  }

  /** A template changes: a page names another one as its canonical URL, or no longer does. */
  nameCanonical(): void {
    const site = this.random.pick(this.sites);
    const paths = [...site.pages.keys()];
    const path = this.random.pick(paths);
    const page = site.pages.get(path)!;
    page.canonical = path === '/' || page.canonical !== undefined ? undefined : this.random.pick(paths);
    page.version++;
  }

  /** Some of the sections of a page come, go, change or change places. */
  changeSections(): void {
    const page = this.random.pick([...this.random.pick(this.sites).pages.values()]);
    page.sections ??= new Map();
    for (let times = this.random.integer(1, 4); times > 0; times--) {
      const id = `s${this.random.integer(1, 8)}`;
      const version = page.sections.get(id) ?? 0;
      if (this.random.chance(0.4)) page.sections.delete(id);
      else page.sections.set(id, this.random.chance(0.3) ? version : this.random.integer(0, 99));
    }
    // A page that loses all of them at once is what the deletion guard is about.
    if (this.random.chance(0.1)) page.sections.clear();
    if (this.random.chance(0.3)) page.sections = new Map([...page.sections].reverse());
  }

  /** The texts of the sections of a page by the URIs that their documents have. */
  sectionsOf(url: string): ReadonlyMap<string, string> {
    const sections = this.serves(url) ? (this.page(url)?.sections ?? []) : [];
    return new Map([...sections].map(([id, version]) => [`${url}#${id}`, textOfSection(id, version)]));
  }

  /** No more faults; every page stays as it is. */
  recover(): void {
    this.faults = false;
    for (const site of this.sites) {
      site.mood = 'well';
      site.wall = undefined;
    }
  }

  /** Most pages of every host are gone, and stay so. */
  loseMost(): void {
    for (const { pages } of this.sites)
      for (const [path, page] of pages) if (path !== '/' && this.random.chance(0.8)) page.kind = 'gone';
  }

  /** Some pages fail on hosts that are well; no page that links to them changes. Gives them back as they were. */
  breakSome(): () => void {
    const pages = this.sites.flatMap((site) =>
      [...site.pages].filter(([path]) => path !== '/').map(([, page]) => page),
    );
    const broken = pages.filter(({ kind }) => kind === 'page' && this.random.chance(0.2));
    for (const page of broken) page.kind = 'broken';
    return () => {
      for (const page of broken) page.kind = 'page';
    };
  }

  /** To another text, which it may have had before. */
  private change(page: Page): void {
    page.version = this.recurs ? this.random.integer(0, 2) : page.version + 1;
  }

  /** The asking process has died, and its connections with it. */
  hangUp(now: Instant): void {
    for (let i = this.asked.length - 1; i >= 0 && i > this.asked.length - 100; i--) this.asked[i]!.to ??= now;
  }

  /** URLs that a crawl of the quiet web has to have in its index, by a walk of its own over what it may visit. */
  truth(mayVisit: (url: string) => boolean = () => true): Set<string> {
    const indexed = new Set<string>();
    const seen = new Set<string>();
    const queue = [...this.roots];
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      if (seen.has(url) || !mayVisit(url)) continue;
      seen.add(url);
      const page = this.page(url);
      if (!page) continue;
      if (page.kind === 'redirect') queue.push(new URL(page.target, url).href);
      else if (page.kind === 'page' || page.kind === 'noindex')
        queue.push(...page.links.map((link) => new URL(link, url).href));
      if (page.canonical !== undefined && page.kind === 'page') queue.push(new URL(page.canonical, url).href);
      if (page.kind === 'page') indexed.add(url);
    }
    return indexed;
  }

  /** The other page that a page names as its canonical URL. */
  canonicalOf(url: string): string | undefined {
    const canonical = this.page(url)?.canonical;
    const target = canonical === undefined ? undefined : new URL(canonical, url).href;
    return target === url ? undefined : target;
  }

  /** Is there a page at the URL that belongs into an index? */
  serves(url: string): boolean {
    return this.page(url)?.kind === 'page';
  }

  /** A fetcher that sees this web by the clock given. */
  fetcher(clock: Clock): FetchEngine {
    return {
      engine: 'http',
      fetch: (request) => this.fetch(request, clock),
      resolve: async () => '192.0.2.1',
      close: async () => undefined,
    };
  }

  private makeSite(host: string, pages: number): Site {
    const site: Site = { host, pages: new Map(), mood: 'well', validators: this.random.chance(0.5), walls: 0 };
    site.pages.set('/', { kind: 'page', version: 0, links: [], target: '/' });
    for (let i = 1; i < pages; i++) this.addPage(site);
    return site;
  }

  private addPage(site: Site): void {
    site.pages.set(`/p${site.pages.size}`, { kind: 'page', version: 0, links: [], target: '/' });
  }

  private someLinks(site: Site, from: string): string[] {
    const paths = [...site.pages.keys()];
    const links = Array.from({ length: this.random.integer(1, 6) }, () => this.random.pick(paths));
    if (from === '/') links.push(...paths.filter(() => this.random.chance(0.5)));
    if (this.random.chance(0.1)) links.push(`http://${this.random.pick(this.sites).host}/`);
    return links;
  }

  private page(url: string): Page | undefined {
    const { host, pathname } = new URL(url);
    const page = this.sites.find((site) => site.host === host)?.pages.get(decodeURI(pathname));
    return page?.kind === 'gone' || page?.kind === 'broken' ? undefined : page;
  }

  private async fetch(request: FetchRequest, clock: Clock): Promise<FetchOutcome> {
    const url = new URL(request.url);
    const from = clock.now();
    const took = milliseconds(this.faults ? this.random.integer(1, 2_000) : 10);
    const asked: Asked = { host: url.host, path: decodeURI(url.pathname), from, to: undefined };
    this.asked.push(asked);
    await clock.sleep(took);
    const answer = this.answer(url, request, took, asked);
    asked.to ??= clock.now();
    asked.wantsRest = answer.kind === 'response' && answer.status === 503;
    return answer;
  }

  private answer(url: URL, request: FetchRequest, total: Duration, asked: Asked): FetchOutcome {
    const timings = { header: total, total };
    const respond: Respond = (status, headers = {}, body = '') => {
      const bytes = encoder.encode(body);
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
    const site = this.sites.find((candidate) => candidate.host === url.host);
    const page = site?.pages.get(decodeURI(url.pathname));
    const failed = answerInMood(site?.mood ?? 'nameless', {
      path: url.pathname,
      isPage: page !== undefined,
      chance: (share) => this.random.chance(share),
      respond,
      failure: (code) => ({ kind: 'failure', code, detail: code, timings }),
    });
    if (page || url.pathname === '/robots.txt') asked.truth = failed ? 'fault' : truthOf(page);
    if (failed) return failed;
    // Every second one: a host of which all fail may be down, and what happens then is the subject of other worlds.
    if (site?.wall === 'cut replies' && url.pathname !== '/robots.txt' && this.asked.length % 2 === 0)
      return { kind: 'failure', code: 'body-truncated', detail: 'body-truncated', timings };
    return this.answerWithWall(site!, url, request, respond) ?? this.healthy(site!, url, request, respond);
  }

  private answerWithWall(site: Site, url: URL, request: FetchRequest, respond: Respond): FetchOutcome | undefined {
    const path = url.pathname;
    const { wall } = site;
    if (wall === 'robots' && path === '/robots.txt')
      return respond(200, { 'content-type': 'text/plain' }, 'User-agent: *\nDisallow: /\n');
    if (wall === undefined || wall.startsWith('noindex') || path === '/robots.txt') return undefined;
    if (wall === 'a cookie check') return askForCookie(url, request, respond);
    if ((WAVES as readonly Wall[]).includes(wall)) return this.answerInWave(site, path, respond);
    if ((LAPSES as readonly Wall[]).includes(wall)) return this.answerInLapse(site, url, respond);
    if (wall === 'maintenance of half' && numberOf(path) % 2 === 0) return undefined;
    const text = wall === 'nothing' ? '' : `${WALL_TEXT} until ${this.random.integer(1, 24)}:00 o'clock.`;
    return respond(200, TYPE, `<html lang="en"><head><title>Back soon</title></head><body>${text}</body></html>`);
  }

  private answerInLapse(site: Site, { pathname: path }: URL, respond: Respond): FetchOutcome | undefined {
    const form = `<html lang="en"><head><title>Portal</title></head><body>${FORM_TEXT}</body></html>`;
    const page = site.pages.get(path);
    switch (site.wall) {
      case 'a form on half':
        // What pages were once redirected to may be taken for a page, which then takes their place.
        return numberOf(path) % 2 === 0 || path.startsWith(OUT) ? undefined : respond(200, TYPE, form);
      case 'a form now and then':
        if (page?.kind !== 'page') return undefined;
        return this.lapses(page) ? respond(200, TYPE, form) : undefined;
      // A cache, which all get their answers from, has mixed up what it has.
      case 'texts of other pages': {
        const name = numberOf(path) % 7 === 3 ? `/p${numberOf(path) + 1}` : path;
        const { cached = '' } = site.pages.get(name) ?? {};
        const hasCached = page?.kind === 'page' && this.isIndexed(`http://${site.host}${name}`, cached);
        return hasCached ? respond(200, TYPE, cached) : undefined;
      }
      case 'redirects to copies': {
        // Of pages that have something to lose.
        // At addresses of its own each time, because the former ones may have been taken for pages meanwhile.
        const out = `${OUT}${site.walls}`;
        const source = path.startsWith(out) ? path.slice(out.length) : path;
        if (!this.isIndexed(`http://${site.host}${source}`)) return undefined;
        if (source !== path) return respond(200, TYPE, form);
        return respond(site.validators ? 301 : 302, { location: out + path });
      }
      default:
        return undefined;
    }
  }

  /** Now and then, never twice: a page that is wrong twice while the others are well may have been rewritten. */
  private lapses(page: Page): boolean {
    page.hasLapsed = !page.hasLapsed && this.random.chance(this.grows ? 0.1 : 0.5);
    return page.hasLapsed;
  }

  private answerInWave({ wall, validators }: Site, path: string, respond: Respond): FetchOutcome | undefined {
    if (!wall?.startsWith('redirects')) return undefined;
    const status = validators ? 301 : 302;
    if (!path.startsWith(OUT)) return respond(status, { location: wall === 'redirects to noindex' ? OUT + path : OUT });
    if (wall === 'redirects to a failure') return respond(500);
    const robots = wall === 'redirects to noindex' ? '<meta name="robots" content="noindex">' : '';
    const body = `<html lang="en"><head><title>Back soon</title>${robots}</head><body>${WALL_TEXT}.</body></html>`;
    return respond(200, TYPE, body);
  }

  private healthy(site: Site, url: URL, request: FetchRequest, respond: Respond): FetchOutcome {
    if (url.pathname === '/robots.txt')
      return respond(200, { 'content-type': 'text/plain' }, 'User-agent: *\nAllow: /\n');
    const page = site.pages.get(decodeURI(url.pathname));
    if (!page || page.kind === 'gone') return respond(404);
    if (page.kind === 'broken') return respond(500);
    if (page.kind === 'redirect') return respond(302, { location: page.target });
    const isClosed =
      site.wall === 'noindex' ||
      (site.wall === 'noindex on two thirds' && site.closed?.has(url.pathname) === true) ||
      (site.wall === 'noindex now and then' && this.lapses(page));
    page.saidByTemplate = (isClosed && page.kind !== 'noindex') || site.wall === 'canonical';
    const isHidden = page.kind === 'noindex' || isClosed;
    page.hasForbidden = isHidden && (page.hasForbidden || page.kind === 'noindex');
    const robots = isHidden ? '<meta name="robots" content="noindex">' : '';
    const named = site.wall === 'canonical' ? '/' : page.canonical;
    const canonical = named === undefined ? '' : `<link rel="canonical" href="${named}">`;
    const ways = page.links.map((link, i) => (this.manyWays ? inSomeWay(link, site.host, page.version + i) : link));
    const links = ways.map((link) => `<a href="${link}">x</a>`).join(' ');
    const sections = [...(page.sections ?? [])];
    const etag = `"${page.kind} ${page.version} ${page.links.join(' ')} ${sections.join(' ')}"`;
    if (site.validators && !page.saidByTemplate && request.ifNoneMatch === etag) return respond(304, { etag });
    const body = `<html lang="en"><head><title>${url.pathname}</title>${robots}${canonical}</head><body>${this.writeText(url.pathname, page.version)} ${links}${sections.map(asHtml).join('')}</body></html>`;
    if (!isHidden) page.cached = body;
    return respond(200, site.validators && !page.saidByTemplate ? { ...TYPE, etag } : TYPE, body);
  }
}

/** Every page leads visitors without a cookie to a page that sets it and sends them back. */
function askForCookie({ pathname, searchParams }: URL, { session }: FetchRequest, respond: Respond) {
  if (pathname === '/check')
    return respond(302, { location: searchParams.get('next') ?? '/', 'set-cookie': 'checked=1; path=/' });
  return session?.cookies?.includes('checked=1') ? undefined : respond(302, { location: `/check?next=${pathname}` });
}

const numberOf = (path: string): number => Number(/\d+$/.exec(path)?.[0] ?? 0);

/** A number of up to eight digits, always the same for a seed and a number. */
function figure(seed: string, number: number): string {
  let hash = 7;
  for (const letter of `${seed} ${number}`) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0;
  return String(Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 8);
}

/** One of 400 words, always the same for a seed and a number. */
function textWord(seed: string, number: number): string {
  const word = Number(figure(seed, number));
  return (
    ['ka', 'lo', 'mi', 'nu', 're'][word % 5]! +
    ['st', 'rd', 'ng', 'lp'][(word >>> 4) % 4]! +
    String.fromCharCode(97 + ((word >>> 7) % 20))
  );
}

const textOfSection = (id: string, version: number): string => `section ${id} ${version}`;
const asHtml = ([id, version]: readonly [string, number]): string =>
  `<section id="${id}">${textOfSection(id, version)}</section>`;

/** The same URL, written as people and programs do. */
function inSomeWay(link: string, host: string, number: number): string {
  if (!link.startsWith('/')) return link;
  const ways = [
    link,
    link.replace('/p', '/%70'),
    `http://${host}:80${link}`,
    `HTTP://${host.toUpperCase()}${link}#x`,
    `http://${host}.${link.replace('/p', '/x/../p')}`,
  ];
  return ways[number % ways.length]!;
}

function truthOf(page: Page | undefined): Asked['truth'] {
  if (!page) return undefined;
  if (page.kind === 'gone') return 'gone';
  return page.kind === 'page' || page.kind === 'noindex' ? 'good' : 'fault';
}
