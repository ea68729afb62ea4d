import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { ContentDefinition } from '../domain/content/content-definition.js';
import { DOCUMENT_EXTENSIONS } from '../domain/content/document-types.js';
import type { CrawlerDefinition, ServerDefinition } from '../domain/crawl/definition.js';
import type { FetcherDefinition } from '../domain/crawl/fetcher-definition.js';
import { milliseconds } from '../domain/time/units.js';
import { inspectPage } from '../engine/control/inspect-page.js';
import { compileContexts } from '../engine/page/crawl-context.js';
import type { KeptAnswer, PageResult, PageTask } from '../engine/ports/page-task.js';
import { openConfigurationFile, openPageProcessor, systemClock } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { createSiteDefinition } from './crawl.js';
import { type JsonOption, printJson } from './output.js';

interface ExtractOptions extends JsonOption {
  readonly markdown?: boolean;
  readonly config?: string;
  readonly crawler?: string;
  readonly url?: string;
}

/** Prints what is extracted from a page or document, on the web or on this machine: text, Markdown, or all as JSON. */
export async function extract(source: string, options: ExtractOptions): Promise<void> {
  const isUrl = /^https?:\/\//i.test(source);
  if (isUrl && options.url !== undefined)
    throw new UsageError('--url sets the address of a local file: use it only with a file');
  const url = isUrl ? source : (options.url ?? `http://127.0.0.1/${encodeURIComponent(basename(source))}`);
  const definition = await createDefinition(url, isUrl, options);
  printPage(
    source,
    await readPage(url, definition, isUrl ? {} : { trial: { answer: await readFileAsResponse(source) } }),
    options,
  );
}

/** Reads one page in the same way as the console, fetching it unless the response is given; nothing is stored. */
export async function readPage(
  url: string,
  definition: ServerDefinition,
  overrides: Pick<PageTask, 'render' | 'trial'> = {},
): Promise<PageResult> {
  const processor = openPageProcessor(QUIET);
  try {
    await processor.configure(definition);
    const context = compileContexts(definition).get(definition.crawlers[0]!.name)!;
    const root = { url, discoveredVia: 'root', root: url, hops: 0 } as const;
    return await inspectPage(context, processor, root, systemClock.now(), overrides);
  } finally {
    await processor.close();
  }
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The configuration determines what is extracted and, by its fetchers and conditions, how the page is fetched; its
 * rules do not apply, because the user has chosen the URL.
 */
async function createDefinition(url: string, fetches: boolean, options: ExtractOptions): Promise<ServerDefinition> {
  const siteDefinition = await createSiteDefinition([url], { delay: '0', fetches });
  const configuration =
    options.config === undefined ? undefined : (await openConfigurationFile(options.config).load()).definition;
  const namedCrawler = configuration?.crawlers.find(
    ({ name }) => options.crawler === undefined || name === options.crawler,
  );
  if (options.crawler !== undefined && !namedCrawler)
    throw new UsageError(`--crawler ${options.crawler} requires --config with a crawler of that name`);
  const crawler: CrawlerDefinition = {
    ...siteDefinition.crawlers[0]!,
    mimeTypesMode: 'exclude',
    mimeTypes: [],
    contents: listContents(namedCrawler, options.markdown === true),
    ...(namedCrawler?.conditions ? { conditions: namedCrawler.conditions } : {}),
    softErrors: namedCrawler?.softErrors ?? [],
    fetcher: namedCrawler?.fetcher ?? 'default',
  };
  if (!configuration) return { ...siteDefinition, crawlers: [crawler], extractors: [] };
  const { extractors, renderer } = configuration;
  const [{ allowedAddresses, credentials }] = siteDefinition.fetchers as [FetcherDefinition];
  // The server is the one that the user has named.
  const fetchers = configuration.fetchers.map((fetcher) => ({
    ...fetcher,
    allowedAddresses: [...fetcher.allowedAddresses, ...allowedAddresses],
    credentials: [...credentials, ...fetcher.credentials],
  }));
  return { ...siteDefinition, crawlers: [crawler], extractors, renderer, fetchers };
}

function listContents(crawler: CrawlerDefinition | undefined, markdown: boolean): readonly ContentDefinition[] {
  const contents = crawler?.contents ?? [];
  const contentsWithDefault = contents.some(({ name }) => name === undefined) ? contents : [...contents, WHOLE_PAGE];
  return contentsWithDefault.map((content) => ({ ...content, markdown: content.markdown || markdown }));
}

const WHOLE_PAGE: ContentDefinition = {
  include: [],
  exclude: [],
  markers: [],
  main: false,
  omitRepeated: false,
  metas: true,
  fields: [],
  headings: true,
  markdown: false,
  changeDetection: 'content',
  place: { file: 'command line', line: 1, column: 1 },
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  txt: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xml: 'application/xml',
};

/** Reads a file as if it were the response of a web server. */
async function readFileAsResponse(path: string): Promise<KeptAnswer> {
  const body = await readFile(path).catch((error) => {
    throw toFileError(path, 'read', error);
  });
  const extension = extname(path).slice(1).toLowerCase();
  const type = MEDIA_TYPES[extension] ?? DOCUMENT_EXTENSIONS.get(extension) ?? 'application/octet-stream';
  const timings = { header: milliseconds(0), total: milliseconds(0) };
  const headers = { 'content-type': type };
  return { kind: 'response', status: 200, headers, body, transferred: body.length, address: '', timings };
}

/** What a page could control a terminal with; marks of direction remain, because the text may need them. */
const replaceControls = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '?');

function printPage(source: string, { outcome, status, links, refused }: PageResult, options: ExtractOptions): void {
  if (outcome.kind !== 'document') {
    const detail =
      'detail' in outcome ? outcome.detail : outcome.kind === 'redirect' ? `redirects to ${outcome.target}` : '';
    throw new UsageError(`${source} returns no document: ${outcome.kind}${detail ? `: ${detail}` : ''}`);
  }
  const { facts, reading, unread } = outcome;
  const { text = '', markdown, ...rest } = reading ?? {};
  if (options.json) {
    const unreadable = unread && { reason: unread.refused, detail: unread.detail };
    printJson({
      source,
      status,
      contentType: facts.contentType,
      title: facts.title,
      unreadable,
      ...rest,
      links: [...new Set([...links, ...refused].map(({ url }) => url))],
      text,
      markdown,
    });
  } else process.stdout.write(`${replaceControls(options.markdown ? (markdown ?? text) : text)}\n`);
  if (outcome.isMostlyCut)
    process.stderr.write(
      `${source}: the main content has ${Math.round(100 * (reading?.mainShare ?? 0))} % of the text outside links. If more belongs to it, name it with ` +
        'cw:Include, or leave main="true" out for such pages.\n',
    );
  if (!unread) return;
  process.stderr.write(`${source}: ${unread.refused}: ${toPrintable(unread.detail)}\n`);
  process.exitCode = 2;
}
