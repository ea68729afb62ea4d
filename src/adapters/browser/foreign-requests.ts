/**
 * Bounds what pages may request from sites of others: the scripts of a page choose these requests, so that they must
 * cost neither the other sites more than a crawler would, nor the name of who runs it.
 */
import { BoundedMap } from '../../domain/bounded-map.js';
import type { ScriptPermit } from '../../engine/ports/page-processor.js';

/** Registrable domain of a host name; undefined for addresses and names without a dot. */
type DomainOf = (hostname: string) => string | undefined;
export type LoadDomains = () => Promise<DomainOf>;

/** Requests that a host may get at once from pages of other sites: data, and the scripts of an application. */
const BURSTS = { data: 10, scripts: 60 } as const;
/** Time after which it may get one more: the default pause of a crawler, and a part of it for scripts, which are shared. */
const PAUSES_MS = { data: 2_500, scripts: 500 } as const;
/** Maximum number of requests to other sites in a minute by all pages of one registrable domain. */
const MAX_PER_MINUTE = 300;
const MAX_SITES = 10_000;

export type ForeignKind = keyof typeof BURSTS;

/** Asks the crawl about a request to a host that it may be crawling. */
export type JudgeRequest = (url: string, isScript: boolean) => Promise<ScriptPermit>;

interface Bucket {
  tokens: number;
  filledAt: number;
}

export class ForeignRequests {
  private readonly buckets = new BoundedMap<string, Bucket>(MAX_SITES);
  private readonly pages = new BoundedMap<string, { count: number; since: number }>(MAX_SITES);
  /** Pauses of hosts that are crawled, as far as they are longer. */
  private readonly hostPauses = new BoundedMap<string, number>(MAX_SITES);
  private domainOf: DomainOf | undefined;

  constructor(
    private readonly loadDomains: LoadDomains,
    private readonly judge: JudgeRequest = async () => ({}),
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether the hosts belong to different registrable domains. */
  async isForeign(pageHost: string, host: string): Promise<boolean> {
    if (pageHost === host) return false;
    this.domainOf ??= await this.loadDomains();
    return this.findSite(pageHost) !== this.findSite(host);
  }

  /** Counts a request to another site; returns why it may not be made. `isForeign` has been awaited before. */
  async admit(pageHost: string, url: URL, kind: ForeignKind): Promise<'limit' | ScriptPermit['refusal']> {
    if (!this.takePlace(pageHost, url.hostname, kind)) return 'limit';
    const { refusal, pause } = await this.judge(url.href, kind === 'scripts');
    if (pause !== undefined) this.hostPauses.set(url.hostname, pause);
    return refusal;
  }

  private takePlace(pageHost: string, host: string, kind: ForeignKind): boolean {
    const now = this.now();
    const site = this.findSite(pageHost);
    const known = this.pages.get(site);
    const page = known && now - known.since < 60_000 ? known : { count: 0, since: now };
    this.pages.set(site, page);
    if (page.count >= MAX_PER_MINUTE || !this.takeToken(host, kind, now)) return false;
    page.count++;
    return true;
  }

  private takeToken(host: string, kind: ForeignKind, now: number): boolean {
    const key = `${kind} ${host}`;
    const pause = Math.max(PAUSES_MS[kind], kind === 'data' ? (this.hostPauses.get(host) ?? 0) : 0);
    const bucket = this.buckets.get(key) ?? { tokens: BURSTS[kind], filledAt: now };
    this.buckets.set(key, bucket);
    bucket.tokens = Math.min(BURSTS[kind], bucket.tokens + (now - bucket.filledAt) / pause);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  private findSite(host: string): string {
    return this.domainOf?.(host) ?? host;
  }
}
