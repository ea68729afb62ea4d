/** What is told to, and by, whatever reads a configuration. */
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { Place, Problem } from '../../domain/crawl/place.js';
import type { RuleFileKind } from '../../domain/crawl/rule-file.js';

export interface FormatContext {
  /** Name of the file as the operator gave it; used in the places of problems. */
  readonly file: string;
  /**
   * Content of another file that the configuration names, relative to its folder, a rule file if `kind` is given. Names
   * that lead outside this folder are refused before. Throws if the file cannot be read.
   */
  readonly readFile: (name: string, kind?: RuleFileKind) => string;
  /** Returns the absolute path of such a file, for libraries that read it themselves. Absent: its name is its path. */
  readonly pathOf?: (name: string) => string;
  /** Folder below which `file` sinks write. Absent: their paths are used unchanged. */
  readonly fileSinks?: string;
  /** Folder that contains the plug-ins. Absent: their paths are used unchanged. */
  readonly plugins?: string;
  /** The secrets for `${secret:NAME}`, by name. Absent: there are none. */
  readonly storedSecrets?: ReadonlyMap<string, string>;
  /**
   * Files in which literal secrets are errors, because a caller of the API has sent them; in others, there is one
   * warning about all of them.
   */
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
  /** Name under which to store it, derived from its place; not necessarily unique. */
  readonly name: string;
}

export interface ReadConfiguration {
  /** Absent if there is an error. */
  readonly definition?: ServerDefinition;
  /** All errors and warnings, in the order of the text. */
  readonly problems: readonly Problem[];
  /** Those of the configuration and of the rule files that it names. */
  readonly literalSecrets: readonly LiteralSecret[];
  readonly secretUses: readonly SecretUse[];
}

/** A configuration's texts, by file name. */
export type TextsByFile = ReadonlyMap<string, string>;
