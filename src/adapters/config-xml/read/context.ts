import type { Place } from '../../../domain/crawl/place.js';
import type { RuleFileKind } from '../../../domain/crawl/rule-file.js';
import type { Problems } from '../problems.js';

export interface ReadContext {
  readonly problems: Problems;
  /** Reads a file in the configuration's folder. If it cannot be read, reports that and returns undefined. */
  readFile(name: string, place: Place, kind?: RuleFileKind): string | undefined;
  /** Returns the path of such a file. */
  resolvePath(name: string): string;
  /**
   * Replaces references to variables and secrets in a value that is not an attribute. If one is missing, reports that and
   * returns undefined.
   */
  expandVariables(text: string, place: Place): string | undefined;
  /** Like readFile, but a missing file is not an error. */
  readOptionalFile(name: string, place: Place, kind: RuleFileKind): string | undefined;
}
