/** Carries out commands for a URL: finds what they need, and has domain/crawl/ decide what they mean. */
import { isHoldCause } from '../../domain/crawl/change-guard.js';
import {
  decideClearing,
  decideForgettingError,
  decideIndexingDespiteCanonical,
  decideRequestedVisit,
  decideResend,
  decideSendingTo,
} from '../../domain/crawl/commands.js';
import type { Disposition } from '../../domain/crawl/state-changes.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { CommandResult, UrlCommand } from '../crawl/outcome/decision.js';
import type { SharedDocuments } from '../crawl/outcome/shared-documents.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import { type CrawlContext, findKnownRoot } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { LedgerEntry } from '../ports/frontier-store.js';
import { findIndexedDocument } from './indexed-document.js';
import type { Rejudging } from './rejudging.js';

export class UrlCommands {
  constructor(
    private readonly clock: Clock,
    private readonly rejudging: Pick<Rejudging, 'decide'>,
    private readonly shared: Pick<SharedDocuments, 'belongsToAnother'>,
    private readonly kept: Pick<KeptDocuments, 'find'>,
  ) {}

  /** Resolves to undefined if the command does not change this URL. */
  async decide(command: UrlCommand, state: UrlState, context: CrawlContext): Promise<CommandResult | undefined> {
    const now = this.clock.now();
    switch (command.do) {
      case 'clear':
        return { disposition: decideClearing(state, await this.keepsDocument(state, context)) };
      case 'forget-error':
        return toResult(decideForgettingError(state, findKnownRoot(context, state.url) !== undefined, now));
      case 'index-after-all':
        return toResult(decideIndexingDespiteCanonical(state, now));
      case 'visit':
        if (command.reasons && !command.reasons.some((reason) => reason === state.reason)) return undefined;
        return toResult(decideRequestedVisit(state, now, command.anew));
      case 'judge':
        return toResult(await this.rejudging.decide(context, state));
      case 'send-again':
        return sendAgain(state, command.entry);
      case 'drop':
        return drop(state, command.entry);
      case 'send-to':
        return this.sendTo(command, state, context);
    }
  }

  /** A document that was left to another crawler belongs to that crawler, once it has accepted it. */
  private async keepsDocument(state: UrlState, { definition }: CrawlContext): Promise<boolean> {
    return state.status === 'elsewhere' && (await this.shared.belongsToAnother(state, definition.pushTo));
  }

  /** Sends the document as it was delivered, with the principals of the current rules, if it is the indexed one. */
  private async sendTo(
    { sink, from }: Extract<UrlCommand, { do: 'send-to' }>,
    state: UrlState,
    context: CrawlContext,
  ): Promise<CommandResult | undefined> {
    if (!context.definition.pushTo.includes(sink)) return undefined;
    const copy = await findIndexedDocument(this.kept, from, state, context);
    const disposition = decideSendingTo(state, copy, from === sink, this.clock.now());
    if (!disposition?.order) return toResult(disposition);
    return { disposition, document: copy!.document, sinks: [sink] };
  }
}

const toResult = (disposition: Disposition | undefined): CommandResult | undefined => disposition && { disposition };

const NOTHING: Disposition = { remove: false, changes: {}, changed: false };

/** A dropped change remains pending: its page is visited like those of held ones, and never believed because of the drop. */
function drop({ url }: UrlState, order: LedgerEntry): CommandResult {
  const staysPending = order.uri !== url || isHoldCause(order.reason);
  const disposition = staysPending ? NOTHING : { ...NOTHING, changes: { pendingDeletion: null } };
  return { disposition, cancellation: { order, reason: 'dropped by a person', state: 'dropped' } };
}

function sendAgain(state: UrlState, entry: LedgerEntry): CommandResult {
  const resend = decideResend(state, entry);
  switch (resend.kind) {
    case 'part':
      return { disposition: NOTHING, releasedPart: { id: resend.id, entry } };
    case 'cancelled':
      return { disposition: NOTHING, cancellation: { order: entry, reason: resend.reason } };
    case 'deletion':
      return { disposition: resend.disposition, earlierDeletion: entry };
  }
}
