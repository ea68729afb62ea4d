import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { Place, Problem } from '../../domain/crawl/place.js';
import type { RuleFileKind } from '../../domain/crawl/rule-file.js';
import type { SourceName } from '../../domain/frontier/sources.js';
import type { Steps } from '../../domain/steps.js';
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
  /** The secrets for `${secret:NAME}`, by name. Absent: there are none. */
  readonly storedSecrets?: ReadonlyMap<string, string>;
  /** Files in which literal secrets are errors; in others, there is one warning about all of them. */
  readonly filesWithoutSecrets?: ReadonlySet<string>;
}

/** A reference `${secret:NAME}`. */
export interface SecretUse {
  readonly name: string;
  readonly place: Place;
}

/** A secret that is written in a file as plain text. */
export interface LiteralSecret {
  readonly place: Place;
  /** Offsets in the text of its file. */
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Phrase for messages: `password of Sink main`. */
  readonly description: string;
  /** Name under which to store it. */
  readonly name: string;
}

export interface ReadConfiguration {
  /** Absent if there is an error. */
  readonly definition?: ServerDefinition;
  /** All errors and warnings, including the linter's. */
  readonly problems: readonly Problem[];
  readonly literalSecrets: readonly LiteralSecret[];
  readonly secretUses: readonly SecretUse[];
}

/** Texts by file name. */
export type TextsByFile = ReadonlyMap<string, string>;

export interface DraftPart {
  /** Names of the sinks in it. */
  readonly sinks: ReadonlySet<string>;
  /** What the caller may not change. */
  readonly problems: readonly Problem[];
  /** Where the part has a place of the whole configuration; undefined elsewhere. */
  toPart(place: Place): Place | undefined;
}

/** What the server needs to know about CrawlConfig.xml: how to read it and change parts of it. */
export interface ConfigurationFormat {
  read(xml: string, context: FormatContext): ReadConfiguration;
  /** Like read, but interruptible, for configurations of any size while others wait. */
  readInSteps(xml: string, context: FormatContext): Steps<ReadConfiguration>;
  /** Reads a single element that says what is extracted from pages; returns a definition only if there is no error. */
  readContent(xml: string): { readonly definition?: ContentDefinition; readonly problems: readonly Problem[] };
  /** All elements that can be written, in the order of the reference. */
  listElements(): readonly ElementForm[];
  /**
   * Replaces literal secrets with references, whose names differ from each other and from those that are taken. Returns
   * the new texts, and the secrets with the names in the references.
   */
  replaceLiteralSecrets(
    texts: TextsByFile,
    secrets: readonly LiteralSecret[],
    takenNames?: Iterable<string>,
  ): { readonly texts: TextsByFile; readonly secrets: readonly LiteralSecret[] };
  /** Rereads secrets from files and the helper; returns whether any has changed. */
  reloadSecrets(): Promise<boolean>;

  listRules(xml: string, crawler: string): readonly RuleView[];
  /**
   * Returns the changed text; everything else stays byte for byte the same. Throws ProblemException if the change
   * cannot be made.
   */
  insertRule(xml: string, crawler: string, rule: RuleInput, index?: number): string;
  replaceRule(xml: string, crawler: string, index: number, rule: RuleInput): string;
  deleteRule(xml: string, crawler: string, index: number): string;
  moveRule(xml: string, crawler: string, from: number, to: number): string;
  renameCrawler(xml: string, crawler: string, name: string): string;
  removeCrawler(xml: string, crawler: string): string;
  setWeights(xml: string, crawler: string, weights: Readonly<Partial<Record<SourceName, number>>>): string;

  /** What belongs to the crawlers, as if it were a whole configuration: their elements, and sinks that are theirs alone. */
  readPart(xml: string, crawlers: ReadonlySet<string>): string;
  /** Puts a changed part into the whole. Its problems are what somebody limited to the crawlers may not change. */
  widenPart(
    xml: string,
    crawlers: ReadonlySet<string>,
    part: string,
    maySecret: (name: string) => boolean,
  ): DraftPart & { readonly xml: string };
}
