/** Converts the checked elements of a crawler to its definition. */
import type {
  ChangeGuardDefinition,
  CrawlerDefinition,
  DeletionGuardDefinition,
  ErrorPolicyDefinition,
  RefreshDefinition,
  RootDefinition,
  SoftErrorDefinition,
} from '../../../domain/crawl/definition.js';
import type { LinkRulesDefinition } from '../../../domain/crawl/policy-definition.js';
import type { ScheduleDefinition, WindowDefinition } from '../../../domain/crawl/schedule-definition.js';
import { DEFAULT_WEIGHTS, type SourceName } from '../../../domain/frontier/sources.js';
import { listNamedExtensions } from '../../../domain/policy/named-extensions.js';
import { flatMapInSteps, type Steps } from '../../../domain/steps.js';
import { days, hours } from '../../../domain/time/units.js';
import { collectDefaults, findChildren, findOnlyChild, findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as crawl from '../schema/crawl.js';
import * as errors from '../schema/errors.js';
import * as policy from '../schema/policy.js';
import { SCHEDULE, WINDOW } from '../schema/schedule.js';
import type { Attributes, ElementSpec, Values } from '../schema/spec.js';
import { readConditions } from './conditions.js';
import { readAcl, readContents } from './content.js';
import type { ReadContext } from './context.js';
import { readCrawlSpace } from './crawl-space.js';
import { readRules } from './rules.js';
import { reportRepeated } from './server.js';
import { createRootsFromServers, readServers } from './servers.js';

export type CrawlerNode = Node<typeof crawl.CRAWLER.attributes>;

export function* readCrawler(crawler: CrawlerNode, context: ReadContext): Steps<CrawlerDefinition> {
  const node = crawler as Node;
  const { values } = crawler;
  const { problems } = context;
  const servers = findOnlyChild(node, policy.SERVERS);
  const conditions = findOnlyChild(node, policy.CONDITIONS);
  const crawlSpace = readCrawlSpace(node, context);
  const serverRecords = servers && (yield* readServers(servers, context));
  const rules = yield* readRules(node, problems);
  const conditionsPart = conditions ? { conditions: readConditions(conditions, problems) } : {};
  const named = yield* listNamedExtensions({ rules, ...conditionsPart }, UNREADABLE_EXTENSIONS);
  const namedExtensions = new Set(named.map(({ extension }) => extension));
  return {
    ...readAttributes(crawler),
    ...readSchedules(node, context),
    mimeTypes: readMimeTypes(node, values.mimeTypesMode, namedExtensions, problems),
    ...readContents(node, problems),
    ...(yield* readAcl(node, context)),
    refresh: readRefresh(crawler, context),
    weights: readWeights(node, context),
    roots:
      findChildren(node, crawl.ROOT).length > 0
        ? yield* readRoots(node, context)
        : yield* createRootsFromServers(node, serverRecords, problems),
    rules,
    canonicalization: readSettings(node, policy.CANONICALIZATION).steps,
    linkRules: readLinkRules(node, namedExtensions, problems),
    ...(crawlSpace ? { crawlSpace } : {}),
    ...(serverRecords ? { servers: serverRecords } : {}),
    ...conditionsPart,
    errors: readErrorPolicy(node, context),
    ...readKeepTexts(node),
    deletionGuard: readDeletionGuard(crawler),
    changeGuard: readChangeGuard(crawler),
    softErrors: readSoftErrors(node, context),
    probeErrorPages: PROBES[readSettings(node, errors.SOFT_ERRORS).probe],
    leaveOut: readSettings(node, errors.LEAVE_OUT),
    traps: readSettings(node, errors.TRAPS),
    fetcher: findOnlyChild(node, policy.FETCH_WITH)?.values.fetcher ?? 'default',
    pushTo: [...new Set(findValidChildren(node, policy.PUSH_TO).map((push) => push.values.sink))],
  };
}

const PROBES = { true: 'always', auto: 'when-suspected', false: 'never' } as const;

function readAttributes({ values, place }: CrawlerNode) {
  return {
    name: values.name,
    place,
    concurrency: values.nthreads,
    throttle: values.throttleTimeMS,
    aggressive: values.aggressive,
    politenessBy: values.politenessBy,
    ignoreRobotsTxt: values.ignoreRobotsTxt,
    storeTextOnly: values.storeTextOnly,
    defaultAccept: values.defaultAccept,
    defaultIndex: values.defaultIndex,
    defaultFollow: values.defaultFollow,
    defaultFollowRoots: values.defaultFollowRoots,
    mimeTypesMode: values.mimeTypesMode,
    whenUnreadable: values.whenUnreadable,
    render: values.render,
    crawlSitemaps: values.crawlSitemaps,
    disableConditionalGet: values.disableConditionalGet,
    nearDuplicateDetector: values.nearDuplicateDetector,
    nearDuplicateScope: values.nearDuplicateScope,
    followMoves: values.followMoves,
    indexRedirectSources: values.indexRedirectSources,
  };
}

/** Returns the values of an optional element, or its defaults if it is absent. */
const readSettings = <A extends Attributes>(parent: Node, spec: ElementSpec<A>): Values<A> =>
  findOnlyChild(parent, spec)?.values ?? collectDefaults(spec);

function readRefresh(crawler: CrawlerNode, { problems }: ReadContext): RefreshDefinition {
  const { smartRefresh: smart, smartRefreshMinAgeS: minimumAge, smartRefreshMaxAgeS: maximumAge } = crawler.values;
  if (minimumAge > maximumAge) {
    const message = 'smartRefreshMinAgeS is greater than smartRefreshMaxAgeS: lower it';
    problems.add('bad-range', message, crawler.place);
  }
  const scheduler = findOnlyChild(crawler as Node, crawl.SCHEDULER);
  const schedule = scheduler && findOnlyChild(scheduler as Node, policy.REFRESH)?.values;
  warnAboutRefresh(crawler, schedule?.cron !== undefined, problems);
  return {
    smart,
    minimumAge,
    maximumAge,
    objective: schedule?.objective ?? collectDefaults(policy.REFRESH).objective,
    hubs: schedule?.hubs ?? collectDefaults(policy.REFRESH).hubs,
    ...(schedule?.cron === undefined ? {} : { cron: schedule.cron }),
    timeZone: schedule?.timeZone ?? 'UTC',
  };
}

function warnAboutRefresh({ values, place }: CrawlerNode, hasCron: boolean, problems: Problems): void {
  if (!values.smartRefresh && !hasCron) {
    const message = `crawler ${values.name} never revisits documents on its own: smartRefresh is off, and CrawlSchedulerConfig has no cw:Refresh with a cron expression`;
    problems.add('no-effect', message, place);
  }
  if (values.smartRefresh && hasCron) {
    const message =
      'the cron expression of cw:Refresh has no effect while smartRefresh is on: write smartRefresh="false" to revisit documents at the times of the expression';
    problems.add('no-effect', message, place);
  }
}

function readWeights(crawler: Node, { problems }: ReadContext): Record<SourceName, number> {
  const weights = { ...DEFAULT_WEIGHTS };
  const seen = new Set<SourceName>();
  const scheduler = findOnlyChild(crawler, crawl.SCHEDULER) as Node | undefined;
  for (const { values, place } of scheduler ? findValidChildren(scheduler, policy.URL_SOURCE) : []) {
    if (seen.has(values.name)) problems.add('duplicate-name', `source ${values.name} is listed twice`, place);
    seen.add(values.name);
    weights[values.name] = values.weight;
  }
  return weights;
}

function* readRoots(crawler: Node, { problems }: ReadContext): Steps<RootDefinition[]> {
  const seen = new Set<string>();
  return yield* flatMapInSteps(findValidChildren(crawler, crawl.ROOT), ({ values, place }) => {
    const { kvs, group, site, ...root } = values;
    const identity = new URL(root.url).href;
    if (seen.has(identity)) problems.add('duplicate-name', `root ${root.url} is listed twice`, place);
    seen.add(identity);
    const metas = (kvs ?? []).map((pair) => ({ ...pair, scope: 'links' as const }));
    const scope = site === undefined ? { site: !root.entireSite, siteByDefault: true as const } : { site };
    return [{ ...root, ...scope, place, ...(group === undefined ? {} : { group }), metas }];
  });
}

const UNREADABLE_EXTENSIONS = policy.UNREADABLE_EXTENSIONS.split('|');

const parseTypes = (text: string): string[] => text.split(' ');

/** Media types that apply by default in each mode: unreadable ones are excluded, or readable ones are included. */
const DEFAULT_TYPES = { exclude: parseTypes(policy.UNREADABLE_TYPES), include: parseTypes(policy.READABLE_TYPES) };

/** FDSE: "maximum size of an address is 128 by default", "by default the crawler will ignore … a question mark". */
const FDSE_DEFAULTS = { maxUrlLength: 128, followQueryStrings: false };
const OWN_DEFAULTS = { maxUrlLength: 2048, followQueryStrings: true };

/**
 * Media types with the extensions that are ignored by default. If a rule explicitly accepts an extension, its media
 * types must be accepted, too.
 */
const EXTENSIONS_BY_TYPE: readonly (readonly [type: string, extensions: string])[] = [
  ['image/*', 'bmp gif heic ico jpeg jpg png svg tif tiff webp avif'],
  ['audio/*', 'aac flac m4a mid mp3 ogg wav wma'],
  ['video/*', '3gp avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv'],
  ['font/*', 'eot otf ttf woff woff2'],
  ['text/css', 'css'],
  ['text/javascript', 'js mjs'],
  ['application/javascript', 'js mjs'],
  ['application/zip', 'zip jar war apk'],
  ['application/gzip', 'gz tgz'],
  ['application/x-gzip', 'gz tgz'],
  ['application/x-tar', 'tar gz tgz'],
  ['application/octet-stream', 'bin exe dmg iso rar 7z bz2 xz tar zst deb rpm msi'],
];

type ExtensionSet = ReadonlySet<string>;

function readMimeTypes(
  node: Node,
  mode: 'include' | 'exclude',
  namedExtensions: ExtensionSet,
  problems: Problems,
): readonly string[] {
  const element = findOnlyChild(node, policy.MIME_TYPES);
  const configuredTypes = element?.values.types;
  if (element && configuredTypes?.length === 0 && mode === 'include') {
    const message = 'MimeTypes lists no type, so that no document is accepted: name some, or remove it';
    problems.add('no-effect', message, element.place);
  }
  if (configuredTypes || mode === 'include') return configuredTypes ?? DEFAULT_TYPES.include;
  const acceptedTypes = EXTENSIONS_BY_TYPE.filter(([, extensions]) =>
    extensions.split(' ').some((extension) => namedExtensions.has(extension)),
  );
  return DEFAULT_TYPES.exclude.filter((type) => !acceptedTypes.some(([acceptedType]) => acceptedType === type));
}

function readLinkRules(crawler: Node, namedExtensions: ExtensionSet, problems: Problems): LinkRulesDefinition {
  const { dialect, ...values } = readSettings(crawler, policy.LINK_RULES);
  const dialectDefaults = dialect === 'fdse' ? FDSE_DEFAULTS : OWN_DEFAULTS;
  const place = findOnlyChild(crawler, policy.LINK_RULES)?.place;
  if (values.rogue && place) {
    const message =
      'rogue is on: robots.txt and robots meta tags are ignored, which site owners object to; write rogue="0" unless all of the sites are yours';
    problems.add('robots-ignored', message, place);
  }
  return {
    protocols: values.protocols,
    maxUrlLength: values.maxUrlLength ?? dialectDefaults.maxUrlLength,
    followQueryStrings: values.followQueryStrings ?? dialectDefaults.followQueryStrings,
    ignoreLinksTo: values.ignoreLinksTo ?? UNREADABLE_EXTENSIONS.filter((extension) => !namedExtensions.has(extension)),
    rogue: values.rogue,
    followOffsite: values.followOffsite,
    ...(place ? { place } : {}),
  };
}

function readErrorPolicy(crawler: Node, { problems }: ReadContext): ErrorPolicyDefinition {
  const element = findOnlyChild(crawler, errors.ERROR_POLICY);
  const { maxTemporaryErrors, retryDelayS, maxRetryDelayS } = element?.values ?? collectDefaults(errors.ERROR_POLICY);
  if (element && retryDelayS > maxRetryDelayS) {
    problems.add('bad-range', 'retryDelayS is greater than maxRetryDelayS: lower it', element.place);
  }
  const overrides = element ? findValidChildren(element as Node, errors.ERROR) : [];
  reportRepeated(overrides, ({ code }) => `Error ${code}`, problems);
  return {
    maxTemporaryErrors,
    retryDelay: retryDelayS,
    maxRetryDelay: maxRetryDelayS,
    classes: Object.fromEntries(overrides.map(({ values }) => [values.code, values.class])),
  };
}

function readDeletionGuard(crawler: CrawlerNode): DeletionGuardDefinition {
  const { enabled, maxDeletions, maxShare, windowS, signOfLife, signOfLifeHours } = readSettings(
    crawler as Node,
    errors.DELETION_GUARD,
  );
  const on = crawler.values.deletionGuard && enabled;
  return { on, maxDeletions, maxShare, window: windowS, signOfLife, signOfLifeWait: hours(signOfLifeHours) };
}

function readKeepTexts(crawler: Node): Pick<CrawlerDefinition, 'keepTexts'> {
  const values = findOnlyChild(crawler, errors.KEEP_TEXTS)?.values;
  if (!values) return {};
  const { days: age, ...limits } = values;
  return { keepTexts: { age: days(age), ...limits } };
}

function readChangeGuard(crawler: CrawlerNode): ChangeGuardDefinition {
  const { enabled, believeAfterHours } = readSettings(crawler as Node, errors.CHANGE_GUARD);
  const on = crawler.values.changeGuard && enabled;
  return { on, ...(believeAfterHours === undefined ? {} : { believeAfter: hours(believeAfterHours) }) };
}

function readSoftErrors(crawler: Node, { problems }: ReadContext): SoftErrorDefinition[] {
  const element = findOnlyChild(crawler, errors.SOFT_ERRORS) as Node | undefined;
  return (element ? findValidChildren(element, errors.SOFT_ERROR) : []).flatMap(({ values, place }) => {
    const { field, pattern, status, ...patterns } = values;
    const patternCount = Object.values(patterns).filter((value) => value !== undefined).length;
    if ((field === undefined) !== (pattern === undefined) || (patternCount === 0) === (pattern === undefined)) {
      const message =
        'SoftError requires patterns: one or more of url, title and content, all of which have to match, or field and pattern';
      problems.add('missing-attribute', message, place);
      return [];
    }
    return [{ ...(field === undefined ? patterns : { [field]: pattern }), status, place }];
  });
}

type Schedules = { readonly schedules?: readonly ScheduleDefinition[] };

function readSchedules(crawler: Node, { problems }: ReadContext): Schedules {
  const schedules = findValidChildren(crawler, SCHEDULE).map((node): ScheduleDefinition => {
    const { hosts = [], timeZone, outside, maxBytesPerS } = node.values;
    const windows = findValidChildren(node as Node, WINDOW).map(({ values, place }): WindowDefinition => {
      const { days, from, to, crawl, throttleTimeMS: throttle, maxBytesPerS: maxBytesPerSecond } = values;
      if (from === to)
        problems.add('bad-range', 'from and to of this Window are the same time: omit both for a whole day', place);
      return {
        days,
        from,
        to,
        crawl,
        ...(throttle === undefined ? {} : { throttle }),
        ...(maxBytesPerSecond === undefined ? {} : { bytesPerSecond: maxBytesPerSecond }),
      };
    });
    if (windows.length > 0 && outside === 'rest' && windows.every(({ crawl }) => !crawl)) {
      const message =
        'this Schedule never lets its hosts be crawled: add a Window with crawl="true", or write outside="crawl"';
      problems.add('no-effect', message, node.place);
    }
    return {
      hosts,
      timeZone,
      outside,
      windows,
      ...(maxBytesPerS === undefined ? {} : { bytesPerSecond: maxBytesPerS }),
    };
  });
  return schedules.length === 0 ? {} : { schedules };
}
