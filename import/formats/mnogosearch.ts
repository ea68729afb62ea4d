/** mnoGoSearch and DataparkSearch: indexer.conf with the files that it includes. */
import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  type Pattern,
  type ReadBeside,
} from '../model.js';
import { escapeRegExp, isLinear, restrictToHosts } from '../patterns.js';
import { Node } from '../tree.js';

interface Command {
  readonly name: string;
  readonly words: readonly string[];
  readonly node: Node;
}

interface Reading {
  readonly crawler: ImportedCrawler;
  readonly report: ImportReport;
  /** Server, Realm and Subnet in their order: the first that matches decides. */
  readonly servers: ImportedRule[];
  /** Allow, Disallow and the others in their order: the first that matches decides. */
  readonly filters: ImportedRule[];
  /** Values for the Server commands that follow. */
  parameters: Record<string, string>;
  /** `Follow` sets what Server commands without a keyword cover. */
  section: string;
}

export function readMnogosearch(
  files: readonly ImportFile[],
  report: ImportReport,
  readBeside: ReadBeside,
): ImportedCrawler[] {
  const crawler = { ...createCrawler('mnogosearch'), staysOnSite: false };
  const reading: Reading = { crawler, report, servers: [], filters: [], parameters: {}, section: 'path' };
  const [main, ...others] = files;
  const included = new Set<string>();
  const find = (path: string): ImportFile | undefined =>
    others.find(({ name }) => name === path.split('/').at(-1)) ?? readBeside(path);
  const commands = main ? listCommands(main, find, report, included) : [];
  for (const file of others) if (!included.has(file.name)) commands.push(...listCommands(file, find, report, included));
  if (!commands.some(({ name }) => /^(?:server|realm|subnet|url)$/.test(name)))
    throw new ImportError(`${main?.name ?? 'the file'} contains no Server, Realm, Subnet or URL command`);
  for (const command of commands) importCommand(command, reading);
  // The first match wins; what no server matches is not crawled, and what no filter matches is.
  crawler.rules = [...reading.servers].reverse();
  if (reading.servers.length === 0 && !crawler.acceptsOthers) {
    crawler.acceptsOthers = true;
    restrictToHosts(crawler, 'there is no Server or Realm that could be taken', report);
  }
  addFilters(reading);
  return [crawler];
}

const MAX_DEPTH = 20;

/** The commands of a file, with those of the files that it includes in their places. */
function listCommands(
  file: ImportFile,
  find: ReadBeside,
  report: ImportReport,
  included: Set<string>,
  depth = 0,
): Command[] {
  if (depth > MAX_DEPTH)
    throw new ImportError(`${file.name}: files include each other more than ${MAX_DEPTH} levels deep`);
  included.add(file.name);
  const commands = parseCommands(file);
  report.addInput(
    file.name,
    new Node(
      'list',
      '',
      commands.map(({ node }) => node),
      `${file.name}:1`,
    ),
  );
  return commands.flatMap((command) => {
    if (command.name !== 'include') return [command];
    const path = command.words[0] ?? '';
    const other = find(path);
    if (!other) throw new ImportError(`${command.node.place}: ${path} was not found: specify this file, too`);
    report.cover(command.node);
    return listCommands(other, find, report, included, depth + 1);
  });
}

const SECRET_HEADER = /auth|cookie|token|key|secret|passw/i;

/** A line that ends with a backslash continues on the next one. Commands whose values are secret are shown without. */
function parseCommands({ name: file, text }: ImportFile): Command[] {
  const commands: Command[] = [];
  let line = '';
  let start = 0;
  for (const [index, part] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line === '') start = index + 1;
    if (line === '' && /^\s*#/.test(part)) continue;
    line += part.replace(/\\$/, ' ');
    if (part.endsWith('\\')) continue;
    const [name, ...words] = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    const header = /^httpheader$/i.test(name ?? '') ? words.join(' ').split(':')[0]! : '';
    const isSecret = /^(?:auth|proxyauth|dbaddr|db\w*pass)/i.test(name ?? '') || SECRET_HEADER.test(header);
    const shown = isSecret ? `${name} …` : line.trim();
    if (name)
      commands.push({
        name: name.toLowerCase(),
        words: words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')),
        node: new Node('line', shown, [], `${file}:${start}`),
      });
    line = '';
  }
  return commands;
}

const METHODS = new Set(['allow', 'disallow', 'hrefonly', 'checkonly', 'skip', 'checkmp3', 'checkmp3only', 'headonly']);

/** Commands that say what is crawled; in others, `$(NAME)` may stand for parts of a document. */
const SCOPE_COMMANDS =
  /^(?:server|realm|subnet|url|alias|allow|disallow|hrefonly|checkonly|skip|checkmp3|checkmp3only|headonly)$/;

function importCommand(command: Command, reading: Reading): void {
  const { name, node } = command;
  const reader = READERS[name];
  const variable = SCOPE_COMMANDS.test(name) ? /\$\([\w.]{1,100}\)/.exec(node.text)?.[0] : undefined;
  if (variable !== undefined)
    throw new ImportError(`${node.place}: ${variable} has no value here: write what it stands for`);
  if (METHODS.has(name)) importFilterCommand(command, reading);
  else if (name === 'server' || name === 'realm' || name === 'subnet') importServerCommand(command, reading);
  else if (Object.hasOwn(PARAMETERS, name)) importParameter(command, reading);
  else if (reader) {
    const note = reader(command, reading);
    if (note === undefined) reading.report.reportSkipped(node.text, 'its value has no counterpart', node);
    else reading.report.reportTaken(node.text, note, node);
  } else reading.report.reportSkipped(node.text, REASONS[name] ?? 'has no counterpart', node);
}

const REASONS: Readonly<Record<string, string>> = {
  dbaddr: 'documents go to documents.jsonl until you change the Sink',
  authbasic: 'write a Credential in the Fetcher; passwords are not copied',
  proxy: 'write a Proxy in the Fetcher',
  proxyauthbasic: 'write a Proxy in the Fetcher; passwords are not copied',
  mime: 'documents are read by built-in readers; see docs/documents.md',
  addtype: 'servers say what their documents are; see docs/documents.md',
  servertable: 'write the records as Server commands',
  urltable: 'submit the URLs as a list: crawlway submit',
  reversealias: 'write a Canonicalization, or an Alias for a prefix',
  localcharset: 'all text is Unicode',
  remotecharset: 'the charset of a page is detected',
  deleteolder: 'pages that are gone are always deleted',
  httpheader: 'it has no name and value',
  stopwordfile: 'the search index analyzes the text',
};

/** What a method does with a URL; CheckOnly asks for the header only, HrefOnly follows links without indexing. */
function toAction(method: string): Pick<ImportedRule, 'accept' | 'index' | 'follow'> {
  if (method === 'disallow' || method === 'skip') return { accept: false };
  if (method === 'hrefonly') return { accept: true, index: false };
  return method === 'allow' ? { accept: true } : { accept: true, index: false, follow: false };
}

interface Options {
  readonly method: string;
  readonly isRegex: boolean;
  /** Whether a Server is given as a pattern, `Regex` or `String`, instead of as a URL. */
  readonly isPattern: boolean;
  readonly isNegated: boolean;
  readonly ignoreCase: boolean;
  readonly section: string | undefined;
  readonly rest: readonly string[];
}

/** What a Server covers; a `page` is visited without following its links, which has other names as well. */
const readSection = (word: string): string | undefined =>
  /^(?:path|site|world|subdomain)$/.test(word)
    ? word
    : { page: 'page', no: 'page', nofollow: 'page', yes: 'path' }[word];

/** The keywords between a command and its arguments, in any order. Without them: Match, NoCase, String. */
function readOptions(words: readonly string[]): Options {
  const options = {
    method: 'allow',
    isRegex: false,
    isPattern: false,
    isNegated: false,
    ignoreCase: true,
    section: undefined as string | undefined,
  };
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index]!.toLowerCase();
    if (METHODS.has(word)) options.method = word;
    else if (/^(?:regexp?|string)$/.test(word)) {
      options.isPattern = true;
      options.isRegex = word !== 'string';
    } else if (word === 'nomatch') options.isNegated = true;
    else if (word === 'case') options.ignoreCase = false;
    else if (readSection(word) !== undefined) options.section = readSection(word);
    else if (!/^(?:match|nocase)$/.test(word)) break;
  }
  return { ...options, rest: words.slice(index) };
}

/** `*` and `?` stand for any characters and for one, in a comparison with the whole URL. */
function toPattern(value: string, { isRegex, ignoreCase }: Pick<Options, 'isRegex' | 'ignoreCase'>): Pattern {
  const wildcard = value
    .split('*')
    .map((part) => part.split('?').map(escapeRegExp).join('.'))
    .join('.*');
  return { kind: 'regex', value: isRegex ? value : `^${wildcard}$`, ...(ignoreCase ? { ignoreCase } : {}) };
}

function importFilterCommand({ name, words, node }: Command, { filters, report }: Reading): void {
  const options = readOptions(words);
  if (options.rest.length === 0) return void report.reportSkipped(node.text, 'it has no argument', node);
  // Each argument is a command of its own, so that NoMatch applies to each.
  const any = options.rest.map((value): Match => {
    const pattern = toPattern(value, options);
    return options.isNegated ? { not: pattern } : pattern;
  });
  filters.push({ ...toAction(name), pattern: { any } });
  const note = `a Rule, first match first${name.startsWith('check') || name === 'headonly' ? ': fetched, but neither indexed nor followed' : ''}`;
  if (/^(?:allow|disallow|hrefonly)$/.test(name)) report.reportTaken(node.text, note, node);
  else report.reportChanged(node.text, name === 'skip' ? 'a Rule that ignores' : note, node);
}

function importServerCommand({ name, words, node }: Command, reading: Reading): void {
  const { crawler, servers, report, parameters } = reading;
  const options = readOptions(words);
  const [target = '', alias] = options.rest;
  const match = name === 'subnet' ? undefined : toServerMatch(name, target, options, reading.section);
  if (!match)
    return void report.reportSkipped(
      node.text,
      name === 'subnet' ? 'write the addresses in a file of cw:CrawlSpace' : 'its argument is no http or https URL',
      node,
    );
  const action = toAction(options.method);
  const index = parameters['index'] !== 'false' && action.index !== false;
  const follow = action.follow !== false && (options.section ?? reading.section) !== 'page';
  servers.push({ accept: action.accept, pattern: options.isNegated ? { not: match } : match, index, follow });
  const isRecord = name === 'server' && action.accept === true && !options.isPattern;
  if (isRecord && !crawler.roots.includes(target)) crawler.roots.push(target);
  const isAlias = alias !== undefined && isUrl(alias) && !new URL(alias).username;
  if (alias !== undefined && !isAlias)
    report.reportSkipped(`alias ${alias}`, 'only an http or https URL without a user can stand for another');
  const record = { ...parameters, ...(isAlias ? { alias } : {}) };
  if (isRecord && Object.keys(record).length > 0)
    crawler.servers.push({ url: toScope(target, options.section ?? reading.section), ...record });
  else if (Object.keys(record).length > 0)
    report.reportChanged(
      node.text,
      `its ${Object.keys(record).join(', ')} are not taken: only a Server can have them`,
      node,
    );
  report.reportTaken(node.text, action.accept ? 'a Rule that accepts' : 'a Rule that ignores', node);
}

/** A path ends with the last slash; a site is the whole server. */
function toScope(url: string, section: string): string {
  const { origin, pathname, href } = new URL(url);
  if (section === 'site') return `${origin}/`;
  return section === 'page' ? href : origin + pathname.slice(0, pathname.lastIndexOf('/') + 1);
}

function toServerMatch(name: string, target: string, options: Options, standard: string): Match | undefined {
  const section = options.section ?? standard;
  if (section === 'world') return { kind: 'prefix', value: 'http' };
  if (name === 'realm' || options.isPattern) return target === '' ? undefined : toPattern(target, options);
  if (!isUrl(target)) return undefined;
  if (section === 'subdomain') return { kind: 'domain', value: new URL(target).hostname.replace(/^www\./, '') };
  return { kind: 'prefix', value: toScope(target, section), ...(options.ignoreCase ? { ignoreCase: true } : {}) };
}

/** What the first matching command says: a filter for what it rejects, and rules for what is not indexed. */
function addFilters({ crawler, filters }: Reading): void {
  if (filters.length === 0) return;
  const everything: Match = { kind: 'prefix', value: 'http' };
  const isOpen = filters.some(({ accept }) => !accept);
  // The last command is the innermost: it decides only about what no earlier one matches.
  const accepted = [...filters]
    .reverse()
    .reduce<Match>(
      (rest, { accept, pattern }) =>
        accept ? (rest === everything ? everything : { any: [pattern, rest] }) : { all: [{ not: pattern }, rest] },
      everything,
    );
  for (const [index, { accept, pattern, index: isIndexed, follow }] of filters.entries()) {
    if (!accept || isIndexed !== false) continue;
    const earlier = filters.slice(0, index).map((filter): Match => ({ not: filter.pattern }));
    crawler.rules.push({
      accept: undefined,
      pattern: { all: [...earlier, pattern] },
      index: false,
      follow: follow ?? true,
    });
  }
  if (isOpen) crawler.filters.push(accepted);
}

const PERIOD = /^(?:\d{1,9}|(?:[+-]?\d{1,9}[sMhdmy])+)$/;
const BOOLEAN: Readonly<Record<string, string>> = { yes: 'true', no: 'false' };

/** Commands that apply to the Server commands after them: attribute, and the value as it is written there. */
const PARAMETERS: Readonly<
  Record<string, readonly [attribute: string, convert: (value: string) => string | undefined]>
> = {
  period: ['period', (value) => (PERIOD.test(value) ? value : undefined)],
  tag: ['tag', (value) => value || undefined],
  category: ['category', (value) => value || undefined],
  maxhops: ['maxHops', (value) => (/^\d{1,4}$/.test(value) ? value : undefined)],
  readtimeout: ['readTimeout', (value) => (PERIOD.test(value) ? value : undefined)],
  doctimeout: ['documentTimeout', (value) => (PERIOD.test(value) ? value : undefined)],
  robots: ['robots', (value) => BOOLEAN[value.toLowerCase()]],
  index: ['index', (value) => BOOLEAN[value.toLowerCase()]],
  maxneterrors: ['maxNetworkErrors', (value) => (/^\d{1,4}$/.test(value) ? value : undefined)],
  neterrordelaytime: ['networkErrorDelay', (value) => (PERIOD.test(value) ? value : undefined)],
};

function importParameter({ name, words, node }: Command, { parameters, report }: Reading): void {
  const [attribute, convert] = PARAMETERS[name]!;
  const value = convert(words.join(' '));
  if (value === undefined) return void report.reportSkipped(node.text, 'its value has no counterpart', node);
  parameters[attribute] = value;
  report.reportTaken(node.text, `${attribute} of the cw:Server records after it`, node);
}

/** Sections that every document has in Crawlway. */
const DELIVERED =
  /^(?:body|title|url(?:\.\w+)?|meta\.|content-type|charset|language|lang|crosswords|attribute\.|message)/i;

/** Each returns what its command became; undefined if its value has no counterpart. */
const READERS: Readonly<Record<string, (command: Command, reading: Reading) => string | undefined>> = {
  follow: ({ words }, reading) => {
    const section = readSection((words[0] ?? '').toLowerCase());
    if (section === undefined) return undefined;
    reading.section = section;
    return 'what the Server commands after it cover, and whether they follow links';
  },
  url: ({ words }, { crawler }) => {
    if (!isUrl(words[0] ?? '')) return undefined;
    crawler.roots.push(words[0]!);
    return 'a root';
  },
  alias: ({ words }, { crawler, parameters }) => {
    const [from = '', to = ''] = words;
    if (!isUrl(from) || !isUrl(to) || new URL(to).username) return undefined;
    crawler.servers.push({ url: from, ...parameters, alias: to });
    return 'alias of a cw:Server record';
  },
  useragent: ({ words }, { crawler }) => {
    if (words.join(' ').trim() === '') return undefined;
    crawler.fetcher['userAgent'] = words.join(' ');
    return 'userAgent of Fetcher';
  },
  httpheader: ({ words }, { crawler }) => {
    const [, name, value] = /^([\w-]+)\s*:\s*(.+)$/.exec(words.join(' ')) ?? [];
    if (name === undefined || SECRET_HEADER.test(name)) return undefined;
    if (/^user-agent$/i.test(name)) crawler.fetcher['userAgent'] = value!;
    else if (/^accept-language$/i.test(name)) crawler.fetcher['acceptLanguage'] = value!;
    else crawler.headers[name] = value!;
    return 'a header of Fetcher';
  },
  maxdocsize: ({ words }, { crawler }) => {
    if (!/^[1-9]\d{0,11}$/.test(words[0] ?? '')) return undefined;
    crawler.fetcher['maxSizeBytes'] = words[0]!;
    return 'maxSizeBytes of Fetcher: longer documents are left out instead of cut';
  },
  crawldelay: ({ words }, { crawler }) => {
    if (!/^\d{1,6}$/.test(words[0] ?? '')) return undefined;
    crawler.attributes['throttleTimeMS'] = String(Number(words[0]) * 1000);
    return 'throttleTimeMS';
  },
  followoutside: ({ words }, { crawler }) => {
    crawler.acceptsOthers = /^yes$/i.test(words[0] ?? '');
    return 'defaultAccept';
  },
  deletenoserver: ({ words }) =>
    /^yes$/i.test(words[0] ?? '') ? 'what no rule accepts any more is deleted' : undefined,
  detectclones: ({ words }, { crawler }) => {
    if (/^no$/i.test(words[0] ?? '')) crawler.parts['LeaveOut'] = { exactDuplicates: 'false' };
    return 'exactDuplicates of cw:LeaveOut';
  },
  section: ({ words }, { crawler }) => {
    const [name = ''] = words;
    const expression = words.slice(3).findLast((word) => !/^\$\d$/.test(word) && /[()]/.test(word));
    if (expression === undefined) return DELIVERED.test(name) ? 'delivered with every document' : undefined;
    // A Field sees the text of a page, not its tags.
    if (expression.includes('<') || !isLinear({ kind: 'regex', value: expression })) return undefined;
    crawler.contents[0] ??= { elements: [] };
    const elements = [
      ...crawler.contents[0].elements,
      { element: 'Field', attributes: { name, select: 'body', match: expression } },
    ];
    crawler.contents[0] = { elements };
    return 'Field of cw:Content';
  },
};
