/**
 * What a person does to the URLs of a crawler: clear, refresh, forget errors; and the pending file of FDSE.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH, wantedNow } from '../../domain/frontier/sources.js';
import { instant, NEVER, seconds } from '../../domain/time/units.js';
import { hostKey, withoutUserInfo } from '../../domain/url/crawl-url.js';
import { urlKey } from '../../domain/url/url-key.js';
import type { Crawler } from '../crawl/crawler.js';
import { NotFound, type RefreshRequest } from '../engine-api.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, NewUrl, UrlFilter } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import { persistently } from '../support/persistently.js';
import type { Roots } from './roots.js';
import { CLEARED } from './rulings.js';

const PAGE = 1_000;
const RETRY = seconds(1);

/** Shorter numbers are no times but slips or states of another program. */
const PENDING_STATE = /^(?:0|2|[1-9]\d{8,9})$/;

interface MaintenanceServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodes: Nodes;
  readonly roots: Pick<Roots, 'forget'>;
}

export class Maintenance {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly services: MaintenanceServices) {}

  /** Marks the matching URLs, then removes them and their documents in the background; tells how many match. */
  async clear(crawler: Crawler, like: string): Promise<number> {
    const filter: UrlFilter = { crawler: crawler.name, like };
    let count = 0;
    for await (const states of this.pages(filter)) {
      await this.services.store.settle(
        states.map((state) => ({ id: state.id, changes: { pendingDeletion: CLEARED } })),
      );
      count += states.length;
      // A submitted root is a standing wish, and would bring back what was cleared.
      await this.services.roots.forget(
        crawler,
        states.map((state) => state.url),
      );
      this.inBackground(() => this.removeAgain(crawler, states));
    }
    return count;
  }

  /** After a restart: carries on what `clear` had marked. */
  async resume(crawler: Crawler): Promise<void> {
    for await (const states of this.pages({ crawler: crawler.name, pendingDeletion: true })) {
      const cleared = states.filter((state) => state.pendingDeletion === CLEARED);
      if (cleared.length > 0) this.inBackground(() => this.removeAgain(crawler, cleared));
    }
  }

  async refresh(crawler: Crawler, what: RefreshRequest): Promise<number> {
    const now = this.services.clock.now();
    if (what.url === undefined) {
      const filter = { crawler: crawler.name, like: what.like ?? '%', hostKey: what.host, reason: what.reason };
      const count = await this.services.store.makeDue(filter, now, 0);
      await crawler.frontier.sweep(now);
      this.services.nodes.allDue();
      return count;
    }
    const url = crawler.context.canonicalize(what.url);
    const state = url && (await this.services.store.find(crawler.name, url.href));
    if (!state)
      throw new NotFound(
        `${withoutUserInfo(what.url)} is not known to crawler ${crawler.name}; submit it as a root to crawl it`,
      );
    const place = wantedNow(state, now);
    await this.services.store.settle([{ id: state.id, changes: place }]);
    crawler.frontier.admit([{ ...state, ...place }]);
    return 1;
  }

  /** FDSE's Clear Error Cache: forgets the addresses in error; one whose document is still indexed is visited again. */
  async clearErrors(crawler: Crawler): Promise<number> {
    let count = 0;
    for await (const states of this.pages({ crawler: crawler.name, status: 'error' })) {
      for (const state of states) if (await crawler.decide(state, { do: 'forget-error' })) count++;
    }
    await this.readLinksAgain(crawler);
    return count;
  }

  /** A page that has not changed brings no new links, and yet what was forgotten is to be found on it again. */
  private async readLinksAgain(crawler: Crawler): Promise<void> {
    crawler.policySince = this.services.clock.now();
    await this.services.store.putSetting(`policy-since/${crawler.name}`, String(crawler.policySince));
  }

  async *pending(crawler: Crawler): AsyncIterable<string> {
    const realm = encodeURIComponent(crawler.name);
    let after: string | undefined;
    for (;;) {
      const page = await this.services.store.listByUrl(crawler.name, after, PAGE);
      for (const state of page) {
        const number = pendingState(state);
        if (number !== undefined) yield `${state.url} ${realm} ${number}\n`;
      }
      after = page.at(-1)?.url;
      if (after === undefined || page.length < PAGE) return;
    }
  }

  async importPending(
    crawler: Crawler,
    text: string,
  ): Promise<{ imported: number; known: number; problems: readonly string[] }> {
    const problems: string[] = [];
    const lines: { url: NewUrl; state: number }[] = [];
    text.split(/\r?\n/).forEach((line, i) => {
      if (line.trim() === '') return;
      const parsed = this.pendingLine(crawler, line);
      if (typeof parsed === 'string') problems.push(`line ${i + 1}: ${parsed}`);
      else lines.push(parsed);
    });
    let imported = 0;
    for (let i = 0; i < lines.length; i += PAGE) imported += await this.importLines(crawler, lines.slice(i, i + PAGE));
    return { imported, known: lines.length - imported, problems };
  }

  /** Resolves when what runs in the background has ended. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async importLines(crawler: Crawler, lines: { url: NewUrl; state: number }[]): Promise<number> {
    const states = new Map(lines.map((line) => [line.url.url, line.state]));
    const stored = await this.services.store.discover(lines.map((line) => line.url));
    const visited = stored.filter((state) => states.get(state.url) !== 0);
    const changes = visited.map((state) => importedChanges(states.get(state.url)!));
    await this.services.store.settle(visited.map(({ id }, i) => ({ id, changes: changes[i] })));
    const waiting = stored.filter((state) => states.get(state.url) === 0);
    const due = visited.flatMap((state, i) => {
      const place = changes[i]!;
      return place.source === null ? [] : [{ ...state, ...place }];
    });
    crawler.frontier.admit([...waiting, ...due]);
    return stored.length;
  }

  private pendingLine(crawler: Crawler, line: string): { url: NewUrl; state: number } | string {
    const fields = line.trim().split(/\s+/);
    if (fields.length !== 3) return `expected "URL realm state", got ${JSON.stringify(line.slice(0, 200))}`;
    const [raw, realm, stateText] = fields as [string, string, string];
    const { name, context } = crawler;
    if (realm !== name && realm !== encodeURIComponent(name))
      return `the realm ${JSON.stringify(realm.slice(0, 200))} is not that of this crawler, ${encodeURIComponent(name)}`;
    const url = context.canonicalize(raw);
    if (!url) return `${JSON.stringify(raw.slice(0, 200))} is not a URL with a host`;
    const { reason, detail } = context.policy.judge({ url, arrival: 'root', hops: 0 });
    if (reason === 'protocol-not-allowed') return `${JSON.stringify(raw.slice(0, 200))}: ${detail}`;
    if (!PENDING_STATE.test(stateText))
      return `the state ${JSON.stringify(stateText)} is neither 0, 2 nor a Unix time of 9 or 10 digits (from March 1973)`;
    const state = Number(stateText);
    const base = {
      crawler: crawler.name,
      url: url.href,
      key: urlKey(url.href),
      hostKey: hostKey(url),
      hops: 1,
      redirects: 0,
    };
    return {
      state,
      url: {
        ...base,
        source: 3,
        status: 'waiting',
        reason: 'imported',
        arrival: 'link',
        dueAt: this.services.clock.now(),
      },
    };
  }

  private async *pages(filter: UrlFilter): AsyncIterable<UrlState[]> {
    let last = 0;
    for (;;) {
      const page = await this.services.store.list(filter, last, PAGE);
      if (page.length > 0) yield page;
      last = page.at(-1)?.id ?? last;
      if (page.length < PAGE) return;
    }
  }

  private inBackground(work: () => Promise<void>): void {
    const tracked = persistently('clearing URLs', work, this.services)
      .catch((error: unknown) =>
        this.services.log.error('clearing URLs failed; it goes on after a restart', { error: String(error) }),
      )
      .finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }

  /** As they stand by now: some may be gone since the last attempt. */
  private async removeAgain(crawler: Crawler, marked: readonly UrlState[]): Promise<void> {
    await this.removeAll(crawler, await this.services.store.get(marked.map(({ id }) => id)));
  }

  private async removeAll(crawler: Crawler, states: readonly UrlState[]): Promise<void> {
    await Promise.all(states.map((state) => this.remove(crawler, state)));
  }

  private async remove(crawler: Crawler, marked: UrlState): Promise<void> {
    // It may be under way, and its own visit has to end first.
    while (!(await crawler.decide(marked, { do: 'clear' }))) await this.services.clock.sleep(RETRY);
  }
}

/** 0 waiting, 2 error, else the Unix time of the last visit; undefined for what is only recorded: the file would queue it. */
function pendingState(state: UrlState): number | undefined {
  if (state.status === 'error') return 2;
  if (state.lastVisitAt !== undefined) return Math.floor(state.lastVisitAt / 1000);
  return state.source === undefined ? undefined : 0;
}

function importedChanges(state: number) {
  if (state === 2)
    return { status: 'error', reason: 'imported', permanentError: true, source: null, dueAt: NEVER } as const;
  const visitedAt = instant(state * 1000);
  return {
    status: 'visited',
    reason: 'imported',
    lastVisitAt: visitedAt,
    visits: 1,
    source: REFRESH,
    dueAt: visitedAt,
  } as const;
}
