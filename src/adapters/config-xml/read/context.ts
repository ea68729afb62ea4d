import type { Place } from '../../../domain/crawl/place.js';
import type { RuleFileKind } from '../../../domain/crawl/rule-file.js';
import type { Problems } from '../problems.js';

export interface ReadContext {
  readonly problems: Problems;
  /** Text of a file beside the configuration; undefined after its absence has been reported at the place. */
  readFile(name: string, place: Place, kind?: RuleFileKind): string | undefined;
  /** Where such a file is, absolute. */
  resolvePath(name: string): string;
  /** Like readFile, but the file may be absent. */
  readOptionalFile(name: string, place: Place, kind: RuleFileKind): string | undefined;
}
