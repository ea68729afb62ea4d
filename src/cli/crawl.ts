import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { FetcherDefinition } from '../domain/crawl/fetcher-definition.js';
import type { Headline } from '../domain/explain/facts.js';
import { findCodeEntry } from '../domain/explain/words.js';
import type { ErrorCode } from '../domain/fetch/error-codes.js';
import { toLookupName } from '../domain/net/local-names.js';
import type { ReasonCode } from '../domain/policy/reasons.js';
import { Secret } from '../domain/secret.js';
import { seconds } from '../domain/time/units.js';
import { DEFAULT_CANONICALIZATION } from '../domain/url/canonicalize.js';
import { decodePercent } from '../domain/url/decode-percent.js';
import type { EngineApi } from '../engine/engine-api.js';
import type { Log } from '../engine/ports/log.js';
import type { CrawlerView } from '../engine/views/crawler-views.js';
import { readDatabaseUrl } from '../server/database-url.js';
import { openEngine, XML_FORMAT } from '../server/engine.module.js';
import { fail, toFileError } from '../server/fail.js';
import { isLoopback, parseSiteUrl, UsageError } from '../server/options.js';
import { toPrintable, toPrintableLines } from '../server/printable.js';
import { escapeXml } from './first-configuration.js';
import { CrawlProgress, pluralize } from './output.js';

interface CrawlOptions {
  readonly out?: string;
  readonly delay?: string;
  /** Each as `name: value`. */
  readonly header?: readonly string[];
  readonly maxPages?: string;
  readonly render?: string;
  readonly sandbox?: boolean;
  /** Whether the result of the crawl is printed as JSON at its end. */
  readonly json?: boolean;
}

const CRAWLER_NAME = 'crawl';
const POLL_INTERVAL_MS = 100;
const MAX_REFUSED_SHOWN = 5;
const MAX_HOSTS = 100;
const EXIT = { complete: 0, startFailed: 2, limit: 3, nothing: 4, interrupted: 130 } as const;

export async function crawl(urls: readonly string[], options: CrawlOptions): Promise<void> {
  const limit =
    options.maxPages === undefined ? Number.POSITIVE_INFINITY : parseWholeNumber(options.maxPages, '--max-pages');
  const definition = await createSiteDefinition(urls.map(completeUrl), options);
  const output = options.out === undefined ? process.stdout : await openOutput(options.out);
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-crawl-'));
  // On exit rather than at the end of the crawl, because the program that reads the output may stop earlier.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  process.once('SIGTERM', () => interrupt.abort());
  try {
    const databaseUrl = readDatabaseUrl(`sqlite:${join(folder, 'crawl.sqlite')}`);
    const engine = await openEngine({ databaseUrl, log: QUIET, output, maxVisits: limit });
    await engine.open(definition);
    const ending = await waitForEnd(engine, limit, interrupt.signal);
    const failures = ending === 'complete' ? await listFailedRoots(engine) : [];
    const failedUrls = failures.map(({ url, reason }) => `${url} (${reason})`);
    const emptyCrawlLines = ending === 'complete' && failedUrls.length === 0 ? await explainEmptyCrawl(engine) : [];
    const emptyShells = await findEmptyShells(engine);
    const leftOut = await findLeftOut(engine);
    const crawlers = await engine.listCrawlers(); // draining closes the store
    await engine.drain(seconds(10));
    for (const failure of failures) process.stderr.write(toPrintableLines(formatFailure(failure)));
    for (const line of emptyCrawlLines) process.stderr.write(`${toPrintable(line)}\n`);
    for (const left of leftOut) process.stderr.write(toPrintableLines(formatLeftOut(left)));
    if (emptyShells.documents > 0)
      process.stderr.write(toPrintableLines(formatEmptyShells(emptyShells, options.render)));
    const exitCode =
      failedUrls.length > 0 ? EXIT.startFailed : emptyCrawlLines.length > 0 ? EXIT.nothing : EXIT[ending];
    if (options.json)
      printSummary(
        crawlers,
        { ending, exitCode, failed: failedUrls, nothing: emptyCrawlLines, leftOut, needRendering: emptyShells },
        output !== process.stdout,
      );
    process.exitCode = exitCode;
  } finally {
    if (output !== process.stdout) {
      output.end();
      await finished(output);
    }
  }
}

/** Prints the result, on standard error if orders go to standard output. */
function printSummary(crawlers: readonly CrawlerView[], result: object, toStdout: boolean): void {
  const summary = {
    ...result,
    crawlers: crawlers.map(({ name, counts: { indexed, byStatus } }) => ({ name, indexed, byStatus })),
  };
  const text = `${JSON.stringify(summary, undefined, toStdout ? 2 : undefined)}\n`;
  (toStdout ? process.stdout : process.stderr).write(text);
}

/** Prints only warnings and errors, because the progress is shown on standard error. */
const QUIET: Log = {
  debug: () => {},
  info: () => {},
  warn: (message) => void process.stderr.write(`${toPrintable(message)}\n`),
  error: (message, particulars) =>
    void process.stderr.write(`${toPrintable(`${message} ${JSON.stringify(particulars ?? {})}`)}\n`),
};

async function openOutput(path: string): Promise<WriteStream> {
  const stream = createWriteStream(path);
  await once(stream, 'open').catch((error) => {
    throw toFileError(path, 'written', error);
  });
  stream.on('error', (error) => fail(toFileError(path, 'written', error)));
  return stream;
}

async function waitForEnd(
  engine: EngineApi,
  limit: number,
  interrupt: AbortSignal,
): Promise<'complete' | 'limit' | 'interrupted'> {
  const progress = new CrawlProgress(process.stderr);
  try {
    for (;;) {
      // In this order: once no visit is in flight, the counts that are read afterwards are final.
      const { pages, visitsInFlight } = await engine.getMetrics();
      const view = await engine.getCrawler(CRAWLER_NAME);
      const pagesRead = pages.reduce((sum, { count }) => sum + count, 0);
      progress.show(view, pagesRead);
      if (interrupt.aborted) return 'interrupted';
      if (view.idle && view.pendingOrders === 0) return 'complete';
      if (view.active === 0 && view.pendingOrders === 0 && (await waitsForRobots(engine, view))) return 'complete';
      if (pagesRead >= limit && visitsInFlight === 0 && view.pendingOrders === 0) return 'limit';
      await sleep(POLL_INTERVAL_MS, undefined, { signal: interrupt }).catch(() => undefined);
    }
  } finally {
    progress.end();
  }
}

/** Whether all that waits is on hosts whose robots.txt cannot be read, so that a crawl would wait for it without end. */
async function waitsForRobots(engine: EngineApi, { nextRequestAt, counts }: CrawlerView): Promise<boolean> {
  if (nextRequestAt === undefined || nextRequestAt - Date.now() < seconds(30)) return false;
  const hosts = await engine.hosts.list(CRAWLER_NAME, undefined, MAX_HOSTS);
  const unreadable = hosts.filter(({ robots }) => robots?.state === 'unreachable');
  return unreadable.length > 0 && unreadable.reduce((sum, { queued }) => sum + queued, 0) >= counts.byStatus.waiting;
}

interface FailedRoot {
  readonly url: string;
  readonly reason: string;
  readonly headline: Headline;
}

const formatFailure = ({ url, reason, headline }: FailedRoot): string =>
  `could not be crawled: ${url} (${reason})\n  ${headline.text}\n${headline.nextStep ? `  Next step: ${headline.nextStep}\n` : ''}`;

async function listFailedRoots(engine: EngineApi): Promise<FailedRoot[]> {
  const failedRoots = (await engine.roots.list(CRAWLER_NAME)).filter(
    ({ state }) => !ANSWERED_STATUSES.has(state?.status ?? ''),
  );
  return Promise.all(
    failedRoots.map(async ({ url }) => {
      const { headline } = await engine.explanations.explain(CRAWLER_NAME, url);
      return { url, reason: headline.reason, headline };
    }),
  );
}
const ANSWERED_STATUSES: ReadonlySet<string> = new Set(['indexed', 'visited', 'redirected']);

/** Explains a crawl without any documents: what became of its start pages, and which links were refused. */
async function explainEmptyCrawl(engine: EngineApi): Promise<string[]> {
  if ((await engine.getCrawler(CRAWLER_NAME)).counts.indexed > 0) return [];
  const lines = ['no document was indexed:'];
  for (const { url } of await engine.roots.list(CRAWLER_NAME)) {
    const { headline } = await engine.explanations.explain(CRAWLER_NAME, url);
    lines.push(
      `  ${url}`,
      `    ${headline.text}`,
      ...(headline.nextStep ? [`    Next step: ${headline.nextStep}`] : []),
    );
  }
  for (const { reason, hostKey, count, samples } of (await engine.urls.listRefusedLinks(CRAWLER_NAME)).slice(
    0,
    MAX_REFUSED_SHOWN,
  ))
    lines.push(
      `  ${pluralize(count, 'link')} to ${hostKey} ${count === 1 ? 'was' : 'were'} refused (${reason}), such as ${samples[0]?.url}`,
    );
  return lines;
}

/** What was left out of the index for one reason, although its pages answered well or were linked to. */
interface LeftOut {
  readonly reason: ReasonCode | ErrorCode;
  readonly count: number;
  readonly sample?: string;
}

const LEFT_OUT_PAGES = [
  'exact-duplicate',
  'near-duplicate',
  'canonical-elsewhere',
  'noindex',
  'unavailable-after',
  'search-not-allowed',
  'directory-listing',
  'machine-readable',
  'mime-type-excluded',
  'soft-error',
  'bot-challenge',
] as const;
const LEFT_OUT_LINKS: ReadonlySet<string> = new Set<ReasonCode>([
  'not-linked',
  'links-cut',
  'trap-repeated-text',
  'trap-endless-pattern',
  'trap-query-variants',
  'trap-host-size',
]);

async function findLeftOut(engine: EngineApi): Promise<LeftOut[]> {
  const found = new Map<string, LeftOut>();
  for (const reason of LEFT_OUT_PAGES) {
    const filter = { crawler: CRAWLER_NAME, reason };
    const count = await engine.urls.count(filter);
    if (count > 0) found.set(reason, { reason, count, sample: (await engine.urls.search(filter, 0, 1)).urls[0]?.url });
  }
  for (const { reason, count, samples } of await engine.urls.listRefusedLinks(CRAWLER_NAME)) {
    if (!LEFT_OUT_LINKS.has(reason)) continue;
    const { count: counted = 0, sample = samples[0]?.url } = found.get(reason) ?? {};
    found.set(reason, { reason, count: counted + count, sample });
  }
  return [...found.values()];
}

function formatLeftOut({ reason, count, sample }: LeftOut): string {
  const { meaning, remedy } = findCodeEntry(reason);
  const such = sample === undefined ? '' : `, such as ${sample}`;
  const nextStep = /^Nothing to do/.test(remedy) ? '' : `  Next step: ${remedy}\n`;
  return `left out: ${pluralize(count, LEFT_OUT_LINKS.has(reason) ? 'link' : 'page')} (${reason})${such}\n  ${meaning}\n${nextStep}`;
}

/** Documents without the content that their scripts would add. */
interface EmptyShells {
  readonly documents: number;
  readonly sample?: string;
}

async function findEmptyShells(engine: EngineApi): Promise<EmptyShells> {
  const { needRendering } = await engine.getMetrics();
  if (needRendering.every(({ count }) => count === 0)) return { documents: 0 };
  const hosts = await engine.hosts.list(CRAWLER_NAME, undefined, MAX_HOSTS);
  const found = await Promise.all(hosts.map(async ({ hostKey }) => (await engine.hosts.get(hostKey)).needRendering));
  const documents = found.reduce((sum, shells) => sum + (shells?.documents ?? 0), 0);
  return { documents, sample: found.find((shells) => shells?.sample !== undefined)?.sample };
}

const formatEmptyShells = ({ documents, sample }: EmptyShells, render = 'never'): string =>
  `${pluralize(documents, 'document')} ${documents === 1 ? 'has' : 'have'} no content without ${documents === 1 ? 'its' : 'their'} scripts, such as ${sample}\n${render === 'never' ? '  Next step: Run the scripts in Chromium, with --render auto.\n' : ''}`;

const completeUrl = (url: string): string => parseSiteUrl(url)?.href ?? url;

/** Creates the definition from a configuration as a user would write it, so that the usual defaults apply. */
export async function createSiteDefinition(
  urls: readonly string[],
  {
    delay,
    header = [],
    render = 'never',
    sandbox = true,
    fetches = true,
  }: Pick<CrawlOptions, 'delay' | 'header' | 'render' | 'sandbox'> & { readonly fetches?: boolean },
): Promise<ServerDefinition> {
  if (!/^(?:never|auto|always)$/.test(render))
    throw new UsageError(`--render must be never, auto or always, not ${render}`);
  const starts = urls.map((url) => {
    const start = URL.parse(url);
    if (!start || !/^https?:$/.test(start.protocol)) throw new UsageError(`${url} is not an http or https URL`);
    return start;
  });
  const credentials = starts.flatMap(takeLogin);
  const isLocal = starts.every((start) => isLoopback(start.hostname));
  const throttle = delay === undefined ? (isLocal ? 0 : 2500) : parseWholeNumber(delay, '--delay');
  const addresses = fetches ? (await Promise.all(starts.map(resolveAddresses))).flat() : [];
  const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
    <Crawler name="${CRAWLER_NAME}" defaultAccept="true" throttleTimeMS="${throttle}" aggressive="${throttle === 0}" render="${render}">
      ${starts.map(renderRoot).join('\n')}
      ${render === 'never' ? '' : ROUTES}
      <cw:PushTo sink="out"/>
    </Crawler>
    <cw:Fetcher name="default">${addresses.map((cidr) => `<cw:AllowAddress cidr="${cidr}"/>`).join('')}${header.map(renderHeader).join('')}</cw:Fetcher>
    <cw:Renderer sandbox="${sandbox}"/>
    <cw:Sink name="out" type="file" url="-"/>
  </CrawlConfig>`;
  const { definition, problems } = XML_FORMAT.read(xml, { file: 'command line', readFile: throwOnFile });
  if (!definition) throw new UsageError(problems.map(({ message }) => message).join('\n'));
  for (const { code, message } of problems) if (code === 'no-browser') process.stderr.write(`${message}\n`);
  return { ...definition, fetchers: definition.fetchers.map((fetcher) => ({ ...fetcher, credentials })) };
}

/** Removes user name and password from a URL, and binds them to its server. */
function takeLogin(start: URL): FetcherDefinition['credentials'] {
  const [user, password] = [start.username, start.password].map(decodePercent) as [string, string];
  start.username = start.password = '';
  return user === '' && password === '' ? [] : [{ url: `${start.origin}/`, user, password: new Secret(password) }];
}

/** Keeps fragments that are routes, for applications whose pages differ only in the fragment. */
const ROUTES = `<cw:Canonicalization steps="${[...DEFAULT_CANONICALIZATION, 'keep-hash-routes'].join(' ')}"/>`;

/**
 * The root covers the whole site if the URL ends in a slash, otherwise its folder: a document's own URL would be a site
 * of a single page.
 */
function renderRoot(start: URL): string {
  const scope = start.pathname.endsWith('/') ? 'site' : 'entireSite';
  return `<Root url="${escapeXml(escapeReferences(start.href))}" ${scope}="true"/>`;
}

function renderHeader(header: string): string {
  const colon = header.indexOf(':');
  const name = header.slice(0, Math.max(0, colon)).trim();
  const value = header.slice(colon + 1).trim();
  if (!/^\S+$/.test(name) || value === '')
    throw new UsageError(`--header must be a name and a value, such as "Accept-Language: de", not ${header}`);
  return `<cw:Header name="${escapeXml(name)}" value="${escapeXml(value)}"/>`;
}

/**
 * In a URL on the command line, `${NAME}` must not be read as a reference to a variable, whose value would be sent to
 * the site.
 */
const escapeReferences = (url: string): string => url.replaceAll('${', '$%7B');

/** A private host on the command line is intentional, so it is allowed; links to other private hosts are refused. */
async function resolveAddresses(start: URL): Promise<string[]> {
  const found = await lookup(toLookupName(start.hostname.replace(/^\[|\]$/g, '')), { all: true }).catch(() => []);
  return found.map(({ address, family }) => `${address}/${family === 4 ? 32 : 128}`);
}

function throwOnFile(name: string): never {
  throw new Error(`the configuration of crawlway crawl must not refer to a file, but refers to ${name}`);
}

function parseWholeNumber(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} must be a whole number, not ${text}`);
  return Number(text);
}
