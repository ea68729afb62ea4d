import { ApiProperty } from '@nestjs/swagger';
import { SINK_TYPE_NAMES } from '../../domain/push/sink-types.js';
import type { SinkView } from '../../engine/delivery/sink-view.js';
import type { OwedCount } from '../../engine/ports/owed-orders.js';
import type { BackfillView, ReconciliationReport } from '../../engine/views/delivery-views.js';
import { toIsoTime, toOptionalIsoTime } from '../http/time.js';

export class BackfillDto {
  @ApiProperty()
  crawler!: string;

  @ApiProperty({ enum: ['running', 'done'] })
  state!: BackfillView['state'];

  @ApiProperty({
    enum: ['added', 'asked', 'access'],
    description:
      '`added`: the sink was new; `asked`: requested by a call; `access`: who may see the documents has changed.',
  })
  why!: BackfillView['why'];

  @ApiProperty({ type: 'integer', description: 'Documents that were indexed when the backfill began.' })
  total!: number;

  @ApiProperty({ type: 'integer', description: 'Number of these documents that have been examined.' })
  done!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of these documents that needed no visit.',
  })
  sent!: number;

  @ApiProperty({ type: 'integer', description: 'Visits that are due or in flight and have not ended yet.' })
  waitingVisits!: number;

  @ApiProperty({ required: false, description: 'The sink from which documents are copied; absent: pages are visited.' })
  from?: string;

  @ApiProperty({ required: false, description: 'What is delaying the backfill.' })
  message?: string;

  @ApiProperty({ format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ required: false, format: 'date-time' })
  endedAt?: string;
}

export const toBackfillDto = ({ sink: _, startedAt, endedAt, ...view }: BackfillView): BackfillDto => ({
  ...view,
  startedAt: toIsoTime(startedAt),
  endedAt: toOptionalIsoTime(endedAt),
});

export class BehindDto {
  @ApiProperty()
  crawler!: string;

  @ApiProperty({ type: 'integer', description: 'Documents and deletions that the sink is owed.', example: 120 })
  documents!: number;

  @ApiProperty({
    format: 'date-time',
    description: 'When the first of these orders was put off.',
    example: '2026-01-15T09:30:00.000Z',
  })
  since!: string;
}

export const toBehindDto = ({ crawler, documents, since }: OwedCount): BehindDto => ({
  crawler,
  documents,
  since: toIsoTime(since),
});

export class SinkDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: SINK_TYPE_NAMES })
  type!: string;

  @ApiProperty({ enum: ['ready', 'unavailable'] })
  state!: SinkView['state'];

  @ApiProperty({ required: false, description: 'The last failure, in words.' })
  message?: string;

  @ApiProperty({ type: 'integer', description: 'Orders on the way to the sink.' })
  pending!: number;

  @ApiProperty({ type: 'integer' })
  pendingBytes!: number;

  @ApiProperty({ type: 'integer', description: 'Orders acknowledged since the start of the process.' })
  acknowledged!: number;

  @ApiProperty({ type: 'integer', description: 'Orders refused since the start of the process.' })
  refused!: number;

  @ApiProperty({ required: false, description: 'Message with which the sink last refused an order.' })
  lastRefusal?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  nextAttemptAt?: string;

  @ApiProperty({
    description: 'Whether the sink can list what it holds, and can therefore be compared with the store.',
  })
  comparable!: boolean;

  @ApiProperty({ required: false, description: '`papi`: the name of the connector under which documents are pushed.' })
  connector?: string;

  @ApiProperty({
    required: false,
    description:
      'A possible problem that an operator should check, even though orders are being sent: the sink holds documents that no crawler of this server knows.',
  })
  warning?: string;

  @ApiProperty({ type: [String], description: 'Crawlers that push to the sink.' })
  crawlers!: readonly string[];

  @ApiProperty({
    type: () => [BackfillDto],
    description: 'Backfills with documents that were already indexed, by crawler: the current or most recent one.',
  })
  backfills!: readonly BackfillDto[];

  @ApiProperty({
    type: () => [BehindDto],
    description:
      'What the sink has yet to receive because it was slow or down while other sinks of the crawler kept up, by crawler. Empty if there is nothing.',
  })
  behind!: readonly BehindDto[];

  @ApiProperty({
    required: false,
    format: 'uri',
    description: 'Where the documents of the sink can be searched; only for the bundled index.',
  })
  searchPage?: string;
}

interface SinkDetails {
  readonly crawlers: readonly string[];
  readonly backfills: readonly BackfillView[];
  readonly owedCounts: readonly OwedCount[];
  readonly searchPage: string | undefined;
}

export const toSinkDto = (view: SinkView, { crawlers, searchPage, backfills, owedCounts }: SinkDetails): SinkDto => ({
  name: view.name,
  type: view.type,
  state: view.state,
  message: view.message,
  pending: view.pending,
  pendingBytes: view.pendingBytes,
  acknowledged: view.acknowledged,
  refused: view.refused,
  lastRefusal: view.lastRefusal,
  nextAttemptAt: toOptionalIsoTime(view.nextAttemptAt),
  comparable: view.comparable,
  connector: view.connector,
  warning: view.warning,
  crawlers,
  backfills: backfills.map(toBackfillDto),
  behind: owedCounts.map(toBehindDto),
  searchPage,
});

export class DifferenceDto {
  @ApiProperty({ type: 'integer' })
  count!: number;

  @ApiProperty({ type: [String], description: 'A sample of the URIs.' })
  samples!: readonly string[];
}

export class ReconciliationDto {
  @ApiProperty()
  sink!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ type: 'integer' })
  compared!: number;

  @ApiProperty({
    type: () => DifferenceDto,
    description: 'Documents that are indexed according to the store, but absent at the sink.',
  })
  missing!: DifferenceDto;

  @ApiProperty({
    type: () => DifferenceDto,
    description: 'Documents that are at the sink, but not indexed according to the store.',
  })
  extra!: DifferenceDto;

  @ApiProperty({ type: () => DifferenceDto, description: 'Documents that are at the sink with a different stamp.' })
  stale!: DifferenceDto;

  @ApiProperty({ description: 'Whether orders were sent to fix the differences.' })
  repaired!: boolean;
}

export const toReconciliationDto = ({ at, ...report }: ReconciliationReport): ReconciliationDto => ({
  at: toIsoTime(at),
  ...report,
});

export class SinkTestDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  type!: string;

  @ApiProperty({ description: 'Whether the sink is responding and would accept orders.' })
  ok!: boolean;

  @ApiProperty({ description: 'The request and its response, or what is wrong.' })
  message!: string;

  @ApiProperty({ type: 'integer' })
  milliseconds!: number;
}
