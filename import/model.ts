/** The common model of imported configurations, which is then written as CrawlConfig.xml. */
import { listUnreported, type Node } from './node.js';

export interface ImportFile {
  readonly name: string;
  readonly text: string;
  /** Where each line of the text comes from, as `file:line`, if it was put together from several files. */
  readonly places?: readonly string[];
}

/** Reads a file that a configuration names, in its folder or below; undefined if there is none. */
export type ReadBeside = (name: string) => ImportFile | undefined;

export interface Pattern {
  /** `regex` may match anywhere in the URL. */
  readonly kind: 'regex' | 'prefix' | 'suffix' | 'contains' | 'exact' | 'domain';
  readonly value: string;
  /** The part of the URL to match; the whole URL if absent. */
  readonly field?: 'url' | 'path' | 'host' | 'query';
  readonly ignoreCase?: boolean;
  /** Where it is in the input, for the report. */
  readonly node?: Node;
}

/** A pattern, or a combination of patterns. */
export type Match =
  | Pattern
  | { readonly any: readonly Match[] }
  | { readonly all: readonly Match[] }
  | { readonly not: Match };

export interface ImportedRule {
  /** Undefined if the rule says only what becomes of accepted URLs. */
  readonly accept: boolean | undefined;
  readonly pattern: Match;
  /** Accepted URLs are visited for their links only, or for their content only. */
  readonly index?: boolean;
  readonly follow?: boolean;
  /** Metas that documents get; a name may have several values. */
  readonly metas?: readonly (readonly [name: string, value: string])[];
  readonly render?: 'always' | 'never';
}

/** An element of cw:Content. */
export interface ImportedContent {
  /** Absent for all pages. */
  readonly name?: string;
  readonly elements: readonly { readonly element: string; readonly attributes: Readonly<Record<string, string>> }[];
}

/** An element of `cw:Conditions`: option, apply-for, apply-except-for, may-not-have or must-have. */
export interface ImportedCondition {
  readonly element: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly ImportedCondition[];
}

export interface ImportedCrawler {
  name: string;
  roots: string[];
  /** Roots that are read whatever the rules say of them. */
  sitemaps: string[];
  /** Whether links stay on the sites of the roots. */
  staysOnSite: boolean;
  /** A URL must match each of them. */
  filters: Match[];
  /** If there are any, a URL must match one of them. */
  include: Pattern[];
  /** A URL must not match any of them. */
  exclude: Pattern[];
  /** What matches one of them is crawled for its links only. */
  noIndex: Match[];
  /** A later rule overrides an earlier one. */
  rules: ImportedRule[];
  /** Whether URLs that no rule matches are accepted, if there are rules. */
  acceptsOthers: boolean;
  /** Attributes of the Crawler element. */
  attributes: Record<string, string>;
  maxHops?: number;
  /** Written before the conditions that result from `maxHops`, `exclude` and `include`. */
  conditions: ImportedCondition[];
  /** Attributes of the Fetcher element. */
  fetcher: Record<string, string>;
  /** Headers that are sent with each request. */
  headers: Record<string, string>;
  /** Attributes of elements that a crawler has once, such as cw:Traps. */
  parts: Record<string, Record<string, string>>;
  contents: ImportedContent[];
  /** Attributes of the elements cw:Map of the sink. */
  maps: Readonly<Record<string, string>>[];
  sink?: { type: string; url: string; index?: string; login?: string; secret?: 'password' | 'apiKey' };
  /** Name of a crawl rules file that is used as is. */
  crawlSpace?: string;
  /** Rule files to write beside the configuration. */
  copies: ImportFile[];
  /** Attributes of the elements cw:Server, which say how URLs are fetched; they exclude none. */
  servers: Readonly<Record<string, string>>[];
}

export const createCrawler = (name: string): ImportedCrawler => ({
  name,
  roots: [],
  sitemaps: [],
  staysOnSite: true,
  filters: [],
  include: [],
  exclude: [],
  noIndex: [],
  rules: [],
  conditions: [],
  acceptsOthers: false,
  attributes: {},
  fetcher: {},
  headers: {},
  parts: {},
  contents: [],
  maps: [],
  copies: [],
  servers: [],
});

/** Adds attributes of an element that a crawler has once. */
export function setPart({ parts }: ImportedCrawler, element: string, attributes: Record<string, string>): void {
  parts[element] = { ...parts[element], ...attributes };
}

/** What became of one setting. */
export interface ReportLine {
  readonly kind: 'taken' | 'taken differently' | 'not taken';
  readonly setting: string;
  /** What it became, or why it was not taken. */
  readonly note: string;
  /** Where the setting is, as `file:line`. */
  readonly place?: string;
}

/** Why a setting was not taken, if nothing better is known. */
export const NO_COUNTERPART = 'has no counterpart';

/** What becomes of a sitemap whose URLs are start URLs. */
export const SITEMAP_NOTE =
  'a root that no rule excludes, recognized by its content; its URLs are one hop away, so a limit of hops is one larger';

export const HOUR_S = 3600;
/** What becomes of a shorter interval, in products that crawl in rounds that somebody starts. */
export const ROUND_NOTE = 'smartRefresh decides: it means each round of crawling there, and crawls never end here';

const IN_FETCHER = 'in the Fetcher; passwords are not copied';

/** What has a counterpart that people have to write themselves, by the names that products give it. */
const BY_HAND: readonly (readonly [name: RegExp, note: string])[] = [
  [
    /selenium|playwright|puppeteer|splash|web_?driver|browser(?!charset)/i,
    'set render of the Crawler (docs/rendering.md)',
  ],
  [/prox(?:y|ies)/i, `write a Proxy ${IN_FETCHER}`],
  [
    /login|form_?credential|(?:basic|http|web)_?auth|\bhttp_(?:user|pass)\b/i,
    `write a Credential or a Login ${IN_FETCHER} (docs/logins.md)`,
  ],
  [/^auth(?:[A-Z_]|entication|$)/, `write a Credential or a Login ${IN_FETCHER} (docs/logins.md)`],
  [/cookie/i, 'set cookies of the Fetcher'],
  [/header/i, `write a Header ${IN_FETCHER}`],
  [/user[._ -]?agent/i, 'set userAgent of the Fetcher'],
  [/\bssl|\btls|certificate/i, 'write a CertificateAuthority in the Fetcher, or set its verifyCertificates'],
  [/private_?networks|loopback/i, 'write an AllowAddress in the Fetcher'],
  [/redirect/i, 'set maxRedirects of the Fetcher'],
  [/retry|retries/i, 'write a cw:ErrorPolicy'],
];

/** User names and passwords in URLs, and before the name of a proxy. */
const USER_INFO = /(?<=:\/\/)[^\s/@]*(?:@[^\s/@]*)*@|(?<![^\s="'])[^\s/@:="']+:[^\s/@]+@(?=[\w.-])/g;

export class ImportReport {
  readonly lines: ReportLine[] = [];
  private readonly knownKeys = new Set<string>();
  private readonly inputs = new Map<string, Node[]>();

  reportTaken(setting: string, note: string, ...nodes: (Node | undefined)[]): void {
    this.addLine({ kind: 'taken', setting, note }, nodes);
  }

  reportChanged(setting: string, note: string, ...nodes: (Node | undefined)[]): void {
    this.addLine({ kind: 'taken differently', setting, note }, nodes);
  }

  reportSkipped(setting: string, note: string, ...nodes: (Node | undefined)[]): void {
    this.addLine({ kind: 'not taken', setting, note }, nodes);
  }

  /** Marks parts that another line of the report covers. */
  cover(...nodes: readonly (Node | undefined)[]): void {
    this.coverAll(nodes);
  }

  /** The same for any number of parts. */
  coverAll(nodes: Iterable<Node | undefined>): void {
    for (const node of nodes) if (node) node.isReported = true;
  }

  /** Records that a file was read: everything in it that no line covers is listed at the end. */
  addInput(file: string, root: Node): Node {
    this.inputs.set(file, [...(this.inputs.get(file) ?? []), root]);
    return root;
  }

  isRead(file: string): boolean {
    return this.inputs.has(file);
  }

  /** Lists the parts of all files with which no reader has dealt. */
  reportRest(explain: (node: Node) => string | undefined): void {
    for (const node of [...this.inputs.values()].flat().flatMap(listUnreported))
      this.reportSkipped(describeNode(node), explain(node) ?? NO_COUNTERPART, node);
  }

  /** Adds the line unless it exists already: several crawlers in one file often cause the same line. */
  private addLine(original: ReportLine, nodes: readonly (Node | undefined)[]): void {
    this.coverAll(nodes);
    const place = nodes.find((node) => node !== undefined)?.place;
    const setting = hideValue(original.setting.replace(/\t+/g, ' ').replace(USER_INFO, '…@'));
    const hint = original.note.endsWith(NO_COUNTERPART) && BY_HAND.find(([name]) => name.test(setting));
    const line = { ...original, setting, note: hint ? hint[1] : original.note };
    const key = JSON.stringify(line.kind === 'not taken' ? { ...line, place } : line);
    if (this.knownKeys.has(key)) return;
    this.knownKeys.add(key);
    this.lines.push(place === undefined ? line : { ...line, place });
  }
}

/** Values of settings whose names suggest a secret are not shown. */
const SECRET_NAME =
  /passw(?:or)?d|passphrase|pass(?![a-z])|pwd|secret|token|credential|cookie|(?:api|access|private)[-_ ]?key|auth/i;

const hideValue = (setting: string): string =>
  setting.replace(/^([^=]*?)\s*=.+$/s, (all, name: string) => (SECRET_NAME.test(name) ? name : all));

/** The name of a part with what tells it from its neighbours, and its value. */
function describeNode(node: Node): string {
  const { name, text } = node;
  if (name === 'line') return text.slice(0, 120);
  const label = (node.find('id') ?? node.find('name') ?? node.find('class'))?.text;
  const title = [name, label?.split('.').at(-1)].filter(Boolean).join(' ');
  const value = text === '' ? '' : ` = ${text.replace(/\s+/g, ' ')}`;
  return `${title}${value}`.slice(0, 120);
}

/** Reads the files of one product. Throws an ImportError for other files. */
export type ImportReader = (
  files: readonly ImportFile[],
  report: ImportReport,
  readBeside: ReadBeside,
) => ImportedCrawler[];

export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Formats a count like `1 seed` or `2 seeds`. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Splits text into lines, leaving out comments and blank lines. */
export const splitLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Appends any number of elements: a list of start URLs may be too long to pass as arguments of `push`. */
export function appendAll<T>(list: T[], elements: Iterable<T>): void {
  for (const element of elements) list.push(element);
}

/** The address of Solr ends with the name of the core, below the path of the program. */
export function splitSolrUrl(address: string): { url: string; core?: string } {
  const [, url = address, core] = /^(\w+:\/\/[^/]+\/.+)\/([^/]+)\/?$/.exec(address) ?? [];
  return core === undefined ? { url } : { url, core };
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Whether the text is valid for the attribute `contact` of a Fetcher. */
export const isContact = (text: string): boolean => isUrl(text) || /^[\x21-\x7e]{1,64}@[\w.-]{1,253}$/.test(text);
