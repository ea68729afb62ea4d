import { ApiProperty } from '@nestjs/swagger';
import type { ReconciliationReport, SinkView } from '../../engine/engine-api.js';
import { iso, isoAlways } from '../http/time.js';

export class SinkDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ['papi', 'json', 'elasticsearch', 'opensearch', 'solr', 'file'] })
  type!: string;

  @ApiProperty({ enum: ['ready', 'unavailable'] })
  state!: SinkView['state'];

  @ApiProperty({ required: false, description: 'The last failure, in words.' })
  message?: string;

  @ApiProperty({ type: 'integer', description: 'Orders on the way.' })
  pending!: number;

  @ApiProperty({ type: 'integer' })
  pendingBytes!: number;

  @ApiProperty({ type: 'integer', description: 'Orders acknowledged since the start of the process.' })
  acknowledged!: number;

  @ApiProperty({ type: 'integer', description: 'Orders refused since the start of the process.' })
  refused!: number;

  @ApiProperty({ required: false, description: 'What it said when it refused an order last.' })
  lastRefusal?: string;

  @ApiProperty({ required: false, format: 'date-time' })
  nextAttemptAt?: string;

  @ApiProperty({ description: 'Whether it can tell what it holds, and so be compared with the store.' })
  comparable!: boolean;

  @ApiProperty({ type: [String], description: 'Crawlers that push to it.' })
  crawlers!: readonly string[];

  @ApiProperty({
    required: false,
    format: 'uri',
    description: 'Where its documents can be searched; of the bundled index.',
  })
  searchPage?: string;
}

interface SinkSetting {
  readonly crawlers: readonly string[];
  readonly searchPage: string | undefined;
}

export const sinkDto = (view: SinkView, { crawlers, searchPage }: SinkSetting): SinkDto => ({
  name: view.name,
  type: view.type,
  state: view.state,
  message: view.message,
  pending: view.pending,
  pendingBytes: view.pendingBytes,
  acknowledged: view.acknowledged,
  refused: view.refused,
  lastRefusal: view.lastRefusal,
  nextAttemptAt: iso(view.nextAttemptAt),
  comparable: view.comparable,
  crawlers,
  searchPage,
});

export class DifferenceDto {
  @ApiProperty({ type: 'integer' })
  count!: number;

  @ApiProperty({ type: [String], description: 'Some of the URIs.' })
  samples!: readonly string[];
}

export class ReconciliationDto {
  @ApiProperty()
  sink!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ type: 'integer' })
  compared!: number;

  @ApiProperty({ type: () => DifferenceDto, description: "Indexed by the store's account, absent at the sink." })
  missing!: DifferenceDto;

  @ApiProperty({ type: () => DifferenceDto, description: "At the sink, not indexed by the store's account." })
  extra!: DifferenceDto;

  @ApiProperty({ type: () => DifferenceDto, description: 'Held with another stamp.' })
  stale!: DifferenceDto;

  @ApiProperty({ description: 'Whether orders were made that mend the differences.' })
  repaired!: boolean;
}

export const reconciliationDto = ({ at, ...report }: ReconciliationReport): ReconciliationDto => ({
  at: isoAlways(at),
  ...report,
});
