/** What the change guard has learned about a host since the first suspicious change of one of its pages. */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { PageAnswer } from '../../../domain/crawl/change-guard.js';
import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { Instant } from '../../../domain/time/units.js';

/** Maximum number of answers that an inquiry remembers. */
const MAX_ANSWERS = 200;

export type TimedAnswer = PageAnswer & { readonly at: Instant };

/** What pages of a host have said since the first suspicious change. */
export class Inquiry {
  readonly answers = new BoundedMap<UrlId, TimedAnswer>(MAX_ANSWERS);
  /** When the changes of pages were first seen. */
  readonly firstSeen = new BoundedMap<UrlId, Instant>(MAX_ANSWERS);
  /** Number of pages that may still be asked about the change of a page. */
  readonly askable = new BoundedMap<UrlId, number>(MAX_ANSWERS);
  /** Pages that were asked and have not answered. */
  readonly outstanding = new Set<UrlId>();
  /** Pages whose changes are judged when all have answered. */
  readonly waiting = new Set<UrlId>();
  /** Pages whose changes were held before: whoever was asked about them then may have left the index meanwhile. */
  readonly held = new Set<UrlId>();
  /** Number of pages that were asked and have failed. */
  failed = 0;
  hasOthers = true;
  /** Sketches of the texts that were indexed when pages were first asked. */
  indexedTexts: readonly bigint[] = [];
  believed = 0;

  constructor(readonly startedAt: Instant) {}
}
