import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { Problem } from '../../domain/crawl/place.js';
import type { RuleFileKind } from '../../domain/crawl/rule-file.js';
import type { SourceName } from '../../domain/frontier/sources.js';

export interface FormatContext {
  /** Name of the file for places, as the operator gave it. */
  readonly file: string;
  /** Text of another file that the configuration names, a rule file if it has a kind; throws if it does not exist. */
  readonly readFile: (name: string, kind?: RuleFileKind) => string;
  /** Where such a file is, absolute; absent: its name is its path. */
  readonly pathOf?: (name: string) => string;
  /** Folder below which `file` sinks write; absent: wherever they say. */
  readonly fileSinks?: string;
  /** Folder below which plug-ins lie; absent: wherever they say. */
  readonly plugins?: string;
}

/** A match element: see domain/policy/match-elements.ts. */
export interface RuleMatch {
  readonly element: string;
  readonly field?: string;
  readonly kind?: string;
  readonly norm?: string;
  readonly value?: string;
  readonly litteral?: boolean;
  readonly children?: readonly RuleMatch[];
}

/** An action element: Index, NoIndex, Follow, NoFollow, Accept, Ignore, Source, AddMeta or Priority. */
export interface RuleAction {
  readonly element: string;
  readonly name?: string;
  readonly value?: string;
  readonly scope?: string;
  readonly shift?: number;
}

/** A crawl rule to write, as XML (one Rule element) or in parts. */
export type RuleInput = { readonly group?: string; readonly key?: string } & (
  | { readonly xml: string }
  | { readonly match: readonly RuleMatch[]; readonly actions: readonly RuleAction[] }
);

export interface RuleView {
  /** Position from 0 over all Rules blocks of the crawler. */
  readonly index: number;
  readonly group: string;
  readonly key?: string;
  readonly match: readonly RuleMatch[];
  readonly actions: readonly RuleAction[];
  readonly xml: string;
}

/** What may be written in CrawlConfig.xml: one element of the table that the schema and the reference come from. */
export interface ElementForm {
  readonly name: string;
  readonly namespace: string;
  readonly meaning: string;
  /** Names of the elements that are allowed inside. */
  readonly children: readonly string[];
  /** At most once in its parent. */
  readonly once: boolean;
  /** Meaning of its text content, if it may have any. */
  readonly text?: string;
  readonly attributes: readonly AttributeForm[];
}

export interface AttributeForm {
  readonly name: string;
  readonly meaning: string;
  /** What a value looks like, for a person. */
  readonly form: string;
  /** All possible values, if there are few. */
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly unit?: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** Alternative names with the same meaning. */
  readonly aliases: readonly string[];
}

/** What the server needs to know about CrawlConfig.xml: how to read it, hide its secrets and change parts of it. */
export interface ConfigurationFormat {
  /** All errors and warnings at once, including the linter's; a definition only if there is no error. */
  read(
    xml: string,
    context: FormatContext,
  ): { readonly definition?: ServerDefinition; readonly problems: readonly Problem[] };
  /** One element that says what is taken from pages, on its own; a definition only when there is no error. */
  readContent(xml: string): { readonly definition?: ContentDefinition; readonly problems: readonly Problem[] };
  /** Everything that can be written, in the order of the reference. */
  elements(): readonly ElementForm[];
  /** The text with every secret replaced by a placeholder. */
  redact(xml: string): string;
  /** The text with placeholders replaced by the secrets of `current` at the same place. */
  restoreSecrets(xml: string, current: string): string;
  /** Reads the secrets again that are kept outside; returns whether one has changed. */
  reloadSecrets(): Promise<boolean>;
  /** Like redact, for the text of a rule file; its placeholders are not replaced again, but refused by read. */
  redactRules(text: string): string;

  rules(xml: string, crawler: string): readonly RuleView[];
  /** The changed text; everything else stays byte for byte. Throws ProblemException for what cannot be done. */
  insertRule(xml: string, crawler: string, rule: RuleInput, index?: number): string;
  replaceRule(xml: string, crawler: string, index: number, rule: RuleInput): string;
  deleteRule(xml: string, crawler: string, index: number): string;
  moveRule(xml: string, crawler: string, from: number, to: number): string;
  setWeights(xml: string, crawler: string, weights: Readonly<Partial<Record<SourceName, number>>>): string;
}
