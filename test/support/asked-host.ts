/**
 * A host of indexed pages and its change guard, over a real store: `visit` does what a visit of the crawl does with what
 * the guard returns.
 */
import { onTestFinished } from 'vitest';
import { createTextSample } from '../../src/domain/content/text-sample.js';
import { computeTextSketch } from '../../src/domain/content/text-sketch.js';
import type { NonsenseAnswer } from '../../src/domain/crawl/change-guard.js';
import type { CrawlerDefinition } from '../../src/domain/crawl/definition.js';
import { createExclusion } from '../../src/domain/crawl/exclusion.js';
import type { StateChanges, UrlState } from '../../src/domain/crawl/url-state.js';
import type { Reason } from '../../src/domain/policy/reasons.js';
import { type Instant, milliseconds } from '../../src/domain/time/units.js';
import { toCrawlUrl } from '../../src/domain/url/crawl-url.js';
import { ChangeGuard } from '../../src/engine/crawl/evidence/change-guard.js';
import { Ledger } from '../../src/engine/crawl/outcome/ledger.js';
import type { CrawlContext } from '../../src/engine/page/crawl-context.js';
import type { PageOutcome, PageResult } from '../../src/engine/ports/page-task.js';
import { crawlerDefinition } from './crawler-definition.js';
import { discovered, newUrl } from './frontier-samples.js';
import { ManualClock } from './manual-clock.js';
import { write } from './page-answers.js';
import { openStoreInThisThread } from './store-in-this-thread.js';

export { write };

/** What a host says for every page. */
export const WALL = write(900);
/** A text that has much in common with that of page 1, and is no shorter. */
export const RELATED = [...write(1).split(' ').slice(12), ...write(901).split(' ').slice(0, 12)].join(' ');

const VISIT_TIME = milliseconds(100);

/** What a page says at a visit. */
export type Says = (state: UrlState) => PageOutcome;

export const same: Says = () => ({ kind: 'unchanged' });
export const fails =
  (code: 'http-404' | 'http-5xx'): Says =>
  () => ({ kind: 'error', code, detail: '' });
export const says =
  (text: string, more: { index?: boolean; reason?: Reason; canonical?: string } = {}): Says =>
  ({ url, textSketch }) => {
    const own = computeTextSketch(text);
    const sample = createTextSample({ title: '', text }, toCrawlUrl(url), own, textSketch);
    const facts = { stamp: text, contentType: 'text/html', title: '', hasText: true, sample, textSketch: own };
    return { kind: 'document', index: true, reason: 'indexed', facts, ...more };
  };
/** A page with its own text and a directive. */
export const leftOut =
  (reason: Reason): Says =>
  (state) =>
    says(write(state.id), { index: false, reason })(state);
export const excluded =
  (reason: Reason, byConfiguration?: boolean): Says =>
  () => ({ ...createExclusion(reason, undefined), byConfiguration });

export const urlOf = (page: number) => `http://a.example/${page}`;
const pageOf = ({ url }: Pick<UrlState, 'url'>) => Number(url.slice('http://a.example/'.length));

/** A host with indexed pages 1, 2, …, each of which says what is indexed unless `site` has another answer. */
export async function siteOf(count: number, settings: Partial<CrawlerDefinition> = {}) {
  const store = await openStoreInThisThread();
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const ledger = new Ledger(store, clock);
  await ledger.open();
  const urls = Array.from({ length: count }, (_, i) => newUrl(urlOf(i + 1)));
  for (const { id } of await discovered(store, ...urls)) {
    const stamp = `c1-${String(id).padStart(32, '0')}${'f'.repeat(32)}`;
    const document = { stamp, textSketch: computeTextSketch(write(id)), contentType: 'text/html' };
    await store.settle([{ id, changes: { status: 'indexed', reason: 'indexed', ...document } }]);
  }
  const site = new Map<number, Says>();
  const world = {
    nonsense: 'refused' as NonsenseAnswer | undefined,
    /** Whether the host is to be asked for a URL that cannot exist. */
    wanted: false,
    inquiries: 0,
    /** Pages whose visits have been requested and have not begun. */
    requested: [] as number[],
    inFlight: new Set<number>(),
    /** Texts that other pages of the host had. */
    textsOfOthers: new Set<string>(),
    robots: { fetchedAt: undefined as Instant | undefined, forbids: (_page: number): boolean => false, maxAge: 0 },
  };
  const services = {
    ...{ store, clock },
    probes: {
      wantAnswer: () => {
        world.wanted = true;
        world.inquiries++;
      },
      isAnswerWanted: () => world.wanted,
      findAnswer: () => (world.wanted ? undefined : world.nonsense),
    },
    robots: {
      checkUrl: ({ href }: { href: string }) => {
        const { fetchedAt, forbids } = world.robots;
        if (fetchedAt === undefined) return { kind: 'unknown' };
        return { kind: forbids(pageOf({ url: href })) ? 'disallowed' : 'allowed', entry: { policy: { fetchedAt } } };
      },
      limitAge: (_: unknown, age: number) => {
        world.robots.maxAge = age;
      },
    },
    scheduleVisit: async (state: UrlState) => {
      if (world.inFlight.has(pageOf(state))) return false;
      world.requested.push(pageOf(state));
      return true;
    },
    isTextOfAnother: async (_: UrlState, stamp: string) => world.textsOfOthers.has(stamp),
  } as unknown as ConstructorParameters<typeof ChangeGuard>[1];
  const guard = new ChangeGuard('docs', services);
  const context = {
    ...{ definition: crawlerDefinition(settings), fetcher: { robotsAgent: 'x' } },
    ...{ policy: { judge: () => ({ effects: { options: {} } }) }, roots: { findBySite: () => undefined } },
  } as unknown as CrawlContext;
  const getState = async (page: number) => (await store.find('docs', urlOf(page)))!;
  const change = async (page: number, changes: StateChanges) =>
    store.settle([{ id: (await getState(page)).id, changes }]);
  const findHeld = (page: number) =>
    store.listOrders({ crawler: 'docs', uri: urlOf(page), state: 'awaiting' }, undefined, 10);
  /** Writes what an operator has decided about a held page. */
  const answer = async (page: number, answer: string) =>
    store.settle([{ id: 1, orders: (await findHeld(page)).map((entry) => ({ ...entry, answer })) }]);

  /** Ends a visit as the settlement does: what is held is in the ledger, and a page that is well is no longer. */
  const settle = async (state: UrlState, outcome: PageOutcome) => {
    const held = outcome.kind === 'error' ? outcome.held : undefined;
    const known = await findHeld(pageOf(state));
    const entry = held && { ...(known[0] ?? ledger.createHeldEntry(state, held)), stamp: held.identity };
    if (entry) return store.settle([{ id: state.id, changes: { pendingDeletion: held!.cause }, orders: [entry] }]);
    if (outcome.kind === 'error') return;
    const orders = known.map((one) => ({ ...one, state: 'cancelled' as const }));
    const leaves = outcome.kind === 'excluded' || (outcome.kind === 'document' && !outcome.index);
    const { stamp, textSketch } = outcome.kind === 'document' ? outcome.facts : state;
    const changes = { stamp: leaves ? null : stamp, textSketch, pendingDeletion: null };
    await store.settle([{ id: state.id, changes, orders }]);
  };
  const visit = async (page: number): Promise<PageResult> => {
    world.inFlight.add(page);
    world.wanted = false;
    const state = await getState(page);
    const outcome = (site.get(page) ?? same)(state);
    const result = { id: state.id, crawler: 'docs', outcome, links: ['link'], refused: [] } as unknown as PageResult;
    const reviewed = await guard.review(context, state, result);
    await settle(state, reviewed.outcome);
    world.inFlight.delete(page);
    await guard.noteSettled(state);
    clock.advance(VISIT_TIME);
    return reviewed;
  };
  /** Visits all pages whose visits are requested, and returns which those were. */
  const visitRequested = async (): Promise<number[]> => {
    const visited: number[] = [];
    for (let page = world.requested.shift(); page !== undefined; page = world.requested.shift()) {
      if (visited.push(page) > 1_000) throw new Error('the guard requests visits without end');
      await visit(page);
    }
    return visited;
  };
  /** Visits the pages, and the others that this makes necessary; returns what then becomes of each. */
  const visitAll = async (...pages: number[]): Promise<string[]> => {
    for (const page of pages) {
      await visit(page);
      await visitRequested();
    }
    return Promise.all(pages.map(async (page) => (await getState(page)).pendingDeletion ?? 'well'));
  };
  return {
    ...{ store, clock, guard, site, world, getState, change, findHeld, answer },
    ...{ visit, visitRequested, visitAll },
  };
}

/** The error of a visit whose page is not believed, or not yet. */
export const errorOf = ({ outcome }: PageResult) =>
  outcome.kind === 'error' ? { code: outcome.code, retryAfter: outcome.retryAfter, held: outcome.held } : 'believed';
