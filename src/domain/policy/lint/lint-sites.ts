/**
 * Finds conflicts of site mode with rules and server records: URLs that cannot be reached from any root, and URLs that
 * are accepted without a rule.
 */
import type { CrawlerDefinition, RootDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import type { MatchNorm, RuleDefinition } from '../../crawl/policy-definition.js';
import { flatMapInSteps, type Steps } from '../../steps.js';
import { toCrawlUrl } from '../../url/crawl-url.js';
import { computeSitePrefixes } from '../site-mode.js';
import { areDisjoint, type Clauses, covers, deriveFacts, toClauses } from './clauses.js';
import { createLintWarning } from './codes.js';

export function* lintSites(crawler: CrawlerDefinition): Steps<Problem[]> {
  const sites = crawler.roots.filter(({ site }) => site);
  if (sites.length === 0) return [];
  const isConfined = sites.length === crawler.roots.length;
  return [
    ...(isConfined
      ? [...(yield* lintRulesOutside(crawler, sites)), ...(yield* lintRecordsOutside(crawler, sites))]
      : []),
    ...(yield* lintRulesWithoutEffect(crawler, sites)),
    ...(yield* flatMapInSteps(sites, (root) => lintSinglePageSite(root, crawler))),
  ];
}

const toSiteClauses = (root: RootDefinition, norm: MatchNorm = 'norm'): Clauses =>
  computeSitePrefixes(root.url).map((text) => deriveFacts({ field: 'url', kind: 'prefix', text, norm }));

const toSiteHostClauses = (root: RootDefinition): Clauses =>
  computeSitePrefixes(root.url).map((text) => [
    { field: 'host', kind: 'exact', text: toCrawlUrl(text).host, norm: 'norm' },
  ]);

const REMEDY = 'write site="false" on the root that links there, or add a root for them';

function* lintRulesOutside({ rules }: CrawlerDefinition, sites: readonly RootDefinition[]): Steps<Problem[]> {
  const accepting = rules.filter(({ actions }) => actions.accept);
  if (accepting.length === 0) return [];
  const siteClauses = yield* flatMapInSteps(sites, (site) => toSiteClauses(site));
  const hostClauses = yield* flatMapInSteps(sites, toSiteHostClauses);
  const usesDefault = sites.some(({ siteByDefault }) => siteByDefault);
  return yield* flatMapInSteps(accepting, ({ match, number, place }) => {
    const clauses = toClauses(match);
    const exceedsHosts = usesDefault && namesHosts(clauses) && !covers(hostClauses, clauses);
    const isOutside = areDisjoint(clauses, siteClauses);
    if (!isOutside && !exceedsHosts) return [];
    const urlKind = isOutside
      ? 'only URLs outside the sites of the roots'
      : 'URLs on hosts outside the sites of the roots';
    const message = `rule ${number} accepts ${urlKind}, which links never lead to: every root is in site mode (the default), so its links stay on its site; ${REMEDY}`;
    return [createLintWarning('outside-sites', place, message)];
  });
}

const namesHosts = (clauses: Clauses): boolean =>
  clauses.every((clause) => clause.some(({ field, kind }) => field === 'host' && kind !== 'opaque'));

function* lintRecordsOutside({ servers }: CrawlerDefinition, sites: readonly RootDefinition[]): Steps<Problem[]> {
  if (!servers) return [];
  const sitePrefixes = yield* flatMapInSteps(sites, (site) => computeSitePrefixes(site.url));
  const reason = `every root is in site mode, the default, and its links stay on its site; ${REMEDY}`;
  const recordProblems = yield* flatMapInSteps(servers.records, ({ url, place }) => {
    if (sitePrefixes.some((prefix) => prefix.startsWith(url) || url.startsWith(prefix))) return [];
    const message = `server record ${url} is for URLs that are not on the site of any root: ${reason}`;
    return [createLintWarning('outside-sites', place, message)];
  });
  if (!servers.followOutside) return recordProblems;
  const message = `followOutside leads to no URL outside the sites of the roots: ${reason}`;
  return [...recordProblems, createLintWarning('outside-sites', servers.place, message)];
}

/** In site mode, a rule with Accept no longer narrows a site. */
function* lintRulesWithoutEffect(
  { rules, defaultAccept }: CrawlerDefinition,
  sites: readonly RootDefinition[],
): Steps<Problem[]> {
  if (defaultAccept || rules.some(({ actions }) => actions.accept === false)) return [];
  return yield* flatMapInSteps(rules, ({ actions, match, number, place }) => {
    if (!actions.accept || !onlyGrants(actions)) return [];
    const clauses = toClauses(match);
    const root = sites.find(
      (site) => covers(toSiteClauses(site), clauses) && !covers(clauses, toSiteClauses(site, 'none')),
    );
    if (!root) return [];
    const message = `rule ${number} accepts a part of the site of root ${root.url}, all of which is accepted in site mode anyway: if only that part is meant, write it as the root's url, or write site="false"`;
    return [createLintWarning('accept-without-effect', place, message)];
  });
}

const onlyGrants = ({ index, follow, source, priorityShift, metas, render }: RuleDefinition['actions']): boolean =>
  index !== false &&
  follow !== false &&
  source === undefined &&
  !priorityShift &&
  metas.length === 0 &&
  render === undefined;

/** Finds roots such as `http://foo.com/docs/index.html`: only URLs that begin like this page are on its site. */
function lintSinglePageSite(root: RootDefinition, { place }: CrawlerDefinition): Problem[] {
  const path = URL.parse(root.url)?.pathname ?? '';
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  if (root.entireSite || !root.followLinks || !/\.(?:html?|php|aspx?|jsp|xhtml)$/i.test(fileName)) return [];
  const folder = root.url.slice(0, root.url.indexOf(fileName));
  const message = `the site of root ${root.url} is only that page and URLs that begin with its URL: write url="${folder}", or entireSite="true"`;
  return [createLintWarning('outside-sites', root.place ?? place, message)];
}
