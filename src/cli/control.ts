/**
 * Commands of daily work with a running server: `crawler`, `host`, `held`, `moves`, `urls`, `orders list` and `audit`. Everything that they show or
 * do is in the API and the console, too.
 */
import {
  type AuditEntryDto,
  type CrawlerDto,
  explainPause,
  type HeldChangeDto,
  type HeldChangeGroupDto,
  type HeldDeletionsDto,
  type HostDto,
  type OrderDto,
  type SiteMoveDto,
  type UrlStateDto,
} from '../../client/index.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption, toJsonBody, toQuery } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

type Options = ServerOption & JsonOption;

export const CRAWLER_ACTIONS = ['start', 'pause', 'stop'] as const;

type PauseOptions = Options & { readonly until?: string };

const PERIOD_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The end of a pause: a time, or a period from now. */
function toUntilQuery(text: string | undefined): string {
  if (text === undefined) return '';
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const until = count === undefined ? Date.parse(text) : Date.now() + Number(count) * PERIOD_MS[unit]!;
  if (Number.isNaN(until))
    throw new UsageError(`--until ${text} is neither a period such as 2h nor a time such as 2027-01-31T08:00:00Z`);
  return toQuery({ until: new Date(until).toISOString() });
}

/** Starts, pauses or stops one crawler, or all of them if no name is given. */
export async function controlCrawlers(
  action: (typeof CRAWLER_ACTIONS)[number],
  name: string | undefined,
  options: PauseOptions,
): Promise<void> {
  const client = new ServerClient(options);
  const query = toUntilQuery(options.until);
  const crawlers: CrawlerDto[] = [];
  for (const crawler of await client.resolveCrawlers(name))
    crawlers.push(await client.call<CrawlerDto>('POST', `/crawlers/${encodeURIComponent(crawler)}/${action}${query}`));
  if (options.json) return printJson(crawlers);
  for (const { name: crawler, state, pausedUntil } of crawlers)
    process.stdout.write(`${toPrintable(crawler)} is ${state}${pausedUntil ? ` until ${pausedUntil}` : ''}\n`);
}

export async function controlHost(action: 'pause' | 'resume', host: string, options: PauseOptions): Promise<void> {
  const path = `/hosts/${encodeURIComponent(host)}/${action}${toUntilQuery(options.until)}`;
  const view = await new ServerClient(options).call<HostDto>('POST', path);
  if (options.json) return printJson(view);
  const state = view.paused ? `is paused until ${view.pausedUntil ?? 'it is resumed'}` : 'is crawled again';
  process.stdout.write(`${toPrintable(view.host)} ${state}\n`);
}

export async function showHost(host: string, options: Options): Promise<void> {
  const view = await new ServerClient(options).call<HostDto>('GET', `/hosts/${encodeURIComponent(host)}`);
  if (options.json) return printJson(view);
  const { urls, indexed, errors, queued, crawlDelaySeconds, pauseCause, backOffUntil, averageLatencySeconds } = view;
  const failures = Object.entries(view.errorClasses).map(([code, count]) => `${code} (${count})`);
  const lines = [
    `${view.host}: ${urls} URLs, ${indexed} in the index, ${errors} in error, ${queued} scheduled`,
    ...(view.paused ? [`paused until ${view.pausedUntil ?? 'it is resumed'}`] : []),
    ...(backOffUntil === undefined
      ? []
      : [`not responding, or asked crawlers to slow down: rests until ${backOffUntil}`]),
    ...(crawlDelaySeconds === undefined || pauseCause === undefined
      ? []
      : [`pause of ${crawlDelaySeconds} s after the last page, ${explainPause(pauseCause)}`]),
    ...(view.nextRequestAt === undefined ? [] : [`next request not before ${view.nextRequestAt}`]),
    ...(averageLatencySeconds === undefined
      ? []
      : [`responds in ${Number(averageLatencySeconds.toPrecision(2))} s on average`]),
    ...(failures.length === 0 ? [] : [`failed visits: ${failures.join(', ')}`]),
  ];
  process.stdout.write(`${lines.map(toPrintable).join('\n')}\n`);
}

interface UrlFilters extends Options {
  readonly crawler?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly host?: string;
  readonly like?: string;
  readonly limit: string;
  readonly export?: 'csv' | 'ndjson';
}

/** Lists stored URLs, or prints all that match as a file. */
export async function listUrls({ crawler: name, limit, export: format, ...rest }: UrlFilters): Promise<void> {
  const { json, server, ...filters } = rest;
  const client = new ServerClient({ server });
  const crawler = await client.resolveCrawler(name);
  const path = `/crawlers/${encodeURIComponent(crawler)}/urls`;
  if (format) return client.pipeTo(`${path}/export${toQuery({ ...filters, format })}`, process.stdout);
  const urls = await client.list<UrlStateDto>(
    `${path}${toQuery({ ...filters, limit })}`,
    '--limit shows up to 1000, --export all',
  );
  if (json) return printJson(urls);
  const rows = urls.map(({ status, reason = '', lastVisitAt = '', dueAt = '', url }) => [
    status,
    reason,
    lastVisitAt,
    dueAt,
    url,
  ]);
  process.stdout.write(`${formatTable(['STATUS', 'REASON', 'LAST VISIT', 'NEXT VISIT', 'URL'], rows)}\n`);
}

interface OrderFilters extends Options {
  readonly crawler?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly uri?: string;
  readonly host?: string;
  readonly limit: string;
}

export async function listOrders({ server, json, ...filters }: OrderFilters): Promise<void> {
  const orders = await new ServerClient({ server }).list<OrderDto>(`/orders${toQuery(filters)}`, '--limit shows more');
  if (json) return printJson(orders);
  const rows = orders.map(({ id, decidedAt, kind, state, reason, uri, answer = '' }) => [
    id,
    decidedAt,
    kind,
    state,
    reason,
    uri,
    answer,
  ]);
  process.stdout.write(`${formatTable(['ORDER', 'DECIDED', 'KIND', 'STATE', 'REASON', 'URI', 'ANSWER'], rows)}\n`);
}

/** Lists what is held by host and reason; of one host, also its held changes beside their documents. */
export async function listHeld(host: string | undefined, options: Options): Promise<void> {
  const client = new ServerClient(options);
  if (host !== undefined && options.json) return printJson(await listHeldChanges(client, host));
  const all = await client.list<HeldDeletionsDto>('/held-deletions');
  if (options.json) return printJson(all);
  const held = all.filter(({ host: name }) => host === undefined || name === host);
  if (held.length === 0) {
    process.stdout.write(`nothing is held${host === undefined ? '' : ` for ${toPrintable(host)}`}\n`);
    return;
  }
  const rows = held.flatMap(({ host: name, crawler, reasons, oldest, changes }) =>
    Object.entries(reasons).map(([reason, count]) => {
      const change = changes.find(({ cause }) => cause === reason);
      return [name, crawler, reason, count, describeEffect(change), change?.oldest ?? oldest];
    }),
  );
  process.stdout.write(`${formatTable(['HOST', 'CRAWLER', 'REASON', 'DOCUMENTS', 'WOULD', 'SINCE'], rows)}\n`);
  if (host !== undefined) printHeldChanges(await listHeldChanges(client, host));
  process.stderr.write('to decide: crawlway held release HOST [--reason REASON], or crawlway held drop HOST\n');
}

function describeEffect(change: HeldChangeGroupDto | undefined): string {
  if (!change || change.replaces === 0) return 'delete';
  return change.deletes === 0 ? 'replace' : `replace ${change.replaces}, delete ${change.deletes}`;
}

const listHeldChanges = (client: ServerClient, host: string): Promise<readonly HeldChangeDto[]> =>
  client.list<HeldChangeDto>(`/held-deletions/${encodeURIComponent(host)}/changes`);

function printHeldChanges(changes: readonly HeldChangeDto[]): void {
  for (const { uri, cause, since, title, indexedText = '(no sink shows it)', finding = '' } of changes)
    process.stdout.write(
      `${toPrintable(uri)}\n  ${cause} since ${since}\n  indexed: ${toPrintable(`${title}: ${indexedText}`)}\n  now: ${toPrintable(finding)}\n`,
    );
}

export async function decideHeld(
  action: 'release' | 'drop',
  host: string,
  { reason, ...options }: Options & { readonly reason?: string },
): Promise<void> {
  const path = `/held-deletions/${encodeURIComponent(host)}/${action}${toQuery({ reason })}`;
  const { count } = await new ServerClient(options).call<{ readonly count: number }>('POST', path);
  if (options.json) return printJson({ host, [action === 'release' ? 'released' : 'dropped']: count });
  process.stdout.write(`${count} of ${toPrintable(host)} ${action === 'release' ? 'released' : 'dropped'}\n`);
}

export async function listMoves(options: Options): Promise<void> {
  const moves = await new ServerClient(options).list<SiteMoveDto>('/moves');
  if (options.json) return printJson(moves);
  if (moves.length === 0) {
    process.stdout.write('no site moves\n');
    return;
  }
  const rows = moves.map(({ crawler, root, target, reason, since, documents, pages }) => [
    crawler,
    toPrintable(pages?.from ?? root),
    toPrintable(target),
    pages ? describeProgress(pages) : `${reason}: ${documents} documents wait for a decision`,
    since,
  ]);
  process.stdout.write(`${formatTable(['CRAWLER', 'FROM', 'TO', 'STATE', 'SINCE'], rows)}\n`);
  for (const url of moves.flatMap(({ pages }) => pages?.nowhere ?? []))
    process.stdout.write(`leads nowhere: ${toPrintable(url)}\n`);
  if (moves.some(({ pages }) => !pages))
    process.stderr.write('to decide: crawlway moves follow ROOT --crawler NAME, or crawlway moves decline …\n');
}

const describeProgress = ({ done, total, waiting, failing, nowhere }: NonNullable<SiteMoveDto['pages']>): string =>
  [
    `${done} of ${total} done`,
    ...(waiting > 0 ? [`${waiting} wait`] : []),
    ...(failing > 0 ? [`${failing} fail`] : []),
    ...(nowhere.length > 0 ? [`${nowhere.length} lead nowhere`] : []),
  ].join(', ');

export async function decideMove(
  root: string,
  follow: boolean,
  { crawler: name, ...options }: Options & { readonly crawler?: string },
): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(name);
  await client.call('POST', `/crawlers/${encodeURIComponent(crawler)}/moves`, toJsonBody({ root, follow }));
  if (options.json) return printJson({ crawler, root, follow });
  process.stdout.write(`${toPrintable(root)} ${follow ? 'is followed' : 'is not followed'}\n`);
}

export async function showAudit(options: Options & { readonly limit: string }): Promise<void> {
  const entries = await new ServerClient(options).list<AuditEntryDto>(
    `/audit?limit=${encodeURIComponent(options.limit)}`,
    '--limit shows more',
  );
  if (options.json) return printJson(entries);
  const rows = entries.map(({ at, who, what, target, outcome }) => [at, who, what, target, outcome]);
  process.stdout.write(`${formatTable(['TIME', 'BY', 'CALL', 'TARGET', 'OUTCOME'], rows)}\n`);
}
