/**
 * Measures how many pages per second one core reads with the scanner alone, the whole page reader, htmlparser2 and
 * parse5, over the HTML files below a folder: `node dist/bench/parse.js FOLDER [pages]`.
 *
 * The parsers do the scanner's work: links, base, title and visible text. In each run, the contestants take turns in
 * reading each page once, so that a busy machine slows them all alike; of `RUNS` runs, the fastest is used for each
 * slice of pages.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { HtmlScanner } from '../src/adapters/parsers/html/html-scanner.js';
import { TextBuffer } from '../src/adapters/parsers/html/text-buffer.js';
import { createPageReader } from '../src/adapters/parsers/page-reader.js';
import { type ContentDefinition, type FieldDefinition, MARKERS } from '../src/domain/content/content-definition.js';
import { compileFields } from '../src/domain/content/fields.js';
import { computeSimhash } from '../src/domain/content/simhash.js';
import { toCrawlUrl } from '../src/domain/url/crawl-url.js';
import type { Extraction, SyncExtractor } from '../src/engine/ports/content-extractor.js';

const RUNS = 10;
const SLICE = 50;
const LIMITS = { maxLinks: 100_000, maxTextLength: 10_000_000 };
const HIDDEN_ELEMENTS = new Set(['title', 'script', 'style', 'noscript', 'template', 'iframe']);

/** Reads a page and returns the number of links and of characters of text that it found. */
type Contestant = (page: Buffer) => { links: number; text: number };

const buffer = new TextBuffer();
const htmlExtractor = createPageReader().findExtractor('text/html') as SyncExtractor;
const CONTEXT = { ...LIMITS, contentType: 'text/html', url: 'http://bench/', wantsMetas: true };
const PLACE = { file: 'bench', line: 1, column: 1 };

const contestants: Record<string, Contestant> = {
  scanner(page) {
    const { facts } = new HtmlScanner(page, buffer, { maxLinks: LIMITS.maxLinks, xml: false }).scan();
    return { links: facts.links.length, text: buffer.finish(LIMITS.maxTextLength).text.length };
  },
  'page reader (charset, language)'(page) {
    const { links, text } = htmlExtractor.extract(page, 'text/html', CONTEXT) as Extraction;
    return { links: links.length, text: text.length };
  },
  'page reader and simhash'(page) {
    const { links, text } = htmlExtractor.extract(page, 'text/html', CONTEXT) as Extraction;
    computeSimhash(text);
    return { links: links.length, text: text.length };
  },
  'page reader, markers': createContentContestant({}),
  'page reader, selectors and fields': createContentContestant({
    include: ['main, #main-content, body'],
    exclude: ['nav, footer, .sidebar, [role=navigation]'],
    fields: [
      createField('heading', 'h1'),
      createField('version', '.version'),
      createField('released', 'time', 'datetime'),
      createField('summary', 'meta[name=description]'),
      createField('examples', 'pre > code', undefined, true),
    ],
  }),
  htmlparser2: readWithHtmlparser2,
  parse5: readWithParse5,
};

function createField(name: string, selector: string, attribute?: string, multiple = false): FieldDefinition {
  return { name, source: { kind: 'select', selector, attribute }, type: 'text', multiple, place: PLACE };
}

/** Reads pages as with a `cw:Content` with these settings, including its fields. */
function createContentContestant(settings: Partial<ContentDefinition>): Contestant {
  const content: ContentDefinition = {
    include: [],
    exclude: [],
    markers: [...MARKERS],
    main: false,
    omitRepeated: false,
    metas: true,
    fields: [],
    headings: false,
    markdown: false,
    changeDetection: 'content',
    place: PLACE,
    ...settings,
  };
  const context = { ...CONTEXT, content, wantsMetas: true };
  const extractFields = compileFields(content.fields);
  const url = toCrawlUrl(CONTEXT.url);
  return (page) => {
    const { links, text, metas, found } = htmlExtractor.extract(page, 'text/html', context) as Extraction;
    extractFields({ url, base: url.href, metas, found });
    return { links: links.length, text: text.length };
  };
}

function readWithHtmlparser2(page: Buffer): ReturnType<Contestant> {
  const links: string[] = [];
  let title = '';
  let text = '';
  let inTitle = false;
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      const href = attributes['href'] ?? (name === 'iframe' ? attributes['src'] : undefined);
      if (href !== undefined) links.push(href);
      if (name === 'title') inTitle = title === '';
      if (HIDDEN_ELEMENTS.has(name)) hiddenDepth++;
    },
    ontext(chunk) {
      if (inTitle) title += chunk;
      else if (hiddenDepth === 0) text += chunk;
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
      if (HIDDEN_ELEMENTS.has(name)) hiddenDepth--;
    },
  });
  parser.end(page.toString('utf8'));
  return { links: links.length, text: text.replace(/\s+/g, ' ').trim().length };
}

function readWithParse5(page: Buffer): ReturnType<Contestant> {
  const links: string[] = [];
  const chunks: string[] = [];
  const walk = (node: Tree.Node, isVisible: boolean): void => {
    if (node.nodeName === '#text' && isVisible) chunks.push((node as Tree.TextNode).value);
    if ('attrs' in node) for (const { name, value } of node.attrs) if (name === 'href') links.push(value);
    if ('childNodes' in node)
      for (const child of node.childNodes) walk(child, isVisible && !HIDDEN_ELEMENTS.has(node.nodeName));
  };
  walk(parse(page.toString('utf8'), { scriptingEnabled: false }), true);
  return { links: links.length, text: chunks.join('').replace(/\s+/g, ' ').trim().length };
}

function readPages(folder: string, count: number): Buffer[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.html?$/.test(path));
  const step = Math.max(1, Math.floor(paths.length / count));
  return paths.filter((_, index) => index % step === 0).map((path) => readFileSync(join(folder, path)));
}

/** Reads all slices of pages and records the shortest time for each, in milliseconds. */
function measure(contestant: Contestant, slices: readonly Buffer[][], fastestTimes: number[]): void {
  for (const [index, slice] of slices.entries()) {
    const start = performance.now();
    for (const page of slice) contestant(page);
    fastestTimes[index] = Math.min(fastestTimes[index] ?? Number.POSITIVE_INFINITY, performance.now() - start);
  }
}

const [folder, count = '1000'] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node dist/bench/parse.js FOLDER [pages]');
const pages = readPages(folder, Number(count));
const slices = Array.from({ length: Math.ceil(pages.length / SLICE) }, (_, i) =>
  pages.slice(i * SLICE, (i + 1) * SLICE),
);
const bytes = pages.reduce((sum, page) => sum + page.length, 0);
console.log(
  `${pages.length} pages, mean ${(bytes / pages.length / 1024).toFixed(1)} KiB, Node ${process.versions.node}`,
);

const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, [] as number[]]));
for (let run = 0; run < RUNS; run++) {
  for (const [name, contestant] of Object.entries(contestants)) measure(contestant, slices, times[name]!);
}
for (const [name, contestant] of Object.entries(contestants)) {
  const milliseconds = times[name]!.reduce((sum, time) => sum + time, 0);
  const results = pages.map(contestant);
  const [linkCount, textLength] = [
    results.reduce((sum, page) => sum + page.links, 0),
    results.reduce((sum, page) => sum + page.text, 0),
  ];
  const pagesPerSecond = ((pages.length / milliseconds) * 1000).toFixed(0);
  console.log(`${name.padEnd(32)} ${pagesPerSecond.padStart(7)} pages/s  ${linkCount} links  ${textLength} characters`);
}
