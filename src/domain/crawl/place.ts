/** A position in the configuration, to which every verdict and every message can point. */
export interface Place {
  /** File name as the operator gave it, e.g. `config/CrawlConfig.xml`, `crawl.rules`. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

export const formatPlace = (place: Place): string => `${place.file}:${place.line}:${place.column}`;

/** One error or doubtful point in a configuration. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Stable, kebab-case, e.g. `unknown-element`; listed in docs/reference.md. */
  readonly code: string;
  /** What is wrong and what would be right, in one sentence for the user. */
  readonly message: string;
  readonly place: Place;
}
