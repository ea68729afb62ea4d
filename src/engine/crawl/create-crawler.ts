/** Assembles a crawler from its parts. */
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH } from '../../domain/frontier/sources.js';
import type { CrawlContext } from '../page/crawl-context.js';
import { Crawler } from './crawler.js';
import { type ConfiguredParts, CurrentConfiguration } from './current-configuration.js';
import { CanonicalPages } from './evidence/canonical-pages.js';
import { ChangeGuard } from './evidence/change-guard.js';
import { ClaimedChanges } from './evidence/claimed-changes.js';
import { EndlessLinks } from './evidence/endless-links.js';
import { ExtraVisits } from './evidence/extra-visits.js';
import { HostTroubles } from './evidence/host-trouble.js';
import { Redirects } from './evidence/redirects.js';
import { Rediscovery } from './evidence/rediscovery.js';
import { RepeatedContent } from './evidence/repeated-content.js';
import { SiteReports } from './evidence/site-reports.js';
import { DueSweeps } from './frontier/due-sweeps.js';
import { Frontier } from './frontier/frontier.js';
import { toFrontierSettings } from './frontier/frontier-settings.js';
import { Gates } from './frontier/gates.js';
import { RefusedLinks } from './frontier/refused-links.js';
import { SiteMoves } from './frontier/site-moves.js';
import { Tally } from './load/metrics.js';
import { Deletions } from './outcome/deletions.js';
import { UrlDecisions } from './outcome/url-decisions.js';
import { UrlSettlement } from './outcome/url-settlement.js';
import { RequestedVisits } from './requested-visits.js';
import type { CrawlServices } from './services.js';
import { Documents } from './visit/documents.js';
import { SameTexts } from './visit/same-texts.js';
import { createVisits } from './visit/visit.js';
import { VisitLoop } from './visit-loop.js';

export function createCrawler(
  context: CrawlContext,
  { webServers, outcomes, visitTools, ...shared }: CrawlServices,
): Crawler {
  const { name } = context.definition;
  const { store, clock } = shared;
  const current = new CurrentConfiguration(context);
  const gates = new Gates({ ...shared, ...webServers }, context.definition);
  const frontier = new Frontier(name, { ...shared, ...webServers }, toFrontierSettings(context.definition), gates);
  const inFlight = new Set<UrlState>();
  const requested = new RequestedVisits(name, shared, frontier, inFlight);
  const documents = new Documents(name, store, () => current.definition, webServers.strangers, visitTools.quotas);
  const sameTexts = new SameTexts(name, store, () => current.definition, webServers.strangers);
  const rediscovery = new Rediscovery(name, shared, () => redirects.areAwaitingLinks);
  const pages = { current, frontier, inFlight, requested, documents, sameTexts, rediscovery };
  const reconsiderAfter: CanonicalPages['reconsiderAfter'] = (...of) => canonicalPages.reconsiderAfter(...of);
  const decisions = new UrlDecisions({ ...shared, ...outcomes, ...visitTools }, { ...pages, reconsiderAfter });
  const canonicalPages = new CanonicalPages(name, shared, sameTexts.isEntering, decisions);
  const { schedule: scheduleVisit } = new ExtraVisits(clock, decisions);
  const scheduleRefresh = (url: UrlState, dueAt = clock.now()) => decisions.requeue(url, { source: REFRESH, dueAt });
  const visiting = { ...webServers, inDoubt: outcomes.inDoubt, scheduleVisit, scheduleRefresh };
  const claims = new ClaimedChanges(name, shared, scheduleRefresh);
  const troubles = new HostTroubles(name, { ...shared, scheduleVisit });
  const redirects = new Redirects(name, { ...shared, ...visitTools, ...visiting, walls: visitTools.review.walls });
  const changes = new ChangeGuard(name, {
    ...{ ...shared, ...visiting },
    isTextOfAnother: (...text) => sameTexts.isTextOfAnother(...text),
  });
  const parts = {
    ...{ ...pages, decisions, gates, claims, troubles, redirects, changes, tally: new Tally(clock) },
    refused: new RefusedLinks(),
    reports: new SiteReports(),
    endless: new EndlessLinks(name, shared, () => current.definition.traps.maxPatternUrls, webServers.strangers),
    repeated: new RepeatedContent(name, shared, () => current.definition),
    siteMoves: new SiteMoves({ ...shared, ...visitTools }, { current, redirects, decisions, scheduleVisit }),
    sweeps: new DueSweeps(name, frontier, shared),
    loop: new VisitLoop(
      { ...shared, ...webServers, ...outcomes, ...visitTools },
      { ...pages, decisions, canonicalPages, redirects, troubles, changes },
    ),
  };
  const configure = (next: CrawlContext): ConfiguredParts => {
    const { definition } = next;
    const deletions = new Deletions(name, definition.deletionGuard, { store, clock, troubles });
    const settlement = new UrlSettlement({ ...shared, ...outcomes }, deletions, {
      ...{ sinks: definition.pushTo, keepTexts: definition.keepTexts },
      getCurrentSinks: () => current.definition.pushTo,
      maximumAge: definition.refresh.maximumAge,
      tally: parts.tally,
    });
    const target = { ...parts, context: next, settlement };
    return {
      deletions,
      settlement,
      visits: createVisits({ ...shared, ...webServers, ...outcomes, ...visitTools }, target),
    };
  };
  current.set(context, configure(context));
  return new Crawler({ ...shared, ...outcomes, ...visitTools }, current, parts, configure);
}
