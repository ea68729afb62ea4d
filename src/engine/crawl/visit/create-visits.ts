/** Assembles the stages of a visit for one crawler under one configuration. */
import type { SessionStore } from '../../ports/session-store.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { ClaimedChanges } from '../evidence/claimed-changes.js';
import type { EndlessLinks } from '../evidence/endless-links.js';
import type { HubSubscriptions } from '../evidence/hub-subscriptions.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { Gates } from '../frontier/gates.js';
import type { SiteHealth } from '../hosts/site-health.js';
import type { Tally } from '../load/tally.js';
import { type FetchServices, FetchStage, type FetchTarget } from './fetch-stage.js';
import { FoundLinks, type LinkServices, type LinkTarget } from './found-links.js';
import { LinkStage } from './link-stage.js';
import { PageRequests, type RequestServices } from './page-requests.js';
import { type PreconditionServices, Preconditions, type PreconditionTarget } from './preconditions.js';
import { Retries } from './retries.js';
import { type SettleServices, SettleStage, type SettleTarget } from './settle-stage.js';
import { VisitRunner, type VisitServices } from './visit.js';
import { VisitCounts } from './visit-counts.js';
import { type SessionServices, VisitSessions } from './visit-sessions.js';

export type VisitStageServices = FetchServices &
  LinkServices &
  PreconditionServices &
  RequestServices &
  SessionServices &
  SettleServices &
  VisitServices & {
    readonly sessions: SessionStore;
    readonly health: SiteHealth;
    readonly subscriptions: Pick<HubSubscriptions, 'subscribeIfAllowed'>;
    readonly events: CrawlEvents;
  };

/** What the visits of a crawler share. */
export type VisitTarget = FetchTarget &
  LinkTarget &
  PreconditionTarget &
  SettleTarget & {
    readonly gates: Gates;
    readonly endless: EndlessLinks;
    readonly rediscovery: Rediscovery;
    readonly claims: ClaimedChanges;
    readonly tally: Tally;
  };

export function createVisits(services: VisitStageServices, target: VisitTarget): VisitRunner {
  const foundLinks = new FoundLinks(services, target);
  const preconditions = new Preconditions(services, target, foundLinks);
  const sessions = new VisitSessions(services, target);
  const retries = new Retries(services.sessions);
  const requests = new PageRequests(services, target, preconditions, retries, sessions);
  const counts = new VisitCounts(target.tally, services.health, services.events);
  return new VisitRunner(
    services,
    new FetchStage(services, target, preconditions, requests, retries, sessions),
    new LinkStage(target.context, foundLinks, target.rediscovery, target.claims, services.subscriptions),
    new SettleStage(services, target, counts),
    target.documents,
  );
}
