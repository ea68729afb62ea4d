import { RE2JS } from 're2js';

/** What the configurations of other crawlers have in common, before it is written as CrawlConfig.xml. */

export interface ImportFile {
  readonly name: string;
  readonly text: string;
}

export interface Pattern {
  /** `regex` is found anywhere in the URL. */
  readonly kind: 'regex' | 'prefix' | 'suffix' | 'contains' | 'exact' | 'domain';
  readonly value: string;
  /** The part of the URL; the whole URL if absent. */
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
  /** Links stay on the sites of the roots. */
  staysOnSite: boolean;
  /** A URL must match one of them, if there are any. */
  include: Pattern[];
  /** A URL may match none of them. */
  exclude: Pattern[];
  /** A later rule overrides an earlier one. */
  rules: ImportedRule[];
  /** What happens to URLs that no rule matches, if there are rules. */
  acceptsOthers: boolean;
  /** Attributes of the Crawler element. */
  attributes: Record<string, string>;
  maxHops?: number;
  /** Before those that `maxHops`, `exclude` and `include` make. */
  conditions: ImportedCondition[];
  /** Attributes of the Fetcher element. */
  fetcher: Record<string, string>;
  sink?: { type: string; url: string; index?: string; login?: string; secret?: 'password' | 'apiKey' };
  /** Elements that are copied as they are: crawl rules files and the like. */
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

/** What became of each setting. */
export interface ReportLine {
  readonly kind: 'taken' | 'taken differently' | 'not taken';
  readonly setting: string;
  /** Where it went, or why it did not go. */
  readonly note: string;
}

export class ImportReport {
  readonly lines: ReportLine[] = [];
  private readonly known = new Set<string>();

  reportTaken(setting: string, note: string): void {
    this.addLine({ kind: 'taken', setting, note });
  }

  reportChanged(setting: string, note: string): void {
    this.addLine({ kind: 'taken differently', setting, note });
  }

  reportSkipped(setting: string, note: string): void {
    this.addLine({ kind: 'not taken', setting, note });
  }

  /** Several crawlers of one file often have the same message. */
  private addLine(line: ReportLine): void {
    const key = JSON.stringify(line);
    if (this.known.has(key)) return;
    this.known.add(key);
    this.lines.push(line);
  }
}

/** Reads the files of one product. Throws ImportError for other files. */
export type ImportReader = (files: readonly ImportFile[], report: ImportReport) => ImportedCrawler[];

export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Splits text into lines without comments and blank ones. */
export const splitLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Any number: lists of start URLs are longer than a call can have arguments. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** What the attribute contact of a Fetcher accepts. */
export const isContact = (text: string): boolean => isUrl(text) || /^[\x21-\x7e]{1,64}@[\w.-]{1,253}$/.test(text);

/** Why a pattern is left out that `isLinear` denies. */
export const NOT_LINEAR =
  'the regular expression uses lookaround or a back-reference, or is incomplete; use literal matches instead';

/** Crawlway's engine runs in linear time, so it has neither lookaround nor back-references. */
export function isLinear({ kind, value }: Pattern): boolean {
  if (kind !== 'regex') return true;
  try {
    RE2JS.compile(value);
    return true;
  } catch {
    return false;
  }
}

/** The text as a regular expression that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
