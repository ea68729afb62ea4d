/** Decides what an operator's command, or a rule change, means for the current state of a URL. */
import { CANONICAL_ELSEWHERE } from '../../domain/crawl/disposition.js';
import { createReleaseDisposition } from '../../domain/crawl/release.js';
import { type Disposition } from '../../domain/crawl/state-changes.js';
import { NEVER_CRAWLED, type UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH, toImmediateQueuePlace } from '../../domain/frontier/sources.js';
import { parsePartUri } from '../../domain/push/parts.js';
import type { Instant } from '../../domain/time/units.js';
import type { CommandResult, UrlCommand } from '../crawl/outcome/decision.js';
import { createVerificationChanges, UNKNOWN_STAMP } from '../crawl/outcome/in-doubt-deliveries.js';
import type { SharedDocuments } from '../crawl/outcome/shared-documents.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { LedgerEntry } from '../ports/frontier-store.js';
import { findIndexedDocument } from './indexed-document.js';
import type { Rejudging } from './rejudging.js';

/** Reason of a deletion that an operator requested; unfinished deletions are found by it after a restart. */
export const CLEARED = 'cleared-by-person';

export class UrlCommands {
  constructor(
    private readonly clock: Clock,
    private readonly rejudging: Pick<Rejudging, 'decide'>,
    private readonly shared: Pick<SharedDocuments, 'belongsToAnother'>,
    private readonly kept: Pick<KeptDocuments, 'find'>,
  ) {}

  /** Resolves to undefined if the command does not change this URL. */
  async decide(command: UrlCommand, state: UrlState, context: CrawlContext): Promise<CommandResult | undefined> {
    switch (command.do) {
      case 'clear': {
        // A document that was left to another crawler belongs to that crawler, once it has accepted it.
        const wasLeftToAnother = state.status === 'elsewhere';
        const keepsDocument =
          wasLeftToAnother && (await this.shared.belongsToAnother(state, context.definition.pushTo));
        return { disposition: decideRemoval(state, keepsDocument) };
      }
      case 'forget-error': {
        const disposition = decideOnForgetting(state, this.clock.now());
        return disposition && { disposition };
      }
      case 'index-after-all': {
        const disposition = decideIndexingDespiteCanonical(state, this.clock.now());
        return disposition && { disposition };
      }
      case 'visit': {
        const disposition = decideRequestedVisit(state, this.clock.now());
        return disposition && { disposition };
      }
      case 'judge': {
        const disposition = await this.rejudging.decide(context, state);
        return disposition && { disposition };
      }
      case 'send-again':
        return decideResend(state, command.entry);
      case 'send-to':
        return context.definition.pushTo.includes(command.sink)
          ? this.decideSendTo(command, state, context)
          : undefined;
    }
  }

  /**
   * Sends the document as it was delivered, with the principals of the current rules, if it is still the indexed one;
   * otherwise requests a visit. The document goes back to the sink it comes from only if its principals have changed.
   */
  private async decideSendTo(
    { sink, from }: Extract<UrlCommand, { do: 'send-to' }>,
    state: UrlState,
    context: CrawlContext,
  ): Promise<CommandResult | undefined> {
    // A document that was left to another crawler is delivered by that crawler.
    if (state.stamp === undefined || state.status === 'elsewhere') return undefined;
    const now = this.clock.now();
    const hasStamp = state.stamp !== UNKNOWN_STAMP;
    const reason = from === sink ? 'access-changed' : 'backfill';
    const indexedDocument = await findIndexedDocument(this.kept, from, state, context);
    if (indexedDocument) {
      if (from === sink && !indexedDocument.hasNewPrincipals) return undefined;
      const disposition: Disposition = { remove: false, changes: {}, order: { kind: 'add', reason }, changed: false };
      return { disposition, document: indexedDocument.document, sinks: [sink] };
    }
    if (!hasStamp && state.dueAt <= now) return undefined;
    const changes = { ...createVerificationChanges(now), reason, source: REFRESH } as const;
    return { disposition: { remove: false, changes, changed: false } };
  }
}

function decideRemoval(state: UrlState, keepsDocument: boolean): Disposition {
  const order = state.stamp === undefined || keepsDocument ? undefined : ({ kind: 'delete', reason: CLEARED } as const);
  return { remove: true, changes: {}, order, changed: true };
}

/** Forgets a URL in error; if its document is still indexed, it is visited again instead. */
function decideOnForgetting(state: UrlState, now: Instant): Disposition | undefined {
  if (state.status !== 'error' && state.status !== 'removed') return undefined;
  if (state.stamp === undefined) return { remove: true, changes: {}, changed: false };
  return {
    remove: false,
    changes: { status: 'indexed', reason: 'indexed', temporaryErrors: 0, source: REFRESH, dueAt: now },
    changed: false,
  };
}

/** The page's canonical URL has produced no document: the next visit will find that out and index the page. */
function decideIndexingDespiteCanonical({ reason, source }: UrlState, now: Instant): Disposition | undefined {
  if (reason !== CANONICAL_ELSEWHERE) return undefined;
  return { remove: false, changes: { source: source ?? REFRESH, dueAt: now }, changed: false };
}

function decideRequestedVisit(state: UrlState, now: Instant): Disposition | undefined {
  if (NEVER_CRAWLED.has(state.status)) return undefined;
  return { remove: false, changes: toImmediateQueuePlace(state, now), changed: false };
}

function decideResend(state: UrlState, entry: LedgerEntry): CommandResult {
  const part = entry.uri === state.url ? undefined : parsePartUri(entry.uri);
  if (part) {
    const disposition = { remove: false, changes: {}, changed: false };
    return { disposition, releasedPart: { id: part.id, entry } };
  }
  const reason = findReasonNotToDelete(state, entry);
  if (reason !== undefined)
    return { disposition: { remove: false, changes: {}, changed: false }, cancellation: { order: entry, reason } };
  return { disposition: createReleaseDisposition(state, entry.reason), earlierDeletion: entry };
}

/** Returns why the document must no longer be deleted as decided earlier; undefined if it may be. */
function findReasonNotToDelete(
  { status, pendingDeletion }: UrlState,
  { state, reason }: LedgerEntry,
): string | undefined {
  const isWithheld = state === 'held' || state === 'awaiting';
  if (isWithheld && pendingDeletion !== undefined) return undefined;
  // An operator's decision applies, whatever the page's response is.
  if (status === 'indexed' && reason !== CLEARED) return 'the page responds normally again';
  return isWithheld ? 'the document was deleted for a different reason' : undefined;
}
