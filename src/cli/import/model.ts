import { RE2JS } from 're2js';

/** What other crawlers' configurations have in common, before it is written as CrawlConfig.xml. */

export interface ImportFile {
  readonly name: string;
  readonly text: string;
}

export interface Pattern {
  /** `regex` may match anywhere in the URL. */
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
  /** Written before those that result from `maxHops`, `exclude` and `include`. */
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

/** What became of each setting. */
export interface ReportLine {
  readonly kind: 'taken' | 'taken differently' | 'not taken';
  readonly setting: string;
  /** What it became, or why it was not taken. */
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

  /** Several crawlers of one file often cause the same message. */
  private addLine(line: ReportLine): void {
    const key = JSON.stringify(line);
    if (this.known.has(key)) return;
    this.known.add(key);
    this.lines.push(line);
  }
}

/** Reads the files of one product. Throws an ImportError for other files. */
export type ImportReader = (files: readonly ImportFile[], report: ImportReport) => ImportedCrawler[];

export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Splits text into lines, leaving out comments and blank lines. */
export const splitLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Appends any number of elements: lists of start URLs may be longer than a call's list of arguments can be. */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Whether the attribute `contact` of a Fetcher accepts the text. */
export const isContact = (text: string): boolean => isUrl(text) || /^[\x21-\x7e]{1,64}@[\w.-]{1,253}$/.test(text);

/** Why a pattern for which `isLinear` returns false is left out. */
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

/** Escapes a text for a regular expression that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
