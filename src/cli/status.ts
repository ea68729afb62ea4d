/** `crawlway status`, `usage`, `login` and `changes`: what the running server reports. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChangesDto,
  type CrawlerDto,
  describeLimit,
  type LoginDto,
  type QuotaLimitDto,
  type SinkDto,
  type TextChangeDto,
  type UsageDto,
} from '../../client/index.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption, toQuery } from './client.js';
import { formatDiff } from './configuration.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface StatusOptions extends ServerOption, JsonOption {
  readonly once?: boolean;
}

const REFRESH_INTERVAL_MS = 1000;
const CLEAR_SCREEN = '\u001b[H\u001b[J';

/** On a terminal, redraws the tables every second; otherwise, and with --once, prints them once. */
export async function showStatus(options: StatusOptions): Promise<void> {
  const client = new ServerClient(options);
  if (options.json) return printJson(await fetchStatus(client));
  const isLive = !options.once && process.stdout.isTTY;
  for (;;) {
    const text = await fetchOverview(client);
    process.stdout.write(isLive ? CLEAR_SCREEN + text : text);
    if (!isLive) return;
    await sleep(REFRESH_INTERVAL_MS);
  }
}

async function fetchStatus(
  client: ServerClient,
): Promise<{ crawlers: readonly CrawlerDto[]; sinks: readonly SinkDto[] }> {
  const [crawlers, sinks] = await Promise.all([client.list<CrawlerDto>('/crawlers'), client.list<SinkDto>('/sinks')]);
  return { crawlers, sinks };
}

async function fetchOverview(client: ServerClient): Promise<string> {
  const { crawlers, sinks } = await fetchStatus(client);
  return [
    `${client.url}  ${new Date().toISOString()}`,
    formatCrawlers(crawlers),
    formatSources(crawlers),
    formatSinks(sinks),
    '',
  ].join('\n\n');
}

const formatCrawlers = (crawlers: readonly CrawlerDto[]): string =>
  formatTable(
    [
      'CRAWLER',
      'STATE',
      'INDEXED',
      'WAITING',
      'ERRORS',
      'PAGES/S',
      'ERRORS/S',
      'ORDERS/S',
      'PENDING ORDERS',
      'LIMITED BY',
    ],
    crawlers.map((crawler) => [
      crawler.name,
      crawler.idle && crawler.state === 'running' ? 'idle' : crawler.state,
      crawler.indexed,
      crawler.counts['waiting'] ?? 0,
      crawler.counts['error'] ?? 0,
      crawler.pagesPerSecond,
      crawler.errorsPerSecond,
      crawler.ordersPerSecond,
      crawler.pendingOrders,
      describeLimit(crawler.limitedBy),
    ]),
  );

const formatSources = (crawlers: readonly CrawlerDto[]): string =>
  formatTable(
    ['SOURCES', ...(crawlers[0]?.sources.map((source) => source.name) ?? [])],
    crawlers.map((crawler) => [crawler.name, ...crawler.sources.map((source) => source.depth)]),
  );

const formatSinks = (sinks: readonly SinkDto[]): string =>
  formatTable(
    ['SINK', 'TYPE', 'STATE', 'PENDING', 'TO CATCH UP', 'ACKNOWLEDGED', 'REFUSED', 'MESSAGE'],
    sinks.map((sink) => [
      sink.name,
      sink.type,
      sink.state,
      sink.pending,
      sink.behind.reduce((sum, { documents }) => sum + documents, 0),
      sink.acknowledged,
      Math.max(sink.refused, sink.lacking),
      sink.message ?? (sink.lastRefusal === undefined ? '' : `refused: ${sink.lastRefusal}`),
    ]),
  );

/** Logs in on the running server and shows each step; exit code 2 if the login fails. */
export async function testLogin(name: string, options: ServerOption & JsonOption): Promise<void> {
  const client = new ServerClient(options);
  const login = await client.call<LoginDto>('POST', `/logins/${encodeURIComponent(name)}/test`);
  if (login.state !== 'logged-in') process.exitCode = 2;
  if (options.json) return printJson(login);
  for (const [index, { what, url, status, detail }] of login.steps.entries()) {
    const statusText = status === undefined ? '' : ` -> ${status}`;
    process.stdout.write(`${toPrintable(`${index + 1}. ${what}${url === undefined ? '' : ` ${url}`}${statusText}`)}\n`);
    if (detail !== undefined) process.stdout.write(`   ${toPrintable(detail)}\n`);
  }
  if (login.state === 'logged-in') {
    process.stdout.write(`login ${name} works\n`);
    return;
  }
  process.stdout.write(
    `${toPrintable(`login ${name} failed (${login.failure ?? login.state}): ${login.detail ?? 'no details'}`)}\n`,
  );
}

export async function listLogins(options: ServerOption & JsonOption): Promise<void> {
  const logins = await new ServerClient(options).list<LoginDto>('/logins');
  if (options.json) return printJson(logins);
  if (logins.length === 0) {
    process.stdout.write('the configuration has no logins\n');
    return;
  }
  const rows = logins.map((login) => [
    login.name,
    login.type,
    login.url,
    login.state,
    login.lastSuccessAt ?? '',
    String(login.logins),
    login.lastSessionEndAt ?? '',
    login.lastSessionEndUrl ?? '',
    login.detail ?? '',
  ]);
  const columns = ['LOGIN', 'TYPE', 'URL', 'STATE', 'LAST SUCCESS', 'LOGINS', 'SESSION ENDED', 'BY', 'MESSAGE'];
  process.stdout.write(`${formatTable(columns, rows)}\n`);
}

interface UsageOptions extends ServerOption, JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly crawler?: string;
  readonly csv?: boolean;
}

export async function showUsage({ server, json, csv, from, to, crawler }: UsageOptions): Promise<void> {
  const client = new ServerClient({ server });
  const path = `/usage${toQuery({ from, to, crawler, format: csv ? 'csv' : undefined })}`;
  if (csv) return client.pipeTo(path, process.stdout);
  const usage = await client.call<UsageDto>('GET', path);
  if (json) return printJson(usage);
  process.stdout.write(`${describeUsage(usage)}\n`);
}

function describeUsage({ days, quotas }: UsageDto): string {
  const rows = days.map((day) => [
    ...[day.day, day.crawler, day.visits, formatBytes(day.bytes)],
    ...[(day.renderedSeconds / 60).toFixed(1), day.urls, day.documents],
  ]);
  const columns = ['DAY (UTC)', 'CRAWLER', 'VISITS', 'RECEIVED', 'RENDERED MIN', 'URLS', 'DOCUMENTS'];
  const tables = [days.length === 0 ? 'nothing was visited in this time' : formatTable(columns, rows)];
  if (quotas.length > 0) tables.push(formatTable(['QUOTA', 'LIMIT', 'USED', 'OF', ''], quotas.map(toQuotaRow)));
  return tables.join('\n\n');
}

function toQuotaRow({ quota, limit, used, max, reached, until }: QuotaLimitDto): string[] {
  const format = limit === 'bytes' ? formatBytes : String;
  const state = !reached ? '' : until === undefined ? 'reached' : `reached; begins anew at ${until}`;
  return [quota, limit, format(used), format(max), state];
}

const formatBytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

interface ChangesOptions extends ServerOption, JsonOption {
  readonly diff?: string;
  readonly since: string;
  readonly crawler?: string;
  readonly section?: string;
  readonly change?: string;
  readonly limit: string;
}

/** What is new, changed and gone in the index since a time, or the texts of one document. */
export async function showChanges({ server, json, diff, ...query }: ChangesOptions): Promise<void> {
  if (diff !== undefined) return showTextChanges(diff, { server, json, crawler: query.crawler });
  const changes = await new ServerClient({ server }).call<ChangesDto>('GET', `/changes${toQuery(query)}`);
  if (json) return printJson(changes);
  process.stdout.write(`${describeChanges(changes)}\n`);
}

async function showTextChanges(url: string, options: ServerOption & JsonOption & { crawler?: string }): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const changes = await client.list<TextChangeDto>(`/changes/text${toQuery({ crawler, url })}`);
  if (options.json) return printJson(changes);
  const lines = changes.flatMap(({ at, before, after, isCut }) => [
    ...formatDiff(
      { name: before === undefined ? 'not known' : `before ${at}`, text: toSentences(before ?? '') },
      { name: `since ${at}`, text: toSentences(after) },
    ),
    ...(isCut ? ['(a text is longer than is kept of it)'] : []),
    '',
  ]);
  const nothing = `no change of ${url} is kept; texts are kept for crawlers with KeepTexts in the configuration`;
  process.stdout.write(`${lines.length === 0 ? toPrintable(nothing) : lines.map(toPrintable).join('\n').trimEnd()}\n`);
}

const toSentences = (text: string): string => text.replaceAll(/(?<=[.!?…])\s+/g, '\n');

function describeChanges({ since, counts, sections, reasons, documents, complete }: ChangesDto): string {
  const total = counts.new + counts.changed + counts.gone;
  const summary = `since ${since}: ${counts.new} new, ${counts.changed} changed, ${counts.gone} gone`;
  const lines = [complete ? summary : `${summary}, and more: there are too many orders to read them all`];
  if (total === 0) return lines.join('\n');
  const sectionRows = sections.map(({ section, counts: of }) => [of.new, of.changed, of.gone, section]);
  const reasonRows = reasons.map(({ change, reason, count }) => [change, reason, count]);
  const rows = documents.map(({ change, reason, at, uri }) => [change, reason, at, uri]);
  lines.push('', formatTable(['NEW', 'CHANGED', 'GONE', 'SECTION'], sectionRows));
  lines.push('', formatTable(['CHANGE', 'REASON', 'DOCUMENTS'], reasonRows));
  lines.push('', formatTable(['CHANGE', 'REASON', 'AT', 'URL'], rows));
  if (documents.length < total) lines.push(toPrintable(`(${documents.length} of ${total}; --limit shows more)`));
  return lines.join('\n');
}
