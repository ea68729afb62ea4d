/** What became of the documents in the index over a time, from the orders that the sinks acknowledged. */
import type { Reason } from '../policy/reasons.js';
import type { Instant } from '../time/units.js';
import type { OrderKind } from './order.js';

export const CHANGE_KINDS = ['new', 'changed', 'gone'] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The part of an order that says what became of a document. */
interface Order {
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly kind: OrderKind;
  readonly reason: Reason;
  readonly decidedAt: Instant;
}

/** A document that is new, changed or gone. */
export interface DocumentChange extends Order {
  readonly change: ChangeKind;
}

/**
 * Folds orders into one change for each document, newest first. A document that came and went in the meantime has not
 * changed; neither has one that was only sent again, to another sink or with other access rights.
 */
export class ChangeFold {
  private readonly byDocument = new Map<string, { newest: Order; wasIndexed: boolean; isOnlySentAgain: boolean }>();

  /** @param order older than all before */
  add({ id, crawler, uri, kind, reason, decidedAt }: Order): void {
    const order: Order = { id, crawler, uri, kind, reason, decidedAt };
    const key = `${crawler} ${uri}`;
    const wasIndexed = kind === 'delete' || reason !== 'indexed';
    const isSentAgain = kind === 'add' && reason !== 'indexed' && reason !== 'changed';
    const known = this.byDocument.get(key);
    if (!known) this.byDocument.set(key, { newest: order, wasIndexed, isOnlySentAgain: isSentAgain });
    else {
      known.wasIndexed = wasIndexed;
      // Why it is as it is says the newest order that changed it.
      if (known.isOnlySentAgain && !isSentAgain) known.newest = order;
      known.isOnlySentAgain &&= isSentAgain;
    }
  }

  get size(): number {
    return this.byDocument.size;
  }

  list(): DocumentChange[] {
    return [...this.byDocument.values()]
      .flatMap(({ newest, wasIndexed, isOnlySentAgain }) => {
        const isIndexed = newest.kind === 'add';
        if (isOnlySentAgain || (!isIndexed && !wasIndexed)) return [];
        return [{ ...newest, change: isIndexed ? (wasIndexed ? 'changed' : 'new') : 'gone' } as const];
      })
      .sort((a, b) => b.id - a.id);
  }
}

/** The first folder of a document, with its host: `www.example.com/docs/`. */
export function getSection(uri: string): string {
  const [, place = uri] = /^[a-z][a-z\d+.-]*:\/\/([^?#]*)/i.exec(uri) ?? [];
  const [host = '', folder, rest] = place.split('/', 3);
  return folder === undefined || rest === undefined ? `${host}/` : `${host}/${folder}/`;
}

/** @param section the beginning of a URL, with or without its scheme */
export const isInSection = (uri: string, section: string): boolean =>
  uri.startsWith(section) || uri.slice(uri.indexOf('://') + '://'.length).startsWith(section);
