import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { Problem } from '../../domain/crawl/place.js';

export interface FormatContext {
  /** Name of the file for places, as the operator gave it. */
  readonly file: string;
  /** Text of another file that the configuration names; throws when there is none. */
  readonly readFile: (name: string) => string;
}

/** What the server needs to know of CrawlConfig.xml: how to read it, and how to keep its secrets. */
export interface ConfigurationFormat {
  /** All that is wrong or doubtful, at once, the linter's findings among it; a definition only when there is no error. */
  read(
    xml: string,
    context: FormatContext,
  ): { readonly definition?: ServerDefinition; readonly problems: readonly Problem[] };
  /** The text with every secret replaced by a placeholder. */
  redact(xml: string): string;
  /** The text with placeholders replaced by the secrets that stand in `current` at the same place. */
  restoreSecrets(xml: string, current: string): string;
}
