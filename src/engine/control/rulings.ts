/** What a person's word, or a change of the rules, means for a URL as it stands. */
import type { Disposition } from '../../domain/crawl/disposition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH } from '../../domain/frontier/sources.js';
import type { Instant } from '../../domain/time/units.js';
import type { Ruling, Word } from '../crawl/conclusion.js';
import type { SharedDocuments } from '../crawl/shared-documents.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { LedgerEntry } from '../ports/frontier-store.js';
import type { Rejudging } from './rejudging.js';

/** A deletion that a person decided; on restart, unfinished ones are carried on by this reason. */
export const CLEARED = 'cleared-by-person';

export class Rulings {
  constructor(
    private readonly clock: Clock,
    private readonly rejudging: Pick<Rejudging, 'disposition'>,
    private readonly shared: Pick<SharedDocuments, 'isAnothers'>,
  ) {}

  /** Undefined: it means nothing for this URL. */
  async of(word: Word, state: UrlState, context: CrawlContext): Promise<Ruling | undefined> {
    switch (word.do) {
      case 'clear': {
        // What was left to another crawler is that one's, when it has taken it.
        const wasLeft = state.status === 'elsewhere';
        const keeps = wasLeft && (await this.shared.isAnothers(state, context.definition.pushTo));
        return { disposition: removal(state, keeps) };
      }
      case 'forget-error': {
        const disposition = forgetting(state, this.clock.now());
        return disposition && { disposition };
      }
      case 'judge': {
        const disposition = await this.rejudging.disposition(context, state);
        return disposition && { disposition };
      }
      case 'send-again':
        return sendingAgain(state, word.entry);
    }
  }
}

function removal(state: UrlState, keepsDocument: boolean): Disposition {
  const order = state.stamp === undefined || keepsDocument ? undefined : ({ kind: 'delete', reason: CLEARED } as const);
  return { remove: true, changes: {}, order, changed: true };
}

/** One whose document is still indexed is visited again. */
function forgetting(state: UrlState, now: Instant): Disposition | undefined {
  if (state.status !== 'error') return undefined;
  if (state.stamp === undefined) return { remove: true, changes: {}, changed: false };
  return {
    remove: false,
    changes: { status: 'indexed', reason: 'indexed', temporaryErrors: 0, source: REFRESH, dueAt: now },
    changed: false,
  };
}

function sendingAgain(state: UrlState, entry: LedgerEntry): Ruling {
  const why = nothingToDelete(state, entry);
  if (why !== undefined)
    return { disposition: { remove: false, changes: {}, changed: false }, cancel: { order: entry, why } };
  const disposition: Disposition = {
    remove: false,
    changes: { stamp: null, simhash: null, etag: null, lastModified: null },
    order: { kind: 'delete', reason: entry.reason },
    changed: true,
  };
  return { disposition, resume: entry };
}

/** Why an old deletion of the document would be wrong by now. */
function nothingToDelete({ status, pendingDeletion }: UrlState, { state, reason }: LedgerEntry): string | undefined {
  if (state === 'held' && pendingDeletion !== undefined) return undefined;
  // The word of a person holds whatever the page answers.
  if (status === 'indexed' && reason !== CLEARED) return 'the page answers again';
  return state === 'held' ? 'the document was deleted for another reason' : undefined;
}
