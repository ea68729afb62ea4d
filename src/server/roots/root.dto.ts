import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import type { RootView, SubmitOutcome } from '../../engine/views/crawler-views.js';
import { IfGiven, IsListOf } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { type ExplanationDto, toExplanationDto } from '../urls/explanation.dto.js';
import { toUrlStateDto, UrlStateDto } from '../urls/url-state.dto.js';

export class RootMetaDto {
  @ApiProperty({ maxLength: 256 })
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  name!: string;

  @ApiProperty({ maxLength: 4096 })
  @IsString()
  @MaxLength(4096)
  value!: string;
}

export class RootSubmissionDto {
  @ApiProperty({ maxLength: MAX_URL, example: 'https://docs.example.com/' })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_URL)
  url!: string;

  @ApiProperty({
    required: false,
    description:
      'Stay on the site of this root, and accept its URLs unless a crawl rule says otherwise. Default: true, or false with entireSite.',
  })
  @IfGiven()
  @IsBoolean()
  site?: boolean;

  @ApiProperty({ required: false, description: 'Stay in the directory of the root document and below.' })
  @IfGiven()
  @IsBoolean()
  entireSite?: boolean;

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: -2,
    maximum: 2,
    description: 'Priority shift; -2 is the highest priority.',
  })
  @IfGiven()
  @IsInt()
  @Min(-2)
  @Max(2)
  priority?: number;

  @ApiProperty({ required: false, maxLength: 256 })
  @IfGiven()
  @IsString()
  @MaxLength(256)
  group?: string;

  @ApiProperty({
    required: false,
    type: () => [RootMetaDto],
    maxItems: 100,
    description: 'Metas added to every document that is found from this root.',
  })
  @IfGiven()
  @IsListOf(() => RootMetaDto, 100)
  metas?: RootMetaDto[];

  @ApiProperty({ required: false, description: 'If false, the links of the page are listed but not queued.' })
  @IfGiven()
  @IsBoolean()
  followLinks?: boolean;
}

export class RootDto extends RootSubmissionDto {
  @ApiProperty({ enum: ['configuration', 'submitted'], description: 'Where the root was defined.' })
  origin!: 'configuration' | 'submitted';

  @ApiProperty({ required: false, type: () => UrlStateDto })
  state?: UrlStateDto;
}

export const toRootDto = (view: RootView): RootDto => ({
  url: view.url,
  site: view.site,
  entireSite: view.entireSite,
  priority: view.priority,
  group: view.group,
  metas: view.metas?.map(({ name, value }) => ({ name, value })),
  followLinks: view.followLinks,
  origin: view.origin,
  state: view.state && toUrlStateDto(view.state),
});

export class SubmitOutcomeDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ enum: ['new', 'known', 'rejected'] })
  outcome!: SubmitOutcome['outcome'];

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 1,
    description: 'Line of the URL list on which the entry begins.',
  })
  line?: number;

  @ApiProperty({ required: false, description: 'Why the entry was rejected.' })
  message?: string;

  @ApiProperty({ required: false, description: 'Reason code of the rejection.' })
  reason?: string;
}

export class UrlListOutcomeDto {
  @ApiProperty({ type: 'integer', description: 'URLs that were not known before.' })
  new!: number;

  @ApiProperty({ type: 'integer', description: 'URLs that were already known; they are due now.' })
  known!: number;

  @ApiProperty({ type: 'integer' })
  rejected!: number;

  @ApiProperty({
    type: () => [SubmitOutcomeDto],
    maxItems: 1000,
    description: 'The first rejected entries, with their reasons.',
  })
  rejections!: SubmitOutcomeDto[];
}

type Rejection = Extract<SubmitOutcome, { outcome: 'rejected' }>;

export const toRejectionDto = ({ url, message, explanation }: Rejection): SubmitOutcomeDto => ({
  url,
  outcome: 'rejected',
  message,
  reason: explanation?.verdict.reason,
});

export const toRejectionExplanation = ({ explanation }: Rejection): ExplanationDto | undefined =>
  explanation && toExplanationDto(explanation);
