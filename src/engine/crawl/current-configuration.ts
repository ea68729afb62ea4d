import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { Deletions } from './outcome/deletions.js';
import type { UrlSettlement } from './outcome/url-settlement.js';
import type { VisitRunner } from './visit/visit.js';

/** The parts of a crawler that are created anew for each configuration: a visit ends with those it began with. */
export interface ConfiguredParts {
  readonly deletions: Deletions;
  readonly settlement: UrlSettlement;
  readonly visits: VisitRunner;
}

/** The configuration of a crawler that is in force. */
export class CurrentConfiguration {
  /**
   * When the current policy took effect: pages visited before may have links that it accepts but the previous one did
   * not.
   */
  policySince: Instant = instant(0);
  private parts: ConfiguredParts | undefined;

  constructor(private currentContext: CrawlContext) {}

  /** Puts a configuration into force; must be called once before anything is visited or decided. */
  set(context: CrawlContext, parts: ConfiguredParts): void {
    this.currentContext = context;
    this.parts = parts;
  }

  get context(): CrawlContext {
    return this.currentContext;
  }

  get definition(): CrawlerDefinition {
    return this.currentContext.definition;
  }

  get deletions(): Deletions {
    return this.parts!.deletions;
  }

  get settlement(): UrlSettlement {
    return this.parts!.settlement;
  }

  get visits(): VisitRunner {
    return this.parts!.visits;
  }
}
