/**
 * Reads CrawlConfig.xml. All problems are reported at once, with their places. A definition is returned only if there
 * are no errors, so a bad configuration can never replace a good one.
 */

import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import { NO_LOGIN } from '../../domain/crawl/logins.js';
import type { Place } from '../../domain/crawl/place.js';
import type { ConditionRule } from '../../domain/crawl/policy-definition.js';
import { FileRefused, type RuleFileKind } from '../../domain/crawl/rule-file.js';
import { compileSoftErrors, SoftErrorFault } from '../../domain/fetch/soft-errors.js';
import { compilePolicy } from '../../domain/policy/crawl-policy.js';
import { compileRulesInSteps } from '../../domain/policy/crawl-rules.js';
import { PolicyError } from '../../domain/policy/layer.js';
import { compileServersInSteps } from '../../domain/policy/server-records.js';
import { suggestSpelling } from '../../domain/spelling.js';
import { runAtOnce, type Steps } from '../../domain/steps.js';
import type {
  FormatContext,
  LiteralSecret,
  ReadConfiguration,
  SecretUse,
} from '../../engine/ports/configuration-reading.js';
import { parseDocumentInSteps, type XmlDocument, XmlFault } from './document.js';
import {
  collectDefaults,
  expandVariables,
  findChildren,
  findOnlyChild,
  interpretInSteps,
  type Node,
} from './interpret.js';
import { findLiteralSecretsInSteps, findSecretsOfRulesInSteps } from './literal-secrets.js';
import { Problems, TooManyProblems } from './problems.js';
import type { ReadContext } from './read/context.js';
import { readGlobalCrawlSpace } from './read/crawl-space.js';
import { readCrawler } from './read/crawler.js';
import { checkPlugins, readPlugins } from './read/plugins.js';
import { addSecretServers, readExtractors, readFetchers, readQuotas, readRenderer } from './read/server.js';
import { readSinks, readWebhooks } from './read/sinks.js';
import * as crawl from './schema/crawl.js';
import { INDEX_NOW, WEB_SUB } from './schema/server.js';
import { findVocabulary, NAMESPACES } from './schema/spec.js';

export interface ReadOptions extends FormatContext {
  /** Variables for `${NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the secret for `${file:PATH}` or `${helper:NAME}`; throws UnreadableSecret. If absent, these are errors. */
  readonly readSecret?: (reference: string) => string;
}

export const readConfiguration = (xml: string, options: ReadOptions): ReadConfiguration =>
  runAtOnce(readConfigurationInSteps(xml, options));

export function* readConfigurationInSteps(xml: string, options: ReadOptions): Steps<ReadConfiguration> {
  const problems = new Problems();
  const literalSecrets: LiteralSecret[] = [];
  const secretUses: SecretUse[] = [];
  const ruleTexts: (readonly [text: string, name: string])[] = [];
  let definition: ServerDefinition | undefined;
  const readFile: ReadOptions['readFile'] = (name, kind) => {
    const text = options.readFile(name, kind);
    if (kind) ruleTexts.push([text, name]);
    return text;
  };
  try {
    const document = yield* parseDocumentInSteps(xml, options.file);
    literalSecrets.push(...(yield* findLiteralSecretsInSteps(document)));
    try {
      definition = yield* readDocument(document, { ...options, readFile, problems, secretUses });
    } finally {
      for (const ruleText of ruleTexts) literalSecrets.push(...(yield* findSecretsOfRulesInSteps(...ruleText)));
    }
    reportLiteralSecrets(literalSecrets, problems, options.filesWithoutSecrets);
  } catch (fault) {
    if (fault instanceof XmlFault) problems.add(fault.code, fault.message, fault.place);
    else if (!(fault instanceof TooManyProblems)) throw fault;
  }
  const isValid = definition !== undefined && !problems.hasErrors;
  return { ...(isValid ? { definition } : {}), problems: problems.toSorted(), literalSecrets, secretUses };
}

/** Reports all literal secrets in files at once, and each one that a caller has sent. */
function reportLiteralSecrets(
  secrets: readonly LiteralSecret[],
  problems: Problems,
  filesWithoutSecrets: ReadonlySet<string> = new Set(),
): void {
  const isSent = ({ place }: LiteralSecret): boolean => filesWithoutSecrets.has(place.file);
  for (const { description, name, place } of secrets.filter(isSent)) {
    const message = `${description}: a configuration that is sent must not contain the secret itself; store it with PUT /api/v1/secrets/${name} and write \${secret:${name}} in its place`;
    problems.addProblem({ severity: 'error', code: 'literal-secret', message, place });
  }
  const others = secrets.filter((secret) => !isSent(secret));
  if (!others[0]) return;
  const descriptions = others.slice(0, MAX_DESCRIPTIONS).map(({ description }) => description);
  const list = descriptions.join(', ') + (others.length > MAX_DESCRIPTIONS ? ' …' : '');
  const message =
    others.length === 1
      ? `1 secret is written as plain text (${list}): crawlway secrets import stores it encrypted and writes a reference in its place`
      : `${others.length} secrets are written as plain text (${list}): crawlway secrets import stores them encrypted and writes references in their place`;
  problems.add('literal-secret', message, others[0].place);
}

const MAX_DESCRIPTIONS = 5;

interface ReadParts extends ReadOptions {
  readonly problems: Problems;
  readonly secretUses: SecretUse[];
}

function* readDocument(document: XmlDocument, options: ReadParts): Steps<ServerDefinition | undefined> {
  const { root } = document;
  const { problems } = options;
  if (!checkRoot(document, problems)) return undefined;
  const node = yield* interpretInSteps(root, crawl.CRAWL_CONFIG, { ...options, document });
  const context: ReadContext = {
    problems,
    expandVariables: (text, place) => expandVariables(text, options, place),
    readFile: createFileReader(problems, options),
    resolvePath: options.pathOf ?? ((name) => name),
    readOptionalFile: createOptionalFileReader(problems, options),
  };
  const crawlers: CrawlerDefinition[] = [];
  for (const crawler of findChildren(node, crawl.CRAWLER)) crawlers.push(yield* readCrawler(crawler, context));
  const globalSpace = readGlobalCrawlSpace(node, context);
  const definition: ServerDefinition = {
    crawlers,
    ...(globalSpace ? { globalCrawlSpace: globalSpace } : {}),
    fetchers: addSecretServers(readFetchers(node, context), crawlers),
    extractors: readExtractors(node, context),
    indexNow: findOnlyChild(node, INDEX_NOW)?.values ?? collectDefaults(INDEX_NOW),
    ...readWebSub(node),
    renderer: readRenderer(node as Node, context),
    sinks: readSinks(node, context, options.fileSinks),
    ...readPlugins(node, context, options.plugins),
    ...readWebhooks(node, context),
    ...readQuotas(node, listElementNames(node, 'Crawler'), problems),
  };
  reportDuplicateNames(node, problems);
  const resolvedDefinition = {
    ...definition,
    crawlers: crawlers.map((crawler) => resolveReferences(crawler, node, definition, problems)),
  };
  checkLogins(resolvedDefinition, problems);
  checkPlugins(resolvedDefinition, problems);
  for (const crawler of resolvedDefinition.crawlers) {
    if (crawler.servers) yield* compileServersInSteps(crawler.servers);
    yield* compileRulesInSteps(crawler.rules);
    checkPatterns(crawler, resolvedDefinition, problems);
  }
  return resolvedDefinition;
}

function checkRoot({ root, placeAt: findPlace }: XmlDocument, problems: Problems): boolean {
  const { name } = crawl.CRAWL_CONFIG;
  if (root.local !== name) {
    const hint = suggestSpelling(root.local, [name]) || `: the outermost element is ${name}`;
    problems.add('wrong-root', `unknown element ${root.name}${hint}`, findPlace(root.start));
    return false;
  }
  if (findVocabulary(root.namespace, root.prefix) !== 'foreign') return true;
  const message = `${name} is in the namespace ${root.namespace}: write ${NAMESPACES.crawl[0]}`;
  problems.add('wrong-root', message, findPlace(root.start));
  return false;
}

const createFileReader =
  (problems: Problems, options: ReadOptions) =>
  (name: string, place: Place, kind?: RuleFileKind): string | undefined => {
    try {
      return options.readFile(name, kind);
    } catch (error) {
      if (error instanceof FileRefused) problems.add('refused-file', error.message, place);
      else {
        const message = `the file ${name} cannot be read; its path is relative to the folder of ${options.file}`;
        problems.add('unreadable-file', message, place);
      }
      return undefined;
    }
  };

/** Ignores a missing file, but reports one that exists and cannot be read, because its content may be important. */
const createOptionalFileReader =
  (problems: Problems, options: ReadOptions): ReadContext['readOptionalFile'] =>
  (name, place, kind) => {
    try {
      return options.readFile(name, kind);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      if (error instanceof FileRefused) problems.add('refused-file', error.message, place);
      else if (code !== undefined && code !== 'ENOENT') {
        const message = `the file ${name} in the folder of ${options.file} exists but cannot be read`;
        problems.add('unreadable-file', message, place);
      }
      return undefined;
    }
  };

/** Reports elements of the same kind with the same name. */
function reportDuplicateNames(root: Node, problems: Problems): void {
  const seen = new Set<string>();
  for (const child of root.children) {
    const name = (child.values as { name?: unknown }).name;
    if (typeof name !== 'string') continue;
    const identity = `${child.spec.name} ${name}`;
    if (seen.has(identity)) {
      problems.add('duplicate-name', `there is more than one ${identity}: give each its own name`, child.place);
    }
    seen.add(identity);
  }
}

/** Reports duplicate names of logins, which are shown, tested and selected by name, and references to unknown ones. */
function checkLogins({ fetchers, crawlers }: ServerDefinition, problems: Problems): void {
  const names = new Set<string>([NO_LOGIN]);
  for (const { name, place } of fetchers.flatMap(({ logins }) => logins)) {
    if (names.has(name))
      problems.add('duplicate-name', `the Login name ${name} is already in use: choose a different one`, place);
    names.add(name);
  }
  const knownNames = [...names];
  for (const { conditions } of crawlers) {
    for (const { option: login, place } of findReferencesInOptions(conditions, 'login')) {
      if (!names.has(login))
        problems.add(
          'unknown-reference',
          `option login: there is no Login named ${login}${suggestSpelling(login, knownNames)}`,
          place,
        );
    }
  }
}

/** Adds the only sink to a crawler without PushTo, and reports references to elements that do not exist. */
function resolveReferences(
  crawler: CrawlerDefinition,
  root: Node,
  { fetchers, sinks }: Omit<ServerDefinition, 'crawlers'>,
  problems: Problems,
): CrawlerDefinition {
  const findPlace = (name: string): Place => findReferencePlace(crawler, root, name);
  const listNames = (kind: string): string[] => listElementNames(root, kind);
  if (!fetchers.some(({ name }) => name === crawler.fetcher) && !listNames('Fetcher').includes(crawler.fetcher)) {
    const hint = suggestSpelling(crawler.fetcher, listNames('Fetcher'));
    problems.add('unknown-reference', `there is no Fetcher named ${crawler.fetcher}${hint}`, findPlace('FetchWith'));
  }
  for (const { option: fetcher, place } of findReferencesInOptions(crawler.conditions, 'fetcher')) {
    if (fetchers.some(({ name }) => name === fetcher) || listNames('Fetcher').includes(fetcher)) continue;
    const hint = suggestSpelling(fetcher, listNames('Fetcher'));
    problems.add('unknown-reference', `option fetcher: there is no Fetcher named ${fetcher}${hint}`, place);
  }
  const contentNames = (crawler.contents ?? []).flatMap(({ name }) => name ?? []);
  for (const { option: content, place } of findReferencesInOptions(crawler.conditions, 'content')) {
    if (content === 'none' || contentNames.includes(content)) continue;
    const hint = suggestSpelling(content, contentNames);
    problems.add('unknown-reference', `option content: there is no Content named ${content}${hint}`, place);
  }
  for (const sink of crawler.pushTo) {
    if (listNames('Sink').includes(sink)) continue;
    problems.add(
      'unknown-reference',
      `there is no Sink named ${sink}${suggestSpelling(sink, listNames('Sink'))}`,
      findPlace('PushTo'),
    );
  }
  if (crawler.pushTo.length > 0) return crawler;
  if (sinks.length > 1) {
    const message = `this Crawler must specify with PushTo which of the ${sinks.length} sinks it uses`;
    problems.add('ambiguous-sink', message, crawler.place);
  } else if (listNames('Sink').length === 0) {
    const message = 'this Crawler has no Sink: its documents go nowhere';
    problems.add('no-sink', message, crawler.place);
  }
  return { ...crawler, pushTo: sinks.map(({ name }) => name) };
}

/** Finds the Fetchers, Contents or Logins that conditions name, with the places of the conditions. */
function findReferencesInOptions(
  conditions: CrawlerDefinition['conditions'],
  name: 'fetcher' | 'content' | 'login',
): { option: string; place: Place }[] {
  const collectReferences = (
    condition: Pick<ConditionRule, 'options' | 'place'>,
    children: readonly ConditionRule[],
  ) => {
    const option = condition.options[name];
    return [
      ...(option === undefined ? [] : [{ option, place: condition.place }]),
      ...children.flatMap((child): { option: string; place: Place }[] => collectReferences(child, child.children)),
    ];
  };
  return conditions ? collectReferences(conditions, conditions.rules) : [];
}

/** Lists the names of all elements of one kind, including elements that are otherwise invalid. */
const listElementNames = (root: Node, kind: string): string[] =>
  root.children
    .filter((child) => child.spec.name === kind)
    .map((child) => String((child.values as { name?: unknown }).name ?? ''));

function findReferencePlace(crawler: CrawlerDefinition, root: Node, element: string): Place {
  const node = root.children.find(
    (child) => child.place.line === crawler.place.line && child.place.column === crawler.place.column,
  );
  return node?.children.find((child) => child.spec.name === element)?.place ?? crawler.place;
}

/** Compiles the patterns in the same way as the crawl does, and reports those that cannot be compiled. */
function checkPatterns(crawler: CrawlerDefinition, server: ServerDefinition, problems: Problems): void {
  try {
    compilePolicy(crawler, server.globalCrawlSpace);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    for (const problem of error.problems) problems.addProblem(problem);
  }
  for (const softError of crawler.softErrors) {
    try {
      compileSoftErrors([softError]);
    } catch (error) {
      if (!(error instanceof SoftErrorFault)) throw error;
      const reason = error.cause instanceof Error ? error.cause.message : String(error.cause);
      const message = `pattern "${error.pattern.slice(0, 200)}" is not a usable regular expression: ${reason}`;
      problems.add('bad-pattern', message, softError.place);
    }
  }
}

function readWebSub(root: Node): Pick<ServerDefinition, 'webSub'> {
  const values = findOnlyChild(root, WEB_SUB)?.values;
  return values ? { webSub: values } : {};
}
