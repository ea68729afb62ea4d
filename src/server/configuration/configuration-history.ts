import type { Instant } from '../../domain/time/units.js';

export interface VersionHeader {
  readonly version: number;
  readonly at: Instant;
  /** Name of the API key, `file` when it was found changed on disk, `file, not in force` when it could not be used. */
  readonly who: string;
  /** SHA-256 of the text and of the files that it names, hex. */
  readonly digest: string;
}

/** What a configuration is made of. */
export interface ConfigurationTexts {
  /** CrawlConfig.xml as it is in the file; its secrets are asterisks where the history keeps none. */
  readonly xml: string;
  /** Files of rules, by the name that the configuration gives them. */
  readonly files: ReadonlyMap<string, string>;
}

/** Every configuration that was ever in force, and edits of the file that were written over. */
export interface ConfigurationHistory {
  /** False: texts are stored in clear, so that their secrets have to be left out. */
  readonly keepsSecrets: boolean;
  /** Newest first. */
  versions(before: number | undefined, limit: number): Promise<VersionHeader[]>;
  /** Undefined for a number never used; without files for a version from before they were kept. */
  texts(version: number): Promise<ConfigurationTexts | undefined>;
  add(entry: Omit<VersionHeader, 'version'> & ConfigurationTexts): Promise<VersionHeader>;
}
