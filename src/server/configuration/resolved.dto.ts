import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import type { ResolvedEntry, ResolvedOption, ResolvedUrl } from '../../domain/policy/resolved.js';
import { IfGiven } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { LAYERS, PlaceDto, TraceStepDto, traceStepDto, VerdictDto, verdictDto } from '../urls/explanation.dto.js';

export class ResolvedQuery {
  @ApiProperty({ required: false, maxLength: MAX_URL, description: 'Resolve for this URL.' })
  @IfGiven()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_URL)
  url?: string;

  @ApiProperty({ required: false, maxLength: MAX_URL, description: 'The page that links to it.' })
  @IfGiven()
  @IsString()
  @MaxLength(MAX_URL)
  from?: string;
}

export class ResolvedEntryDto {
  @ApiProperty({ enum: LAYERS })
  layer!: string;

  @ApiProperty({ type: 'integer', description: 'Nesting of recursive conditions; 0 elsewhere.' })
  depth!: number;

  @ApiProperty({ description: 'What it asks, in words.' })
  text!: string;

  @ApiProperty({ required: false, description: 'What it sets when it applies. Secrets are hidden.' })
  effect?: string;

  @ApiProperty({ required: false, type: () => PlaceDto })
  place?: PlaceDto;
}

export class ResolvedViewDto {
  @ApiProperty({ type: () => [ResolvedEntryDto], description: 'In the order of evaluation.' })
  entries!: ResolvedEntryDto[];
}

export class ResolvedOptionDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'In words, with its unit. Secrets are hidden.' })
  value!: string;

  @ApiProperty({ description: 'Who set it last.' })
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

  @ApiProperty({ type: () => [ResolvedOptionDto], description: 'Final options.' })
  options!: ResolvedOptionDto[];
}

export const resolvedViewDto = (entries: readonly ResolvedEntry[]): ResolvedViewDto => ({
  entries: entries.map(({ layer, depth, text, effect, place }) => ({ layer, depth, text, effect, place })),
});

export const resolvedUrlDto = (url: string, resolved: ResolvedUrl): ResolvedUrlDto => ({
  url,
  verdict: verdictDto(resolved.verdict),
  steps: resolved.steps.map(traceStepDto),
  options: resolved.options.map(({ name, value, setBy, place }: ResolvedOption) => ({ name, value, setBy, place })),
});
