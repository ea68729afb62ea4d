/** The common model of imported configurations, which is then written as CrawlConfig.xml. */
import { RE2JS } from 're2js';

export interface ImportFile {
  readonly name: string;
  readonly text: string;
}

export interface Pattern {
  /** `regex` may match anywhere in the URL. */
  readonly kind: 'regex' | 'prefix' | 'suffix' | 'contains' | 'exact' | 'domain';
  readonly value: string;
  /** The part of the URL to match; the whole URL if absent. */
  readonly field?: 'url' | 'path';
  readonly ignoreCase?: boolean;
}

export interface ImportedRule {
  readonly accept: boolean;
  readonly pattern: Pattern;
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
  /** Whether links stay on the sites of the roots. */
  staysOnSite: boolean;
  /** If there are any, a URL must match one of them. */
  include: Pattern[];
  /** A URL must not match any of them. */
  exclude: Pattern[];
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
  sink?: { type: string; url: string; index?: string; login?: string; secret?: 'password' | 'apiKey' };
  /** Name of a crawl rules file that is used as is. */
  crawlSpace?: string;
}

export const createCrawler = (name: string): ImportedCrawler => ({
  name,
  roots: [],
  staysOnSite: true,
  include: [],
  exclude: [],
  rules: [],
  conditions: [],
  acceptsOthers: false,
  attributes: {},
  fetcher: {},
});

/** What became of one setting. */
export interface ReportLine {
  readonly kind: 'taken' | 'taken differently' | 'not taken';
  readonly setting: string;
  /** What it became, or why it was not taken. */
  readonly note: string;
}

export class ImportReport {
  readonly lines: ReportLine[] = [];
  private readonly knownKeys = new Set<string>();

  reportTaken(setting: string, note: string): void {
    this.addLine({ kind: 'taken', setting, note });
  }

  reportChanged(setting: string, note: string): void {
    this.addLine({ kind: 'taken differently', setting, note });
  }

  reportSkipped(setting: string, note: string): void {
    this.addLine({ kind: 'not taken', setting, note });
  }

  /** Adds the line unless it exists already: several crawlers in one file often cause the same line. */
  private addLine(line: ReportLine): void {
    const key = JSON.stringify(line);
    if (this.knownKeys.has(key)) return;
    this.knownKeys.add(key);
    this.lines.push(line);
  }
}

/** Reads the files of one product. Throws an ImportError for other files. */
export type ImportReader = (files: readonly ImportFile[], report: ImportReport) => ImportedCrawler[];

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

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Whether the text is valid for the attribute `contact` of a Fetcher. */
export const isContact = (text: string): boolean => isUrl(text) || /^[\x21-\x7e]{1,64}@[\w.-]{1,253}$/.test(text);

/** Why a pattern for which `isLinear` returns false is left out. */
export const NOT_LINEAR =
  'the regular expression uses lookaround or a back-reference, or is incomplete; use literal matches instead';

/** Whether Crawlway's expression engine, which has neither lookaround nor back-references, supports the pattern. */
export function isLinear({ kind, value }: Pattern): boolean {
  if (kind !== 'regex') return true;
  try {
    RE2JS.compile(value);
    return true;
  } catch {
    return false;
  }
}

/** Escapes text for a regular expression that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
