import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname } from 'node:path';
import type { ContentDefinition } from '../domain/content/content-definition.js';
import { DOCUMENT_EXTENSIONS } from '../domain/content/document-types.js';
import type { CrawlerDefinition, ServerDefinition } from '../domain/crawl/definition.js';
import type { PageResult } from '../engine/ports/page-task.js';
import { configurationFile, openPageProcessor, systemClock } from '../server/engine.module.js';
import { fileFault } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { siteDefinition } from './crawl.js';
import { type JsonOption, printJson } from './output.js';

interface ExtractOptions extends JsonOption {
  readonly markdown?: boolean;
  readonly config?: string;
  readonly crawler?: string;
}

/**
 * Prints what is extracted from one page or document, from the web or from this machine: text, everything as JSON, or Markdown.
 */
export async function extract(source: string, options: ExtractOptions): Promise<void> {
  const served = /^https?:\/\//i.test(source) ? undefined : await serveFile(source);
  try {
    const url = served?.url ?? source;
    const definition = await definitionFor(url, options);
    print(source, await readPage(url, definition), options);
  } finally {
    await served?.close();
  }
}

/** Fetches and reads one page as a person sees it in the console; nothing is stored. */
export async function readPage(url: string, definition: ServerDefinition, render?: 'always'): Promise<PageResult> {
  const processor = openPageProcessor(QUIET);
  try {
    await processor.configure(definition);
    const crawler = definition.crawlers[0]!.name;
    const task = { id: -1, crawler, url, discoveredVia: 'root', root: url, hops: 0, redirects: 0 } as const;
    return await processor.process({
      ...task,
      rereadLinks: true,
      inheritedMetas: [],
      now: systemClock.now(),
      inspect: true,
      render,
    });
  } finally {
    await processor.close();
  }
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The configuration determines what is extracted from pages and how they are fetched; its rules do not apply to a URL that a person
 * names.
 */
async function definitionFor(url: string, options: ExtractOptions): Promise<ServerDefinition> {
  const plain = await siteDefinition([url], { delay: '0' });
  const configured = options.config === undefined ? undefined : configurationFile(options.config).load().definition;
  const named = configured?.crawlers.find(({ name }) => options.crawler === undefined || name === options.crawler);
  if (options.crawler !== undefined && !named)
    throw new UsageError(`--crawler ${options.crawler}: give --config with a crawler of that name`);
  const crawler: CrawlerDefinition = {
    ...plain.crawlers[0]!,
    mimeTypesMode: 'exclude',
    mimeTypes: [],
    contents: contentsOf(named, options.markdown === true),
    ...(named?.conditions ? { conditions: named.conditions } : {}),
    softErrors: named?.softErrors ?? [],
  };
  return { ...plain, crawlers: [crawler], extractors: configured?.extractors ?? [] };
}

function contentsOf(crawler: CrawlerDefinition | undefined, markdown: boolean): readonly ContentDefinition[] {
  const contents = crawler?.contents ?? [];
  const general = contents.some(({ name }) => name === undefined) ? contents : [...contents, PAGE_AS_IT_IS];
  return general.map((content) => ({ ...content, markdown: content.markdown || markdown }));
}

const PAGE_AS_IT_IS: ContentDefinition = {
  include: [],
  exclude: [],
  markers: [],
  main: false,
  metas: true,
  fields: [],
  headings: true,
  markdown: false,
  changeDetection: 'content',
  place: { file: 'command line', line: 1, column: 1 },
};

const WEB_TYPES: Readonly<Record<string, string>> = {
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

/** A file is read through HTTP: from a server that has only this file, on this machine. */
async function serveFile(path: string): Promise<{ url: string; close: () => Promise<void> }> {
  const body = await readFile(path).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  const extension = extname(path).slice(1).toLowerCase();
  const type = WEB_TYPES[extension] ?? DOCUMENT_EXTENSIONS.get(extension) ?? 'application/octet-stream';
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/${encodeURIComponent(basename(path))}`, close };
}

function print(source: string, { outcome, status }: PageResult, options: ExtractOptions): void {
  if (outcome.kind !== 'document') {
    const why =
      'detail' in outcome ? outcome.detail : outcome.kind === 'redirect' ? `redirects to ${outcome.target}` : '';
    throw new UsageError(`${source} gives no document: ${outcome.kind}${why ? `: ${why}` : ''}`);
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
      text,
      markdown,
    });
  } else process.stdout.write(`${options.markdown ? (markdown ?? text) : text}\n`);
  if (!unread) return;
  process.stderr.write(`${source}: ${unread.refused}: ${unread.detail}\n`);
  process.exitCode = 2;
}
