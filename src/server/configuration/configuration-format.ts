import type { ContentDefinition } from '../../domain/content/content-definition.js';
import type { Place, Problem } from '../../domain/crawl/place.js';
import type { SourceName } from '../../domain/frontier/sources.js';
import type { Steps } from '../../domain/steps.js';
import type {
  FormatContext,
  LiteralSecret,
  ReadConfiguration,
  TextsByFile,
} from '../../engine/ports/configuration-reading.js';
import type { ElementForm } from './element.schema.js';
import type { RuleInput, RuleView } from './rule.dto.js';

export interface DraftPart {
  /** Names of the sinks in it. */
  readonly sinks: ReadonlySet<string>;
  /** What the caller may not change. */
  readonly problems: readonly Problem[];
  /** Where the part has a place of the whole configuration; undefined elsewhere. */
  toPart(place: Place): Place | undefined;
}

/** What the server needs to know about CrawlConfig.xml: how to read it and change parts of it. */
export interface ConfigurationFormat {
  read(xml: string, context: FormatContext): ReadConfiguration;
  /** Like read, but interruptible, for configurations of any size while others wait. */
  readInSteps(xml: string, context: FormatContext): Steps<ReadConfiguration>;
  /** Reads a single element that says what is extracted from pages; returns a definition only if there is no error. */
  readContent(xml: string): { readonly definition?: ContentDefinition; readonly problems: readonly Problem[] };
  /** All elements that can be written, in the order of the reference. */
  listElements(): readonly ElementForm[];
  /**
   * Replaces literal secrets with references, whose names differ from each other and from those that are taken. Returns
   * the new texts, and the secrets with the names in the references.
   */
  replaceLiteralSecrets(
    texts: TextsByFile,
    secrets: readonly LiteralSecret[],
    takenNames?: Iterable<string>,
  ): { readonly texts: TextsByFile; readonly secrets: readonly LiteralSecret[] };
  /** Rereads secrets from files and the helper; returns whether any has changed. */
  reloadSecrets(): Promise<boolean>;

  listRules(xml: string, crawler: string): readonly RuleView[];
  /**
   * Returns the changed text; everything else stays byte for byte the same. Throws ProblemException if the change
   * cannot be made.
   */
  insertRule(xml: string, crawler: string, rule: RuleInput, index?: number): string;
  replaceRule(xml: string, crawler: string, index: number, rule: RuleInput): string;
  deleteRule(xml: string, crawler: string, index: number): string;
  moveRule(xml: string, crawler: string, from: number, to: number): string;
  renameCrawler(xml: string, crawler: string, name: string): string;
  removeCrawler(xml: string, crawler: string): string;
  setWeights(xml: string, crawler: string, weights: Readonly<Partial<Record<SourceName, number>>>): string;

  /** What belongs to the crawlers, as if it were a whole configuration: their elements, and sinks that are theirs alone. */
  readPart(xml: string, crawlers: ReadonlySet<string>): string;
  /** Puts a changed part into the whole. Its problems are what somebody limited to the crawlers may not change. */
  widenPart(
    xml: string,
    crawlers: ReadonlySet<string>,
    part: string,
    maySecret: (name: string) => boolean,
  ): DraftPart & { readonly xml: string };
}
