import type { Problem } from '../../domain/crawl/place.js';
import type { RuleFile } from './configuration-file.js';
import type { DraftPart } from './configuration-format.js';

/** A configuration that a caller wants to check or put in force. */
export interface ConfigurationDraft {
  /** CrawlConfig.xml. Absent: the one in force. */
  readonly xml?: string;
  /** New contents of rule files, by name; the other files are unchanged. */
  readonly files: ReadonlyMap<string, string>;
  /** Whether the text is the one in force with a small change, so that it may have secrets that its file has. */
  readonly isEditOfFile?: boolean;
  /** For a caller who sees only the part of some crawlers. */
  readonly part?: DraftPart;
}

export const indexTextsByName = (files: readonly RuleFile[]): Map<string, string> =>
  new Map(files.map(({ name, text }) => [name, text]));

/** Reports files that the configuration does not name: a misspelled one would be written to disk and never read. */
export const findStrayFileProblems = (
  { files }: ConfigurationDraft,
  namedFiles: readonly Partial<RuleFile>[],
): Problem[] =>
  [...files.keys()]
    .filter((name) => !namedFiles.some((file) => file.kind && file.name === name))
    .map((name) => ({
      severity: 'error',
      code: 'unnamed-file',
      message: `the configuration names no rule file ${name}: name it in CrawlSpace, GlobalCrawlSpace or Servers`,
      place: { file: name, line: 1, column: 1 },
    }));
