import type { Instant } from '../../domain/time/units.js';

export interface VersionHeader {
  readonly version: number;
  readonly at: Instant;
  /** Name of the API key, or `file` if the file was found changed on disk. */
  readonly who: string;
  /** SHA-256 of the text and of the files that it names, in hex. */
  readonly digest: string;
}

/** The texts of a configuration, which contain no secret, only references. */
export interface ConfigurationTexts {
  /** CrawlConfig.xml. */
  readonly xml: string;
  /** Rule files, by the name that the configuration gives them. */
  readonly files: ReadonlyMap<string, string>;
}

/** Every configuration that was ever in force. */
export interface ConfigurationHistory {
  /** Newest first. */
  listVersions(before: number | undefined, limit: number): Promise<VersionHeader[]>;
  /** Undefined for an unknown number. Versions recorded before rule files were stored have no files. */
  findTexts(version: number): Promise<ConfigurationTexts | undefined>;
  add(entry: Omit<VersionHeader, 'version'> & ConfigurationTexts): Promise<VersionHeader>;
}
