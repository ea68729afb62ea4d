/** Assembles a crawler from its parts. */
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH, toImmediateQueuePlace } from '../../domain/frontier/sources.js';
import { type Instant, seconds } from '../../domain/time/units.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import type { CrawlContext } from '../page/crawl-context.js';
import { type ConfiguredParts, Crawler } from './crawler.js';
import { CrawlerMemory } from './crawler-memory.js';
import { CanonicalPages } from './evidence/canonical-pages.js';
import { ClaimedChanges } from './evidence/claimed-changes.js';
import { EndlessLinks } from './evidence/endless-links.js';
import { HostTroubles } from './evidence/host-trouble.js';
import { FoundAgain } from './evidence/rediscovery.js';
import { DueSweeps } from './frontier/due-sweeps.js';
import { Frontier } from './frontier/frontier.js';
import { toFrontierSettings } from './frontier/frontier-settings.js';
import { Gates } from './frontier/gates.js';
import { recordSiteMove } from './frontier/moved-sites.js';
import { Tally } from './load/tally.js';
import { type Place, WithoutVisit } from './outcome/changes-without-visit.js';
import type { SettledUrl } from './outcome/decision.js';
import { Deletions } from './outcome/deletions.js';
import { UrlSettlement } from './outcome/url-settlement.js';
import { RequestedInFlight } from './requested-in-flight.js';
import type { CrawlServices } from './services.js';
import { createVisits } from './visit/create-visits.js';
import { Documents } from './visit/documents.js';
import { VisitLoop } from './visit-loop.js';
import { WantedNow } from './wanted-now.js';

/** Delay before a command is tried again for a URL that something else is in flight for. */
const RETRY_DELAY = seconds(1);

export function createCrawler(context: CrawlContext, services: CrawlServices): Crawler {
  const { name } = context.definition;
  const getDefinition = (): CrawlerDefinition => crawler.context.definition;
  const noteSettled = (url: UrlState, settled: SettledUrl): void => {
    if (settled.removed) services.processor.forget(name, [url.url]);
    memory.noteSettled(url, settled);
    requeue(url, settled.next);
    loop.wake();
  };
  const requeue = (url: UrlState, place: Place | undefined): void => {
    frontier.requeue(url, place);
    requestedInFlight.noteEnded(url);
  };
  const gates = new Gates(services);
  gates.configure(context.definition);
  const wake = (): void => loop.wake();
  const frontier = new Frontier(name, services, toFrontierSettings(context.definition), wake, gates);
  const loop: VisitLoop = new VisitLoop(services, frontier, {
    getDefinition,
    getVisitRunner: () => crawler.visits,
    noteVisited: async (url, settled, sinks) => {
      noteSettled(url, settled);
      await memory.noteVisited(url, settled);
      if (getDefinition().pushTo !== sinks) await sendToAddedSinks(url, sinks);
    },
  });
  /** Sends a document to sinks that were added during its visit: the backfill may have passed over it. */
  const sendToAddedSinks = async (url: UrlState, formerSinks: readonly string[]): Promise<void> => {
    const addedSinks = getDefinition().pushTo.filter((sink) => !formerSinks.includes(sink));
    for (const sink of addedSinks)
      while (!(await withoutVisit.decide(url, { do: 'send-to', sink }))) await services.clock.sleep(RETRY_DELAY);
  };
  const withoutVisit = new WithoutVisit(services, {
    frontier: { hold: (url) => frontier.hold(url), requeue },
    inFlight: loop.inFlight,
    getContext: () => crawler.context,
    getSettlement: () => crawler.settlement,
    noteSettled: noteSettled,
  });
  const memory: CrawlerMemory = createMemory(name, services, withoutVisit, getDefinition);
  const createParts = (current: CrawlContext): ConfiguredParts =>
    createConfiguredParts(current, services, memory, {
      gates,
      getPolicySince: () => crawler.policySince,
      getCurrentSinks: () => getDefinition().pushTo,
      limitHost: (hostKey, limit) => frontier.limitHost(hostKey, limit),
      noteSiteMoved: async (root, target) => {
        if (!target) crawler.rereadLinksSince(services.clock.now());
        await recordSiteMove(services, crawler.context, root, target);
      },
    });
  const requestedInFlight = new RequestedInFlight(services, {
    inFlight: loop.inFlight,
    requestVisit: (url) => withoutVisit.decide(url, { do: 'visit' }),
  });
  const sweeps = new DueSweeps(name, frontier, services);
  const wantedNow = new WantedNow(name, services, frontier);
  const parts = { frontier, gates, sweeps, loop, withoutVisit, wantedNow, requestedInFlight, memory };
  const crawler: Crawler = new Crawler(context, services, parts, createParts);
  return crawler;
}

function createMemory(
  name: string,
  services: CrawlServices,
  withoutVisit: WithoutVisit,
  getDefinition: () => CrawlerDefinition,
): CrawlerMemory {
  const { store, clock } = services;
  return new CrawlerMemory({
    tally: new Tally(clock),
    documents: new Documents(name, store, () => getDefinition().nearDuplicateDetector),
    foundAgain: new FoundAgain(name, services),
    canonicalPages: new CanonicalPages(name, services, (page) => withoutVisit.decide(page, { do: 'index-after-all' })),
    claims: new ClaimedChanges(name, services, (url, dueAt) => withoutVisit.requeue(url, { source: REFRESH, dueAt })),
    endless: new EndlessLinks(name, services, () => getDefinition().traps.maxPatternUrls),
    troubles: new HostTroubles(name, {
      store,
      clock,
      scheduleVisit: (url) => withoutVisit.requeue(url, toImmediateQueuePlace(url, clock.now())),
    }),
  });
}

/** The crawler's functions that visits use. */
interface VisitActions {
  readonly gates: Gates;
  getPolicySince(): Instant;
  getCurrentSinks(): readonly string[];
  limitHost(hostKey: string, limit: number | undefined): void;
  noteSiteMoved(root: string, target?: CrawlUrl): Promise<void>;
}

function createConfiguredParts(
  context: CrawlContext,
  services: CrawlServices,
  memory: CrawlerMemory,
  actions: VisitActions,
): ConfiguredParts {
  const { definition } = context;
  const { store, clock } = services;
  const { parts, reportedUrls, refused } = memory;
  const { troubles, tally } = parts;
  const deletions = new Deletions(definition.name, definition.deletionGuard, { store, clock, troubles });
  const settlement = new UrlSettlement(services, deletions, {
    sinks: definition.pushTo,
    getCurrentSinks: actions.getCurrentSinks,
    maximumAge: definition.refresh.maximumAge,
    tally,
  });
  const visits = createVisits(services, {
    ...parts,
    ...actions,
    context,
    settlement,
    reportedUrls,
    noteRefused: (link, from) => refused.add(link, from, clock.now()),
  });
  return { deletions, settlement, visits };
}
