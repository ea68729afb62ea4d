import type { Place } from '../../../domain/crawl/place.js';
import type { RuleFileKind } from '../../../domain/crawl/rule-file.js';
import type { Problems } from '../problems.js';

export interface ReadContext {
  readonly problems: Problems;
  /** Content of a file beside the configuration; if it is missing, reports that at the place and returns undefined. */
  readFile(name: string, place: Place, kind?: RuleFileKind): string | undefined;
  /** Absolute path of such a file. */
  resolvePath(name: string): string;
  /** Like readFile, but the file may be absent. */
  readOptionalFile(name: string, place: Place, kind: RuleFileKind): string | undefined;
}
