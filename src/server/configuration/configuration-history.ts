import type { Instant } from '../../domain/time/units.js';

export interface VersionHeader {
  readonly version: number;
  readonly at: Instant;
  /** Name of the API key, `file` when it was found changed on disk. */
  readonly who: string;
  /** SHA-256 of the text, hex. */
  readonly digest: string;
}

/** Every configuration that was ever in force. */
export interface ConfigurationHistory {
  /** Newest first. */
  versions(before: number | undefined, limit: number): Promise<VersionHeader[]>;
  /** The text as it stood in the file, secrets included; undefined for a number never used. */
  text(version: number): Promise<string | undefined>;
  add(entry: {
    readonly at: Instant;
    readonly who: string;
    readonly digest: string;
    readonly text: string;
  }): Promise<VersionHeader>;
}
