/**
 * Reads CrawlConfig.xml. Everything that is wrong is told at once, with its place; a definition comes back only when nothing
 * is wrong, so that a bad configuration can never replace a good one.
 */
import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import type { Place, Problem } from '../../domain/crawl/place.js';
import type { RuleFileKind } from '../../domain/crawl/rule-file.js';
import { compileSoftErrors } from '../../domain/fetch/soft-errors.js';
import { compilePolicy } from '../../domain/policy/crawl-policy.js';
import { PolicyError } from '../../domain/policy/layer.js';
import { parseDocument, type XmlDocument, XmlFault } from './document.js';
import { every, interpret, type Node } from './interpret.js';
import { Problems, TooManyProblems } from './problems.js';
import type { ReadContext } from './read/context.js';
import { readGlobalCrawlSpace } from './read/crawl-space.js';
import { readCrawler } from './read/crawler.js';
import { readFetchers, readSinks } from './read/server.js';
import * as crawl from './schema/crawl.js';
import { NAMESPACES } from './schema/spec.js';
import { vocabularyOf } from './schema/vocabulary.js';
import { didYouMean } from './spelling.js';

export interface ReadOptions {
  /** Name of the file as the operator gave it; places carry it. */
  readonly file: string;
  /** Variables for `${NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Text of another file that the configuration names, relative to the configuration's folder; names that lead out of it
   * are refused before; without a kind it is no text of rules. Throws when there is none.
   */
  readonly readFile: (name: string, kind?: RuleFileKind) => string;
}

export interface ReadResult {
  /** Absent when there is any error. */
  readonly definition?: ServerDefinition;
  /** Errors and warnings, in the order of the text. */
  readonly problems: readonly Problem[];
}

export function readConfiguration(xml: string, options: ReadOptions): ReadResult {
  const problems = new Problems();
  try {
    const document = parseDocument(xml, options.file);
    const definition = readDocument(document, problems, options);
    return problems.hasErrors ? { problems: problems.sorted() } : { definition, problems: problems.sorted() };
  } catch (fault) {
    if (fault instanceof XmlFault) problems.add(fault.code, fault.message, fault.place);
    else if (!(fault instanceof TooManyProblems)) throw fault;
    return { problems: problems.sorted() };
  }
}

function readDocument(document: XmlDocument, problems: Problems, options: ReadOptions): ServerDefinition | undefined {
  const { root } = document;
  if (!isConfiguration(document, problems)) return undefined;
  const node = interpret(root, crawl.CRAWL_CONFIG, { document, problems, env: options.env });
  const context: ReadContext = { problems, readFile: fileReader(problems, options) };
  const crawlers = every(node, crawl.CRAWLER).map((crawler) => readCrawler(crawler, context));
  const global = readGlobalCrawlSpace(node, context);
  const definition: ServerDefinition = {
    crawlers,
    ...(global ? { globalCrawlSpace: global } : {}),
    fetchers: readFetchers(node, context),
    sinks: readSinks(node, context),
  };
  checkNames(node, problems);
  const connected = {
    ...definition,
    crawlers: crawlers.map((crawler) => connect(crawler, node, definition, problems)),
  };
  for (const crawler of connected.crawlers) checkPatterns(crawler, connected, problems);
  return connected;
}

function isConfiguration({ root, place }: XmlDocument, problems: Problems): boolean {
  const { name } = crawl.CRAWL_CONFIG;
  if (root.local !== name) {
    const hint = didYouMean(root.local, [name]) || `: the outermost element is ${name}`;
    problems.add('wrong-root', `unknown element ${root.name}${hint}`, place(root.start));
    return false;
  }
  if (vocabularyOf(root.namespace, root.prefix) !== 'foreign') return true;
  const message = `${name} is in the namespace ${root.namespace}: write ${NAMESPACES.crawl[0]}`;
  problems.add('wrong-root', message, place(root.start));
  return false;
}

const fileReader =
  (problems: Problems, options: ReadOptions) =>
  (name: string, place: Place, kind?: RuleFileKind): string | undefined => {
    try {
      return options.readFile(name, kind);
    } catch {
      problems.add('unreadable-file', `the file ${name} cannot be read beside ${options.file}`, place);
      return undefined;
    }
  };

/** Crawlers, sinks and fetchers have names of their own. */
function checkNames(root: Node, problems: Problems): void {
  const seen = new Set<string>();
  for (const child of root.children) {
    const name = (child.values as { name?: unknown }).name;
    if (typeof name !== 'string') continue;
    const identity = `${child.spec.name} ${name}`;
    if (seen.has(identity)) {
      problems.add('duplicate-name', `there are two of ${identity}: give each its own name`, child.place);
    }
    seen.add(identity);
  }
}

/** The crawler with its sinks; what it refers to must be there. */
function connect(
  crawler: CrawlerDefinition,
  root: Node,
  { fetchers, sinks }: Omit<ServerDefinition, 'crawlers'>,
  problems: Problems,
): CrawlerDefinition {
  const at = (name: string): Place => referencePlace(crawler, root, name);
  const names = (kind: string): string[] => namesOf(root, kind);
  if (!fetchers.some(({ name }) => name === crawler.fetcher) && !names('Fetcher').includes(crawler.fetcher)) {
    const hint = didYouMean(crawler.fetcher, names('Fetcher'));
    problems.add('unknown-reference', `there is no Fetcher named ${crawler.fetcher}${hint}`, at('FetchWith'));
  }
  for (const sink of crawler.pushTo) {
    if (names('Sink').includes(sink)) continue;
    problems.add('unknown-reference', `there is no Sink named ${sink}${didYouMean(sink, names('Sink'))}`, at('PushTo'));
  }
  if (crawler.pushTo.length > 0) return crawler;
  if (sinks.length > 1) {
    const message = `crawler ${crawler.name} must say with PushTo which of the ${sinks.length} sinks it means`;
    problems.add('ambiguous-sink', message, crawler.place);
  } else if (names('Sink').length === 0) {
    const message = `crawler ${crawler.name} has no Sink: its documents go nowhere`;
    problems.add('no-sink', message, crawler.place);
  }
  return { ...crawler, pushTo: sinks.map(({ name }) => name) };
}

/** Names as far as they can be told, those of elements with other mistakes too. */
const namesOf = (root: Node, kind: string): string[] =>
  root.children
    .filter((child) => child.spec.name === kind)
    .map((child) => String((child.values as { name?: unknown }).name ?? ''));

function referencePlace(crawler: CrawlerDefinition, root: Node, element: string): Place {
  const node = root.children.find(
    (child) => child.place.line === crawler.place.line && child.place.column === crawler.place.column,
  );
  return node?.children.find((child) => child.spec.name === element)?.place ?? crawler.place;
}

/** Patterns are compiled as the crawl will compile them. */
function checkPatterns(crawler: CrawlerDefinition, server: ServerDefinition, problems: Problems): void {
  try {
    compilePolicy(crawler, server.globalCrawlSpace);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    for (const problem of error.problems) problems.take(problem);
  }
  for (const softError of crawler.softErrors) {
    try {
      compileSoftErrors([softError]);
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      const message = `pattern "${softError.pattern.slice(0, 200)}" is not a regular expression that can be used: ${reason}`;
      problems.add('bad-pattern', message, softError.place);
    }
  }
}
