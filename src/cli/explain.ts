import { lookup } from 'node:dns/promises';
import type { JudgedDto, OrderDto, VisitDto } from '../../client/index.js';
import { createHeadline } from '../domain/explain/headline.js';
import { explainAssignment } from '../domain/frontier/sources.js';
import type { Candidate } from '../domain/policy/verdict.js';
import { instant } from '../domain/time/units.js';
import { type CrawlContext, compileContexts, createLikelyLink } from '../engine/page/crawl-context.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { DEFAULT_CONFIG, UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { explanationSchema } from '../server/urls/explanation.schema.js';
import { checkWithoutSecrets } from './check.js';
import { ServerClient, type ServerOption, toQuery } from './client.js';
import { type JsonOption, printJson } from './output.js';

interface ExplainOptions extends ServerOption, JsonOption {
  readonly config?: string;
  readonly crawler?: string;
  readonly from?: string;
}

/** Exit codes; 1 means that the command failed, as with every command. */
const EXIT = { 'in-index': 0, 'on-its-way': 2, 'not-in-index': 3 } as const;

/** Asks the running server; without one, judges by the configuration alone, ignoring stored URLs. */
export async function explain(url: string, options: ExplainOptions): Promise<void> {
  const client = new ServerClient(options);
  const useServer = options.server !== undefined || (options.config === undefined && (await client.isReachable()));
  const explainUrl = (spelling: string) =>
    useServer ? explainOnServer(client, spelling, options) : explainLocally(spelling, options);
  const explanations = await explainSpellings(url, explainUrl).catch((error: Error) => {
    if (useServer || options.config !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`no server is responding at ${client.url}, and ${error.message}`);
  });
  if (options.json) printJson(explanations.map(([crawler, explanation]) => ({ crawler, ...explanation })));
  else
    process.stdout.write(
      `${explanations.map(([crawler, explanation]) => formatExplanation(crawler, explanation)).join('\n\n')}\n`,
    );
  process.exitCode = Math.min(...explanations.map(([, explanation]) => computeExitCode(explanation)));
}

/** People leave out the scheme of a URL: `http` is explained if only that is stored, or accepted, and otherwise `https`. */
async function explainSpellings(
  text: string,
  explainUrl: (url: string) => Promise<[string, ExplanationReport][]>,
): Promise<[string, ExplanationReport][]> {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return explainUrl(text);
  const [https, http] = [await explainUrl(`https://${text}`), await explainUrl(`http://${text}`)];
  return rank(http) > rank(https) ? http : https;
}

const rank = (explanations: readonly (readonly [string, ExplanationReport])[]): number =>
  Math.max(...explanations.map(([, { state, verdict }]) => (state ? 2 : verdict.accepted ? 1 : 0)));

/** Without a server, a URL that the configuration accepts is treated as indexed, because nothing else is known. */
const computeExitCode = ({ robots, verdict, headline }: ExplanationReport): number =>
  robots === undefined && verdict.accepted ? EXIT['in-index'] : EXIT[headline.fate];

async function explainOnServer(
  client: ServerClient,
  url: string,
  options: ExplainOptions,
): Promise<[string, ExplanationReport][]> {
  const crawlers = options.crawler === undefined ? await client.listCrawlerNames() : [options.crawler];
  const query = toQuery({ url, from: options.from });
  const explainForCrawler = async (crawler: string): Promise<[string, ExplanationReport]> => [
    crawler,
    await client.call<ExplanationReport>('GET', `/crawlers/${encodeURIComponent(crawler)}/explain${query}`),
  ];
  if (crawlers.length === 0) throw new UsageError('the server has no crawlers yet');
  return Promise.all(crawlers.map(explainForCrawler));
}

async function explainLocally(url: string, options: ExplainOptions): Promise<[string, ExplanationReport][]> {
  const file = openConfigurationFile(options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG);
  const { definition } = file.toLoaded(await checkWithoutSecrets(file));
  const contexts = compileContexts(definition);
  const names = options.crawler === undefined ? [...contexts.keys()] : [options.crawler];
  if (names.length === 0) throw new UsageError('the configuration has no crawlers yet');
  return Promise.all(
    names.map(async (name): Promise<[string, ExplanationReport]> => {
      const context = contexts.get(name);
      if (!context)
        throw new UsageError(`there is no crawler ${name}; the crawlers are ${[...contexts.keys()].join(', ')}`);
      return [name, await judge(context, url, options.from)];
    }),
  );
}

async function judge(context: CrawlContext, rawUrl: string, rawFrom: string | undefined): Promise<ExplanationReport> {
  let candidate = toCandidate(context, rawUrl, rawFrom);
  let explanation = context.policy.explain(candidate);
  if (explanation.verdict.needsAddress) {
    const found = await lookup(candidate.url.host).catch(() => undefined);
    candidate = { ...candidate, address: found?.address ?? null };
    explanation = context.policy.explain(candidate);
  }
  const { url, discoveredVia, from } = candidate;
  const { verdict } = explanation;
  const { accepted, effects } = verdict;
  const link = from && { from: from.href, verdict };
  const headline = createHeadline({
    verdict,
    link,
    visits: [],
    orders: [],
    crawler: 'unknown',
    now: instant(Date.now()),
  });
  const queue = accepted
    ? explainAssignment(discoveredVia === 'root' ? 'root' : 'link', effects, effects.priorityShift)
    : undefined;
  return { url: url.href, headline, discoveredVia, from: from?.href, queue, ...explanationSchema.from(explanation) };
}

/** A configured root is judged as a root, any other URL as a link from the root that most likely leads to it. */
function toCandidate(context: CrawlContext, rawUrl: string, rawFrom: string | undefined): Candidate {
  const url = context.canonicalize(rawUrl);
  const from = rawFrom === undefined ? undefined : context.canonicalize(rawFrom);
  if (!url) throw new UsageError(`${rawUrl} is not a URL with a host`);
  if (rawFrom !== undefined && !from) throw new UsageError(`${rawFrom} is not a URL with a host`);
  const configuredRoot = context.roots.get(url.href);
  if (configuredRoot && !from) return { url, discoveredVia: 'root', root: configuredRoot, hops: 0 };
  return createLikelyLink(context, url, from);
}

/** Without a server, only what the configuration says. */
type ExplanationReport = Pick<JudgedDto, 'url' | 'headline' | 'discoveredVia' | 'verdict' | 'trace'> &
  Partial<JudgedDto>;

const DISCOVERED_AS: Readonly<Record<string, string>> = {
  root: 'a root',
  link: 'a link',
  redirect: 'the target of a redirect',
  sitemap: 'a sitemap entry',
  stored: 'a stored URL',
};

const MAX_LINES = 10;

/** The headline first, then everything that supports it. */
function formatExplanation(crawler: string, explanation: ExplanationReport): string {
  const { url, headline } = explanation;
  const lines = [
    url,
    `  ${headline.text}`,
    ...(headline.nextStep ? [`  Next step: ${headline.nextStep}`] : []),
    '',
    `  crawler  ${crawler}`,
    ...formatVerdict(explanation),
    ...formatFacts(explanation),
    ...formatHistory(explanation),
    '  policy',
    ...explanation.trace.map((step) => {
      const where = step.place ? `  ${step.place.file}:${step.place.line}` : '';
      return `    ${step.layer.padEnd(14)} ${step.outcome.padEnd(14)} ${[step.test, step.effect].filter(Boolean).join(' → ')}${where}`;
    }),
  ];
  return lines.map(toPrintable).join('\n');
}

function formatVerdict({ discoveredVia, from, verdict, queue }: ExplanationReport): string[] {
  const { accepted, reason, meaning, layer, place, detail, effects } = verdict;
  const shift = queue && queue.shift !== 0 ? ` (${queue.natural} shifted by ${queue.shift})` : '';
  return [
    `  judged   as ${DISCOVERED_AS[discoveredVia] ?? discoveredVia}${from ? ` on ${from}` : ''}`,
    `  verdict  ${accepted ? 'the configuration accepts it' : `the configuration rejects it${layer ? `, by ${layer}` : ''}`}`,
    `  reason   ${reason}: ${meaning}`,
    ...(detail ? [`  detail   ${detail}`] : []),
    ...(place ? [`  place    ${place.file}:${place.line}:${place.column}`] : []),
    ...(accepted ? [`  effects  index ${formatBoolean(effects.index)}, follow ${formatBoolean(effects.follow)}`] : []),
    ...(queue ? [`  source   ${queue.source}${shift}`] : []),
  ];
}

function formatFacts({ robots, state, behind = [] }: ExplanationReport): string[] {
  const ruleLine = robots?.line === undefined ? '' : ` by line ${robots.line}: ${robots.rule}`;
  const nextVisit = state?.dueAt ? `, next visit ${state.dueAt} (${state.source})` : state ? ', not queued' : '';
  return [
    ...(robots ? [`  robots   ${robots.state}${ruleLine}`] : []),
    ...(state ? [`  stored   ${state.status} (${state.reason})${nextVisit}`] : []),
    ...behind.map(
      ({ sink, since }) =>
        `  behind   at sink ${sink} since ${since}: when it catches up, the sink gets the document as indexed by then`,
    ),
  ];
}

function formatHistory({ visits = [], orders = [], refusedLinks = [] }: ExplanationReport): string[] {
  const formatVisit = ({ at, status, outcome, detail }: VisitDto): string =>
    `    ${[at, status ?? '–', outcome, detail].filter((part) => part !== undefined).join('  ')}`;
  const formatOrder = ({ id, decidedAt, kind, state, reason, answer }: OrderDto): string =>
    `    ${decidedAt}  ${kind} ${state} (${reason}, order ${id})${answer ? `: ${answer}` : ''}`;
  return [
    ...formatSection('visits', visits.map(formatVisit)),
    ...formatSection('orders', orders.map(formatOrder)),
    ...formatSection(
      'refused links',
      refusedLinks.map(({ from, reason }) => `    ${reason}  on ${from}`),
    ),
  ];
}

function formatSection(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const omittedNote =
    lines.length > MAX_LINES ? [`    … and ${lines.length - MAX_LINES} more, in the console or GET …/explain`] : [];
  return [`  ${title}`, ...lines.slice(0, MAX_LINES), ...omittedNote];
}

const formatBoolean = (value: boolean): string => (value ? 'yes' : 'no');
