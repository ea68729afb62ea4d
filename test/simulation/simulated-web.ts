import type { ErrorCode } from '../../src/domain/fetch/error-codes.js';
import type { FetchOutcome } from '../../src/domain/fetch/outcome.js';
import { type Duration, type Instant, milliseconds } from '../../src/domain/time/units.js';
import type { Clock } from '../../src/engine/ports/clock.js';
import type { Fetcher, FetchRequest } from '../../src/engine/ports/fetcher.js';
import type { Random } from './random.js';

type PageKind = 'page' | 'gone' | 'redirect' | 'broken' | 'noindex';

interface Page {
  kind: PageKind;
  version: number;
  links: string[];
  target: string;
}

type Mood = 'well' | 'refuses' | 'resets' | 'overloaded' | 'silent' | 'errs';

interface Site {
  readonly host: string;
  readonly pages: Map<string, Page>;
  /** How the whole host behaves now. */
  mood: Mood;
  readonly validators: boolean;
}

/** Seconds that an overloaded host asks for. */
export const RETRY_AFTER_S = 3_600;

export interface Asked {
  readonly host: string;
  readonly path: string;
  readonly from: Instant;
  /** When the answer had come, or the asking process died; undefined while the request is under way. */
  to: Instant | undefined;
  /** The answer asked for rest. */
  wantsRest?: boolean;
}

const TYPE = { 'content-type': 'text/html; charset=utf-8' };
const encoder = new TextEncoder();

/** A web that exists only in memory: its pages change, vanish, fail and move, and it remembers who asked for what, when. */
export class SimulatedWeb {
  readonly asked: Asked[] = [];
  private readonly sites: Site[] = [];
  private faults = true;

  constructor(
    private readonly random: Random,
    hosts: number,
    pagesPerHost: number,
    /** Texts come back, and a page that was away for a while is as before. */
    private readonly recurs = false,
  ) {
    for (let i = 0; i < hosts; i++) this.sites.push(this.makeSite(`h${i}.test`, random.integer(2, pagesPerHost)));
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
      page.target = this.random.pick([...site.pages.keys()]);
      if (!this.recurs) page.version++;
    }
    if (this.random.chance(0.1)) this.addPage(site);
  }

  /** A host has a bad day, or a good one, until it is said otherwise. */
  strike(): void {
    const moods = ['well', 'well', 'refuses', 'resets', 'overloaded', 'silent', 'errs', 'errs'] as const;
    this.random.pick(this.sites).mood = this.random.pick(moods);
  }

  /** No more faults; every page has changed, so that every link is found anew. */
  becomeQuiet(): void {
    this.recover();
    for (const site of this.sites) for (const page of site.pages.values()) page.version++;
  }

  /** No more faults; every page stays as it is. */
  recover(): void {
    this.faults = false;
    for (const site of this.sites) site.mood = 'well';
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
      if (page.kind === 'page') indexed.add(url);
    }
    return indexed;
  }

  /** Is there a page at the URL that belongs into an index? */
  serves(url: string): boolean {
    return this.page(url)?.kind === 'page';
  }

  /** A fetcher that sees this web by the clock given. */
  fetcher(clock: Clock): Fetcher {
    return {
      fetch: (request) => this.fetch(request, clock),
      resolve: async () => '192.0.2.1',
      close: async () => undefined,
    };
  }

  private makeSite(host: string, pages: number): Site {
    const site: Site = { host, pages: new Map(), mood: 'well', validators: this.random.chance(0.5) };
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
    const page = this.sites.find((site) => site.host === host)?.pages.get(pathname);
    return page?.kind === 'gone' || page?.kind === 'broken' ? undefined : page;
  }

  private async fetch(request: FetchRequest, clock: Clock): Promise<FetchOutcome> {
    const url = new URL(request.url);
    const from = clock.now();
    const took = milliseconds(this.faults ? this.random.integer(1, 2_000) : 10);
    const asked: Asked = { host: url.host, path: url.pathname, from, to: undefined };
    this.asked.push(asked);
    await clock.sleep(took);
    asked.to ??= clock.now();
    const answer = this.answer(url, request, took);
    asked.wantsRest = answer.kind === 'response' && answer.status === 503;
    return answer;
  }

  private answer(url: URL, request: FetchRequest, total: Duration): FetchOutcome {
    const timings = { header: total, total };
    const failure = (code: ErrorCode): FetchOutcome => ({ kind: 'failure', code, detail: code, timings });
    const respond = (status: number, headers: Record<string, string> = {}, body = ''): FetchOutcome => {
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
    if (!site) return failure('dns-not-found');
    switch (site.mood) {
      case 'refuses':
        return failure('connection-refused');
      case 'resets':
        if (this.random.chance(0.5)) return failure('connection-reset');
        break;
      case 'overloaded':
        return respond(503, { 'retry-after': String(RETRY_AFTER_S) });
      case 'silent':
        return failure('read-timeout');
      case 'errs':
        return respond(500);
    }
    if (url.pathname === '/robots.txt')
      return respond(200, { 'content-type': 'text/plain' }, 'User-agent: *\nAllow: /\n');
    const page = site.pages.get(url.pathname);
    if (!page || page.kind === 'gone') return respond(404);
    if (page.kind === 'broken') return respond(500);
    if (page.kind === 'redirect') return respond(302, { location: page.target });
    const robots = page.kind === 'noindex' ? '<meta name="robots" content="noindex">' : '';
    const links = page.links.map((link) => `<a href="${link}">x</a>`).join(' ');
    const etag = `"${page.kind} ${page.version} ${page.links.join(' ')}"`;
    if (site.validators && request.ifNoneMatch === etag) return respond(304, { etag });
    const body = `<html lang="en"><head><title>${url.pathname}</title>${robots}</head><body>version ${page.version} ${links}</body></html>`;
    return respond(200, site.validators ? { ...TYPE, etag } : TYPE, body);
  }
}
