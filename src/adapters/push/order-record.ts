import type { Meta, PushDocument, PushOrder } from '../../domain/push/order.js';

/** An order as JSON, as `json` sinks post it and `file` sinks write it. See openapi.yaml, under webhooks. */
export interface OrderRecord {
  readonly kind: 'add' | 'delete';
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly decidedAt: string;
  /** Only for `delete`: the URI of the document that has taken its place, if its page has moved there. */
  readonly movedTo?: string;
  /** Only for `add`. */
  readonly document?: {
    readonly stamp: string;
    readonly metas: readonly Meta[];
    readonly master: {
      /** In Base64. */
      readonly bytes: string;
      readonly mimeType: string;
      readonly encoding?: string;
      readonly fileName: string;
    };
    readonly text: string;
    /** Present if the crawler is configured to deliver them. */
    readonly headings?: PushDocument['headings'];
    readonly markdown?: string;
    readonly chunks?: PushDocument['chunks'];
  };
}

export function toOrderRecord(order: PushOrder): OrderRecord {
  const { kind, id, crawler, uri, reason } = order;
  const record = { kind, id, crawler, uri, reason, decidedAt: new Date(order.decidedAt).toISOString() };
  if (order.kind === 'delete') return order.movedTo === undefined ? record : { ...record, movedTo: order.movedTo };
  const { stamp, metas, master, text, headings, markdown, chunks } = order.document;
  const masterRecord = { ...master, bytes: toBase64(master.bytes) };
  return { ...record, document: { stamp, metas, master: masterRecord, text, headings, markdown, chunks } };
}

export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
