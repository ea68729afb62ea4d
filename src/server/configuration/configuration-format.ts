import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { Problem } from '../../domain/crawl/place.js';
import type { RuleFileKind } from '../../domain/crawl/rule-file.js';
import type { SourceName } from '../../domain/frontier/sources.js';
import type { ElementForm } from './element.schema.js';
import type { RuleInput, RuleView } from './rule.dto.js';

export interface FormatContext {
  /** Name of the file as the operator gave it; used in the places of problems. */
  readonly file: string;
  /**
   * Content of another file that the configuration names, a rule file if `kind` is given; throws if it does not exist.
   */
  readonly readFile: (name: string, kind?: RuleFileKind) => string;
  /** Returns the absolute path of such a file. Absent: its name is its path. */
  readonly pathOf?: (name: string) => string;
  /** Folder below which `file` sinks write. Absent: their paths are used unchanged. */
  readonly fileSinks?: string;
  /** Folder that contains the plug-ins. Absent: their paths are used unchanged. */
  readonly plugins?: string;
}

/** What the server needs to know about CrawlConfig.xml: how to read it, hide its secrets and change parts of it. */
export interface ConfigurationFormat {
  /** All errors and warnings at once, including the linter's; a definition only if there is no error. */
  read(
    xml: string,
    context: FormatContext,
  ): { readonly definition?: ServerDefinition; readonly problems: readonly Problem[] };
  /** Reads a single element that says what is extracted from pages; returns a definition only if there is no error. */
  readContent(xml: string): { readonly definition?: ContentDefinition; readonly problems: readonly Problem[] };
  /** All elements that can be written, in the order of the reference. */
  listElements(): readonly ElementForm[];
  /** The text with every secret replaced by a placeholder. */
  redact(xml: string): string;
  /** The text with each placeholder replaced by the secret at the same place in `current`. */
  restoreSecrets(xml: string, current: string): string;
  /** Rereads secrets that are kept outside the configuration; returns whether any has changed. */
  reloadSecrets(): Promise<boolean>;
  /** Like redact, but for a rule file; its placeholders cannot be turned back into secrets, so `read` refuses them. */
  redactRules(text: string): string;

  listRules(xml: string, crawler: string): readonly RuleView[];
  /**
   * Returns the changed text; everything else stays byte for byte the same. Throws ProblemException if the change
   * cannot be made.
   */
  insertRule(xml: string, crawler: string, rule: RuleInput, index?: number): string;
  replaceRule(xml: string, crawler: string, index: number, rule: RuleInput): string;
  deleteRule(xml: string, crawler: string, index: number): string;
  moveRule(xml: string, crawler: string, from: number, to: number): string;
  setWeights(xml: string, crawler: string, weights: Readonly<Partial<Record<SourceName, number>>>): string;
}
