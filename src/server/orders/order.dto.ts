import { ApiProperty } from '@nestjs/swagger';
import { ORDER_STATES, type OrderKind, type OrderState } from '../../domain/push/order.js';
import type { LedgerEntry } from '../../engine/ports/frontier-store.js';
import type { HeldDeletions } from '../../engine/views/delivery-views.js';
import { toIsoTime, toOptionalIsoTime } from '../http/time.js';

export class OrderDto {
  @ApiProperty({ type: 'integer', description: 'An order that was decided later has a higher number.' })
  id!: number;

  @ApiProperty()
  crawler!: string;

  @ApiProperty()
  uri!: string;

  @ApiProperty()
  host!: string;

  @ApiProperty({ enum: ['add', 'delete'] })
  kind!: OrderKind;

  @ApiProperty({ description: 'Why the order was decided; `GET /reasons` explains the code.' })
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  decidedAt!: string;

  @ApiProperty({ enum: ORDER_STATES })
  state!: OrderState;

  @ApiProperty({ type: 'integer' })
  attempts!: number;

  @ApiProperty({ required: false, format: 'date-time' })
  answeredAt?: string;

  @ApiProperty({
    required: false,
    description: 'Message of a sink that refused the order, even while another sink has not responded yet.',
  })
  answer?: string;

  @ApiProperty({ required: false, description: 'Digest of the document.' })
  stamp?: string;
}

export const toOrderDto = (entry: LedgerEntry): OrderDto => ({
  id: entry.id,
  crawler: entry.crawler,
  uri: entry.uri,
  host: entry.hostKey,
  kind: entry.kind,
  reason: entry.reason,
  decidedAt: toIsoTime(entry.decidedAt),
  state: entry.state,
  attempts: entry.attempts,
  answeredAt: toOptionalIsoTime(entry.answeredAt),
  answer: entry.answer,
  stamp: entry.stamp,
});

export class HeldDeletionsDto {
  @ApiProperty()
  host!: string;

  @ApiProperty()
  crawler!: string;

  @ApiProperty({ type: 'integer' })
  count!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Number of these deletions that need no decision by an operator: they wait for a sign of life of the host (`awaiting-sign-of-life`) or for an early look (`awaiting-early-look`). The others wait for an operator.',
  })
  awaiting!: number;

  @ApiProperty({ format: 'date-time', description: 'When the oldest of these deletions was decided.' })
  oldest!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of deletions by reason code.',
  })
  reasons!: Readonly<Record<string, number>>;

  @ApiProperty({ type: [String], description: 'A sample of the URIs.' })
  samples!: readonly string[];
}

export const toHeldDeletionsDto = ({ hostKey, oldest, ...held }: HeldDeletions): HeldDeletionsDto => ({
  host: hostKey,
  oldest: toIsoTime(oldest),
  ...held,
});
