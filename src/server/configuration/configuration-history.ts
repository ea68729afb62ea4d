import type { Instant } from '../../domain/time/units.js';

export interface VersionHeader {
  readonly version: number;
  readonly at: Instant;
  /**
   * Name of the API key, `file` if the file was found changed on disk, `file, not in force` if that change could not be
   * used.
   */
  readonly who: string;
  /** SHA-256 of the text and of the files that it names, in hex. */
  readonly digest: string;
}

/** The texts of a configuration. */
export interface ConfigurationTexts {
  /** CrawlConfig.xml as in the file; secrets are replaced by asterisks if the history does not store them. */
  readonly xml: string;
  /** Rule files, by the name that the configuration gives them. */
  readonly files: ReadonlyMap<string, string>;
}

/** Every configuration that was ever in force, and edits of the file that were overwritten. */
export interface ConfigurationHistory {
  /** False if texts are stored in plain text, so that their secrets must be left out. */
  readonly keepsSecrets: boolean;
  /** Newest first. */
  listVersions(before: number | undefined, limit: number): Promise<VersionHeader[]>;
  /** Undefined for an unknown number. Versions recorded before rule files were stored have no files. */
  findTexts(version: number): Promise<ConfigurationTexts | undefined>;
  add(entry: Omit<VersionHeader, 'version'> & ConfigurationTexts): Promise<VersionHeader>;
}
