import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import type { QueueAssignment } from '../../domain/frontier/sources.js';
import type { MatchedEntry } from '../../domain/policy/matched-view.js';
import type { ResolvedEntry, ResolvedOption, ResolvedUrl } from '../../domain/policy/resolved.js';
import { LAYERS } from '../../domain/policy/verdict.js';
import { IfGiven } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import {
  PlaceDto,
  QueueDto,
  TraceStepDto,
  toQueueDto,
  toTraceStepDto,
  toVerdictDto,
  VerdictDto,
} from '../urls/explanation.dto.js';

export class ResolvedQuery {
  @ApiProperty({ required: false, maxLength: MAX_URL, description: 'Resolve for this URL.' })
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_URL)
  url?: string;

  @ApiProperty({ required: false, maxLength: MAX_URL, description: 'The page that links to the URL.' })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_URL)
  from?: string;
}

export class ResolvedEntryDto {
  @ApiProperty({ enum: LAYERS })
  layer!: string;

  @ApiProperty({ type: 'integer', description: 'Nesting level within recursive conditions; 0 elsewhere.' })
  depth!: number;

  @ApiProperty({ description: 'What the rule tests, in words.' })
  text!: string;

  @ApiProperty({ required: false, description: 'What the rule sets if it applies. Secrets are hidden.' })
  effect?: string;

  @ApiProperty({ required: false, type: () => PlaceDto })
  place?: PlaceDto;
}

class MatchedEntryDto extends ResolvedEntryDto {
  @ApiProperty({
    required: false,
    description:
      'Whether the rule matches the URL. Absent if the entry is not a rule that can match, or is inside a condition that does not apply.',
  })
  matched?: boolean;
}

export class ResolvedViewDto {
  @ApiProperty({ type: () => [ResolvedEntryDto], description: 'Rules in the order of evaluation.' })
  entries!: ResolvedEntryDto[];
}

export class ResolvedOptionDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'The value in words, with its unit. Secrets are hidden.' })
  value!: string;

  @ApiProperty({ description: 'What last set the option.' })
  setBy!: string;

  @ApiProperty({ required: false, type: () => PlaceDto })
  place?: PlaceDto;
}

export class ResolvedUrlDto {
  @ApiProperty({ description: 'Canonical URL.' })
  url!: string;

  @ApiProperty({ type: () => VerdictDto })
  verdict!: VerdictDto;

  @ApiProperty({ type: () => [TraceStepDto], description: 'Each rule of each layer: matched or not, and what it set.' })
  steps!: TraceStepDto[];

  @ApiProperty({
    type: () => [MatchedEntryDto],
    description: 'The whole view, in which everything that matches the URL is marked.',
  })
  entries!: MatchedEntryDto[];

  @ApiProperty({ type: () => [ResolvedOptionDto], description: 'Final options.' })
  options!: ResolvedOptionDto[];

  @ApiProperty({ required: false, type: () => QueueDto, description: 'Absent if the configuration rejects the URL.' })
  queue?: QueueDto;
}

export const toResolvedViewDto = (entries: readonly ResolvedEntry[]): ResolvedViewDto => ({
  entries: entries.map(({ layer, depth, text, effect, place }) => ({ layer, depth, text, effect, place })),
});

export interface ResolvedForUrl extends ResolvedUrl {
  readonly url: string;
  readonly entries: readonly MatchedEntry[];
  readonly queue?: QueueAssignment;
}

export const toResolvedUrlDto = ({ url, queue, ...resolved }: ResolvedForUrl): ResolvedUrlDto => ({
  url,
  entries: resolved.entries.map(({ layer, depth, text, effect, place, matched }) => ({
    layer,
    depth,
    text,
    effect,
    place,
    matched,
  })),
  verdict: toVerdictDto(resolved.verdict),
  steps: resolved.steps.map(toTraceStepDto),
  options: resolved.options.map(({ name, value, setBy, place }: ResolvedOption) => ({ name, value, setBy, place })),
  queue: queue && toQueueDto(queue),
});
