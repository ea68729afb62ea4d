import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsBoolean, IsString, MaxLength, MinLength } from 'class-validator';
import type { Problem } from '../../domain/crawl/place.js';
import type { ContentTrial } from '../../engine/views/url-views.js';
import { ConfigurationProblemDto, toConfigurationProblemDto } from '../configuration/problems.dto.js';
import { IfGiven } from '../http/fields.js';
import { toOptionalIsoTime } from '../http/time.js';
import { UrlQuery } from './url.query.js';
import { PageReadingDto, PageViewDto } from './url-history.dto.js';

/** Maximum number of characters in a `cw:Content`. */
const MAX_CONTENT = 20_000;

export class ContentTrialRequestDto extends UrlQuery {
  @ApiProperty({
    maxLength: MAX_CONTENT,
    description: 'One `cw:Content` element as it would appear in CrawlConfig.xml.',
    example: '<cw:Content><cw:Include select="main"/><cw:Field name="author" select=".author"/></cw:Content>',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_CONTENT)
  content!: string;

  @ApiProperty({ required: false, description: 'Run the scripts of the page before reading it.' })
  @IfGiven()
  @IsBoolean()
  render?: boolean;

  @ApiProperty({ required: false, description: 'Fetch the page again even if there is a recent copy.' })
  @IfGiven()
  @IsBoolean()
  fresh?: boolean;
}

export class ContentTrialDto extends PickType(PageViewDto, [
  'url',
  'outcome',
  'status',
  'title',
  'detail',
  'target',
] as const) {
  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'When the page was fetched. Absent if there was no document.',
  })
  fetchedAt?: string;

  @ApiProperty({
    required: false,
    example: 'forum',
    description:
      'Name of the `cw:Content` that is in force for the URL; empty for the one without a name. Absent if none is in force.',
  })
  content?: string;

  @ApiProperty({
    type: () => [ConfigurationProblemDto],
    description: 'Problems in the element, with their places in its text.',
  })
  problems!: ConfigurationProblemDto[];

  @ApiProperty({ required: false, type: () => PageReadingDto, description: 'Absent if the element has errors.' })
  reading?: PageReadingDto;
}

export const toContentTrialDto = (
  { reading, fetchedAt, ...view }: ContentTrial,
  problems: readonly Problem[],
): ContentTrialDto => ({
  ...view,
  fetchedAt: toOptionalIsoTime(fetchedAt),
  problems: problems.map(toConfigurationProblemDto),
  reading: reading && (structuredClone(reading) as PageReadingDto),
});
