/** Norconex, mnoGoSearch and Velocity: what each says about a URL. */
import { parseConfiguration } from '../formats/norconex.js';
import { type ImportFile, ImportReport, type ReadBeside } from '../model.js';
import { findAll, type Node, parseXml } from '../tree.js';
import { compileExpression, listLines, matchesGlob, NotEvaluable, type Original } from './original.js';

/** A crawler takes what none of its exclude filters and, if there are any, one of its include filters matches. */
export function createNorconex(files: readonly ImportFile[], readBeside: ReadBeside): Original {
  const tree = parseConfiguration(files, new ImportReport(), readBeside);
  const nodes = findAll(tree, 'crawlers').flatMap(({ children }) => children.filter(({ name }) => name === 'crawler'));
  const defaults = findAll(tree, 'crawlerDefaults')[0];
  const crawlers = (nodes.length > 0 ? nodes : [tree]).map((node) => createNorconexCrawler(node, defaults, files));
  return {
    judge(url) {
      const verdicts = crawlers.map((judge) => judge(url));
      return verdicts.find(({ accepted }) => accepted) ?? verdicts[0] ?? { accepted: false, by: 'no crawler' };
    },
  };
}

const textOf = (node: Node | undefined, ...names: string[]): string | undefined =>
  names
    .map((name) => node?.attributes[name] ?? node?.children.find((child) => child.name === name)?.text)
    .find((value) => value !== undefined);

function createNorconexCrawler(
  node: Node,
  defaults: Node | undefined,
  files: readonly ImportFile[],
): Original['judge'] {
  const find = (...names: string[]): Node[] => {
    const own = findAll(node, ...names);
    return own.length > 0 || !defaults ? own : findAll(defaults, ...names);
  };
  const start = find('startURLs', 'startReferences', 'start');
  const listed = find('urlsFile', 'refsFile', 'startReferencesFiles').flatMap(
    ({ text }) => files.find(({ name }) => name === text.split(/[\\/]/).at(-1))?.text.split('\n') ?? [],
  );
  // The URLs of a sitemap are start URLs: it is usually on their host.
  const sitemaps = ['sitemap', 'sitemapsFile'];
  const urls = [
    ...start.flatMap((one) => [one, ...findAll(one, 'url', 'ref', ...sitemaps)]),
    ...find('startReferencesSitemaps'),
  ];
  const seeds = [...urls.map(({ text }) => text), ...listed]
    .map((text) => text.trim())
    .filter((text) => /^https?:/.test(text))
    .map((text) => new URL(text));
  const scope = find('urlScopeResolver', 'referenceScopeResolver')[0] ?? start[0];
  // What a crawler's own startURLs do not say, those of the defaults do.
  const standard = defaults && findAll(defaults, 'startURLs')[0];
  const is = (name: string): boolean => (textOf(scope, name) ?? textOf(standard, name)) === 'true';
  const ofFetchers = find('fetcher').flatMap((fetcher) => findAll(fetcher, 'referenceFilters'));
  const filters = find('referenceFilters', 'httpURLFilters')
    .filter((list) => !ofFetchers.includes(list))
    .flatMap((list) => {
      const inner = findAll(list, 'filter');
      return inner.length > 0 ? inner : textOf(list, 'class') ? [list] : [];
    })
    .flatMap(toNorconexFilter);
  const isInScope = (url: URL): boolean =>
    !['stayOnDomain', 'stayOnHost', 'stayOnPort', 'stayOnProtocol'].some(is) ||
    seeds.some((seed) => {
      const isSameHost =
        url.hostname === seed.hostname || (is('includeSubdomains') && url.hostname.endsWith(`.${seed.hostname}`));
      const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
      return (
        (isSameHost || !(is('stayOnDomain') || is('stayOnHost'))) &&
        (!is('stayOnProtocol') || url.protocol === seed.protocol) &&
        (!is('stayOnPort') || portOf(url) === portOf(seed))
      );
    });
  return (url) => {
    if (!isInScope(url)) return { accepted: false, by: 'stayOnDomain, stayOnPort or stayOnProtocol' };
    const excluding = filters.find(({ excludes, test }) => excludes && test(url.href));
    if (excluding) return { accepted: false, by: excluding.label };
    const includes = filters.filter(({ excludes }) => !excludes);
    const including = includes.find(({ test }) => test(url.href));
    const accepted = includes.length === 0 || including !== undefined;
    return { accepted, by: including?.label ?? (accepted ? 'no filter' : 'no include filter') };
  };
}

function toNorconexFilter(filter: Node): { excludes: boolean; test: (href: string) => boolean; label: string }[] {
  const kind = textOf(filter, 'class')?.split('.').at(-1) ?? '';
  const matcher = findAll(filter, 'valueMatcher')[0] ?? filter;
  const listed = filter.children.filter(({ name }) => name === 'extensions').map(({ text }) => text);
  const extensions = listed.length > 0 ? listed.join() : textOf(filter, 'extensions');
  const value = textOf(matcher, 'pattern') ?? textOf(filter, 'regex') ?? extensions ?? (matcher.text || filter.text);
  const method = (textOf(matcher, 'method') ?? 'basic').toLowerCase();
  const excludes = /^exclude$/i.test(textOf(filter, 'onMatch') ?? 'include');
  const ignoresCase = /^(?:Regex|Extension)/.test(kind)
    ? textOf(filter, 'caseSensitive') !== 'true'
    : textOf(matcher, 'ignoreCase') === 'true';
  const isPartial = textOf(matcher, 'partial') === 'true';
  const label = `${filter.place} ${excludes ? 'exclude' : 'include'} ${value}`;
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  if (kind.startsWith('Extension')) {
    const extensions = value.split(',').map((one) => fold(one.trim()));
    const test = (href: string): boolean => {
      const name = fold(new URL(href).pathname).split('/').at(-1)!;
      return name.includes('.') && extensions.includes(name.split('.').at(-1)!);
    };
    return [{ excludes, label, test }];
  }
  if (/^Regex/.test(kind) || method === 'regex') {
    const regex = compileExpression(value, filter.place, { whole: !isPartial, ignoreCase: ignoresCase });
    return [{ excludes, label, test: (href) => regex.test(href) }];
  }
  if (!/Reference|Generic/.test(kind)) return [];
  const values = method === 'csv' ? value.split(',').map((one) => one.trim()) : [value];
  const test = (href: string): boolean =>
    values.map(fold).some((one) => {
      if (method === 'wildcard') return matchesGlob(isPartial ? `*${one}*` : one, fold(href));
      return isPartial ? fold(href).includes(one) : fold(href) === one;
    });
  return [{ excludes, label, test }];
}

const METHOD = /^(?:allow|disallow|hrefonly|checkonly|headonly|skip|checkmp3|checkmp3only)$/i;

/** `no` and `nofollow` are `page`, `yes` is `path`. */
const SECTION = /^(?:page|no|nofollow|path|yes|site|world)$/i;

interface Command {
  readonly accepts: boolean;
  readonly matches: (url: URL) => boolean;
  readonly label: string;
}

/** The first Server or Realm that matches, and then the first Allow or Disallow. Without one, a URL is allowed. */
export function createMnogosearch(files: readonly ImportFile[], readBeside: ReadBeside): Original {
  const servers: Command[] = [];
  const filters: Command[] = [];
  let section = 'path';
  let followsOutside = false;
  const read = (file: ImportFile, depth: number): void => {
    const lines = listLines({ ...file, text: file.text.replace(/\\\r?\n/g, ' ') });
    for (const { text, place } of lines) {
      if (/^\s*(?:#|$)/.test(text)) continue;
      const words = (text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
      const name = words.shift()!.toLowerCase();
      const other =
        name === 'include'
          ? (files.find((one) => one.name === words[0]?.split('/').at(-1)) ?? readBeside(words[0] ?? ''))
          : undefined;
      if (other && depth < 20) read(other, depth + 1);
      else if (name === 'follow' && SECTION.test(words[0] ?? '')) section = words[0]!.toLowerCase();
      else if (name === 'followoutside') followsOutside = /yes/i.test(words[0] ?? '');
      else if (METHOD.test(name)) filters.push(createFilterCommand(name, words, `${place} ${text}`));
      else if (name === 'server' || name === 'realm')
        servers.push(...createServerCommand(name, words, section, `${place} ${text}`));
    }
  };
  if (files[0]) read(files[0], 0);
  return {
    judge(url) {
      const server = servers.find(({ matches }) => matches(url));
      if (!(server?.accepts ?? followsOutside)) return { accepted: false, by: server?.label ?? 'no Server or Realm' };
      const filter = filters.find(({ matches }) => matches(url));
      if (filter) return { accepted: filter.accepts, by: filter.label };
      return { accepted: true, by: server?.label ?? 'FollowOutside' };
    },
  };
}

const isAllowing = (method: string): boolean => !/^(?:disallow|skip)$/i.test(method);

function createMatcher(words: readonly string[], label: string): (url: URL) => boolean {
  const flags = new Set<string>();
  const values = [...words];
  while (
    values[0] !== undefined &&
    (/^(?:match|nomatch|case|nocase|string|regexp?)$/i.test(values[0]) || METHOD.test(values[0]))
  )
    flags.add(values.shift()!.toLowerCase());
  const ignoresCase = !flags.has('case');
  const isRegex = flags.has('regex') || flags.has('regexp');
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const tests = values.map((value): ((href: string) => boolean) => {
    if (!isRegex) return (href) => matchesGlob(fold(value), fold(href));
    const regex = compileExpression(value, label, { dialect: 'posix', ignoreCase: ignoresCase });
    return (href) => regex.test(href);
  });
  // Each argument is a command of its own, so that NoMatch applies to each.
  return ({ href }) => tests.some((test) => test(href) !== flags.has('nomatch'));
}

const createFilterCommand = (name: string, words: readonly string[], label: string): Command => ({
  accepts: isAllowing(name),
  matches: createMatcher(words, label),
  label,
});

function createServerCommand(name: string, words: readonly string[], section: string, label: string): Command[] {
  const method = words.find((word) => METHOD.test(word)) ?? 'allow';
  const accepts = isAllowing(method);
  const scope = words.find((word) => SECTION.test(word))?.toLowerCase() ?? section;
  if (scope === 'world') return [{ accepts, label, matches: () => true }];
  const isKeyword = (word: string): boolean =>
    METHOD.test(word) || SECTION.test(word) || /^(?:match|nomatch|case|nocase|string|regexp?)$/i.test(word);
  const options = words.filter((word) => isKeyword(word) && !SECTION.test(word));
  const target = words.find((word) => !isKeyword(word));
  if (target === undefined) return [];
  if (name === 'realm' || words.some((word) => /^(?:regexp?|string)$/i.test(word)))
    return [{ accepts, label, matches: createMatcher([...options, target], label) }];
  if (!/^https?:/.test(target)) return [];
  const { origin, href, pathname } = new URL(target);
  const directory = origin + pathname.replace(/[^/]*$/, '');
  const prefix = { site: `${origin}/`, path: directory, yes: directory }[scope] ?? href;
  const isCase = words.some((word) => /^case$/i.test(word));
  const fold = (text: string): string => (isCase ? text : text.toLowerCase());
  const isNegated = words.some((word) => /^nomatch$/i.test(word));
  return [{ accepts, label, matches: (url) => fold(url.href).startsWith(fold(prefix)) !== isNegated }];
}

/** Conditions apply in order; being filtered is final, and `default-allow` decides about the rest. */
export function createVelocity(files: readonly ImportFile[]): Original {
  const crawlers = files.flatMap((file) => findAll(parseXml(file, new ImportReport()), 'crawler'));
  return {
    judge(url) {
      const verdicts = crawlers.map((crawler) => {
        const state = { allows: true, filteredBy: undefined as string | undefined };
        walk(crawler, url, state);
        const filtered = state.filteredBy;
        return { accepted: state.allows && filtered === undefined, by: filtered ?? `default-allow ${state.allows}` };
      });
      return verdicts.find(({ accepted }) => accepted) ?? verdicts[0] ?? { accepted: false, by: 'no crawler' };
    },
  };
}

interface State {
  allows: boolean;
  filteredBy: string | undefined;
}

function walk(node: Node, url: URL, state: State): void {
  const options = node.children.flatMap((child) =>
    /^(?:curl|crawl)-options$/.test(child.name) ? child.children : [child],
  );
  for (const { attributes, text, name } of options)
    if (name === 'curl-option' && attributes['name'] === 'default-allow') state.allows = text === 'allow';
  for (const child of node.children) {
    const kind = /^crawl-(condition-when|condition-except|may-not-have|must-have)$/.exec(child.name)?.[1];
    if (kind === undefined) continue;
    const test = createVelocityTest(child);
    if (!test) continue;
    const isMatch = test(url);
    if (kind.endsWith('have')) {
      if (isMatch === (kind === 'may-not-have')) state.filteredBy ??= `${child.place} ${child.name}`;
    } else if (isMatch === (kind === 'condition-when')) walk(child, url, state);
  }
}

function createVelocityTest(node: Node): ((url: URL) => boolean) | undefined {
  const { how = 'wc-set', field = 'url' } = node.attributes;
  const pattern = (findAll(node, 'crawl-pattern')[0]?.text ?? textOf(node, 'pattern') ?? '').trim();
  const read = (
    {
      url: (url) => url.href,
      protocol: (url) => url.protocol.slice(0, -1),
      host: (url) => url.hostname,
      path: (url) => url.pathname,
      query: (url) => url.search.slice(1),
    } satisfies Record<string, (url: URL) => string> as Record<string, (url: URL) => string>
  )[field];
  if (!read || pattern === '') return undefined;
  if (how === 'regex' || how === 'case-insensitive-regex') {
    // Names of hosts have no case.
    const regex = compileExpression(pattern, node.place, { ignoreCase: how !== 'regex' || field === 'host' });
    return (url) => regex.test(read(url));
  }
  if (how !== 'wc' && how !== 'wc-set') throw new NotEvaluable(`${node.place}: the test ${how} cannot be evaluated`);
  const patterns = (how === 'wc' ? [pattern] : pattern.split(/\s+/)).map((one) => one.toLowerCase());
  return (url) => patterns.some((one) => matchesGlob(one, read(url).toLowerCase()));
}
