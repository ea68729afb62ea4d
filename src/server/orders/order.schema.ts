import { ORDER_STATES } from '../../domain/push/order.js';
import type { LedgerEntry } from '../../engine/ports/frontier-store.js';
import { integer, oneOf, schema, text, time, url } from '../http/schema.js';

export const orderSchema = schema<LedgerEntry>()('Order', {
  id: integer(3, 'An order that was decided later has a higher number.'),
  crawler: text('docs'),
  uri: url(),
  host: text('www.example.com').from('hostKey'),
  kind: oneOf(['add', 'delete']),
  reason: text('http-404', 'Why the order was decided; `GET /reasons` explains the code.'),
  decidedAt: time(),
  state: oneOf(ORDER_STATES),
  attempts: integer(1),
  answeredAt: time().optional(),
  answer: text(
    'document_parsing_exception: cannot parse title',
    'Message of a sink that refused the order, even while another sink has not responded yet.',
  ).optional(),
  stamp: text(
    '5f2b0c9d',
    'Digest of the document; of a change that the change guard holds, what identifies it.',
  ).optional(),
});
