/** Commands about the URLs of a running server: `clear`, `refresh`, `refused`, `roots` and `submit`. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text as readText } from 'node:stream/consumers';
import type { RefreshedDto, RefusedDto, RootDto, UrlListOutcomeDto } from '../../client/index.js';
import { iterateUrlListEntries } from '../domain/url/url-list.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption, toJsonBody } from './client.js';
import { type JsonOption, pluralize, printJson } from './output.js';
import { formatTable } from './table.js';

interface ClearOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
  readonly yes?: boolean;
}

export async function deleteUrls(pattern: string, options: ClearOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const path = `/crawlers/${encodeURIComponent(crawler)}/urls?like=${encodeURIComponent(pattern)}`;
  if (!options.yes) {
    // Without `confirm`, the server deletes nothing and returns the number of URLs that it would delete.
    const { status, body } = await client.request<{ count?: number; detail?: string }>('DELETE', path);
    if (status === 409 && body.count === 0) {
      process.stderr.write(`${body.detail ?? 'No stored URL matches.'}\n`);
      if (options.json) printJson({ crawler, deleted: 0 });
      return;
    }
    if (status !== 409 || body.count === undefined)
      throw new UsageError(body.detail ?? `the server responded with ${status}`);
    if (
      !(await confirm(
        `${pluralize(body.count, 'URL')} of ${crawler} ${body.count === 1 ? 'matches' : 'match'} ${pattern}. Delete ${body.count === 1 ? 'it and its document' : 'them and their documents'}?`,
      ))
    ) {
      process.stdout.write('nothing was deleted\n');
      return;
    }
  }
  const { count } = await client.call<{ count: number }>('DELETE', `${path}&confirm=true`);
  if (options.json) printJson({ crawler, deleted: count });
  else process.stdout.write(`${pluralize(count, 'URL')} ${count === 1 ? 'was' : 'were'} deleted\n`);
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError(`${question} To confirm this without a terminal, use --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

interface RefreshOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
}

/** Matches patterns; a `%` followed by two hexadecimal digits is part of a URL, not of a pattern. */
const PATTERN = /\*|%(?![\da-f]{2})/i;

export async function refreshUrls(urlOrPattern: string, options: RefreshOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const body = toJsonBody(PATTERN.test(urlOrPattern) ? { like: urlOrPattern } : { url: urlOrPattern });
  const path = `/crawlers/${encodeURIComponent(crawler)}/refresh`;
  const result = await client.call<RefreshedDto>('POST', path, body);
  if (options.json) return printJson(result);
  const { count, resting } = result;
  if (count === 0)
    process.stdout.write(
      `no stored URL of ${crawler} matches; "crawlway explain URL" explains why a URL is not stored\n`,
    );
  else process.stdout.write(`${count} ${count === 1 ? 'URL is' : 'URLs are'} due now\n`);
  for (const { host, until } of resting)
    process.stdout.write(
      `${toPrintable(host)} is resting until ${until}: one request is sent anyway, and a good response ends the rest period\n`,
    );
}

interface RefusedOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
  readonly reason?: string;
  readonly host?: string;
  readonly samples?: string;
}

/** Lists the links that were refused and never stored: how many, why, and a few samples, first one of each reason and host. */
export async function listRefusedLinks(options: RefusedOptions): Promise<void> {
  const client = new ServerClient(options);
  const links: (RefusedDto & { readonly crawler: string })[] = [];
  for (const crawler of await client.resolveCrawlers(options.crawler)) {
    const refused = await client.list<RefusedDto>(`/crawlers/${encodeURIComponent(crawler)}/refused`);
    links.push(...refused.map((link) => ({ crawler, ...link })));
  }
  const { reason, host } = options;
  const shownLinks = links.filter(
    (link) => (reason ?? link.reason) === link.reason && (host ?? link.host) === link.host,
  );
  if (options.json) return printJson(shownLinks);
  if (shownLinks.length === 0) {
    process.stdout.write(
      `no ${reason === undefined && host === undefined ? '' : 'matching '}link has been refused since the server started\n`,
    );
    return;
  }
  const rows = shownLinks.map((link) => [link.crawler, link.count, link.reason, link.host]);
  process.stdout.write(`${formatTable(['CRAWLER', 'LINKS', 'REASON', 'HOST'], rows)}\n\n`);
  const samples = shownLinks.flatMap((link) =>
    link.samples.map(({ url, from }, index) => ({
      index,
      text: `${link.reason}  ${url}\n  on ${from}`.split('\n').map(toPrintable).join('\n'),
    })),
  );
  const shown = samples.sort((a, b) => a.index - b.index).slice(0, Number(options.samples ?? 20));
  const rest = samples.length - shown.length;
  process.stdout.write(
    [...shown.map(({ text }) => text), ...(rest > 0 ? [`${rest} more: --samples`] : []), ''].join('\n'),
  );
}

interface RootsOptions extends ServerOption, JsonOption {
  readonly crawler?: string;
}

type RootRow = RootDto & { readonly crawler: string };

/** Lists the start URLs and what became of each. */
export async function listRoots(options: RootsOptions): Promise<void> {
  const client = new ServerClient(options);
  const crawlers = await client.resolveCrawlers(options.crawler);
  const rootRows: RootRow[] = [];
  for (const crawler of crawlers) {
    const roots = await client.listAll<RootDto>(`/crawlers/${encodeURIComponent(crawler)}/roots`);
    rootRows.push(...roots.map((root) => ({ crawler, ...root })));
  }
  if (options.json) return printJson(rootRows);
  if (rootRows.length === 0) {
    process.stdout.write(
      `${crawlers.length === 1 ? `the crawler ${crawlers[0]} has` : 'the crawlers have'} no roots\n`,
    );
    return;
  }
  const rows = rootRows.map(({ crawler, url, origin, state }) => [
    crawler,
    state?.status ?? 'rejected',
    state?.reason ?? '',
    state?.dueAt ?? '',
    origin,
    url,
  ]);
  process.stdout.write(`${formatTable(['CRAWLER', 'STATUS', 'REASON', 'NEXT VISIT', 'FROM', 'URL'], rows)}\n`);
}

/** Maximum number of URLs per call, so that each call returns soon, however long the list is. */
const BATCH_SIZE = 2_000;

interface SubmitOptions extends ServerOption, JsonOption {
  readonly file: string;
  readonly crawler?: string;
}

export async function submitUrls(options: SubmitOptions): Promise<void> {
  const text = await readList(options.file);
  const client = new ServerClient(options);
  const crawler = await client.resolveCrawler(options.crawler);
  const path = `/crawlers/${encodeURIComponent(crawler)}/roots/list`;
  const entries = [...iterateUrlListEntries(text)];
  const rejections: { line?: number; url: string; message?: string }[] = [];
  const sum = { new: 0, known: 0, rejected: 0 };
  for (let i = 0; i < entries.length; i += BATCH_SIZE) {
    const batch = entries.slice(i, i + BATCH_SIZE);
    const outcome = await client.call<UrlListOutcomeDto>('POST', path, {
      type: 'text/plain',
      text: batch.map((entry) => entry.text).join('\n'),
    });
    for (const { line, url, message } of outcome.rejections) {
      const lineNumber = batch[(line ?? 0) - 1]?.line;
      rejections.push({ line: lineNumber, url, message });
      if (!options.json)
        process.stderr.write(`${toPrintable(`line ${lineNumber ?? '?'} rejected: ${url}: ${message ?? ''}`)}\n`);
    }
    sum.new += outcome.new;
    sum.known += outcome.known;
    sum.rejected += outcome.rejected;
  }
  if (options.json) printJson({ ...sum, rejections });
  else process.stdout.write(`${sum.new} new, ${sum.known} known, ${sum.rejected} rejected\n`);
  process.exitCode = sum.rejected > 0 ? 1 : 0;
}

/** Reads the list asynchronously, because a synchronous read of a pipe fails if its writer is slower. */
async function readList(file: string): Promise<string> {
  try {
    return await (file === '-' ? readText(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw toFileError(`the URL list ${file}`, 'read', error);
  }
}
