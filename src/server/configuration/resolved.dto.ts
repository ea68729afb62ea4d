import { ApiProperty } from '@nestjs/swagger';
import { type ResolvedEntry, type ResolvedUrl } from '../../domain/policy/resolved.js';
import { PlaceDto, TraceStepDto } from '../urls/explanation.dto.js';

const LAYERS = ['link-rules', 'site-mode', 'crawl-space', 'server-records', 'conditions', 'crawl-rules'];

export class ResolvedEntryDto {
  @ApiProperty({ enum: LAYERS })
  layer!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Nesting of recursive conditions; 0 elsewhere.' })
  depth!: number;

  @ApiProperty({ description: 'The rule in words.' })
  text!: string;

  @ApiProperty({ required: false, description: 'What it sets when it applies.' })
  effect?: string;

  @ApiProperty({ required: false, type: () => PlaceDto })
  place?: PlaceDto;
}

export class ResolvedOptionDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'In words, with its unit; secrets are hidden.' })
  value!: string;

  @ApiProperty({ description: 'Who set it last.' })
  setBy!: string;

  @ApiProperty({ required: false, type: () => PlaceDto })
  place?: PlaceDto;
}

export class ResolvedUrlDto {
  @ApiProperty({ description: 'Canonical URL.' })
  url!: string;

  @ApiProperty()
  accepted!: boolean;

  @ApiProperty({ description: 'Reason code of the verdict.' })
  reason!: string;

  @ApiProperty({ type: () => [TraceStepDto], description: 'Each rule of each layer: matched or not, and what it set.' })
  steps!: readonly TraceStepDto[];

  @ApiProperty({ type: () => [ResolvedOptionDto], description: 'Final options, and who set each.' })
  options!: readonly ResolvedOptionDto[];
}

export class ResolvedDto {
  @ApiProperty({
    type: () => [ResolvedEntryDto],
    description: 'All that the policy of the crawler consists of, in the order of evaluation.',
  })
  entries!: readonly ResolvedEntryDto[];

  @ApiProperty({ required: false, type: () => ResolvedUrlDto, description: 'When `url` was given.' })
  url?: ResolvedUrlDto;
}

export const resolvedEntryDto = ({ layer, depth, text, effect, place }: ResolvedEntry): ResolvedEntryDto => ({
  layer,
  depth,
  text,
  effect,
  place,
});

export const resolvedUrlDto = (url: string, { verdict, steps, options }: ResolvedUrl): ResolvedUrlDto => ({
  url,
  accepted: verdict.accepted,
  reason: verdict.reason,
  steps: steps.map((step) => ({ ...step })),
  options: options.map((option) => ({ ...option })),
});
