import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import type { PreviewCounts, PreviewReport } from '../../engine/views/crawler-views.js';
import { toBoolean } from '../http/boolean.js';
import { IfGiven } from '../http/fields.js';
import { toIsoTime } from '../http/time.js';
import type { ConfigurationService } from './configuration.service.js';
import type { VersionHeader } from './configuration-history.js';
import { ConfigurationProblemDto, toConfigurationProblemDto } from './problems.dto.js';

export class ConfirmQuery {
  @ApiProperty({
    required: false,
    description: 'Apply the change even if more than 10 % of the documents of a crawler would be deleted.',
  })
  @IfGiven()
  @Transform(({ value }) => toBoolean(value))
  @IsBoolean()
  confirm?: boolean;
}

export class VersionDto {
  @ApiProperty({ type: 'integer' })
  version!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({
    description:
      'Name of the API key; `file` if the file was found changed on disk; `file, not in force` for an edit with errors that a ' +
      'write replaced.',
  })
  who!: string;
}

export const toVersionDto = ({ version, at, who }: VersionHeader): VersionDto => ({
  version,
  at: toIsoTime(at),
  who,
});

export class ConfigurationStateDto extends VersionDto {
  @ApiProperty({ description: 'Path of the file.' })
  file!: string;

  @ApiProperty({ description: 'ETag of the active configuration.' })
  etag!: string;

  @ApiProperty({ type: () => [ConfigurationProblemDto], description: 'Warnings of the configuration in force.' })
  warnings!: ConfigurationProblemDto[];

  @ApiProperty({
    type: () => [ConfigurationProblemDto],
    description: 'Errors because of which the changed file on disk is not in force; empty if it is in force.',
  })
  rejected!: ConfigurationProblemDto[];
}

export const toConfigurationStateDto = (configuration: ConfigurationService): ConfigurationStateDto => ({
  ...toVersionDto(configuration.current.header),
  file: configuration.file.path,
  etag: configuration.etag,
  warnings: configuration.current.problems.map(toConfigurationProblemDto),
  rejected: configuration.rejectedProblems.map(toConfigurationProblemDto),
});

export class CheckDto {
  @ApiProperty({ description: 'Whether there are no errors; there may be warnings.' })
  valid!: boolean;

  @ApiProperty({ type: () => [ConfigurationProblemDto] })
  problems!: ConfigurationProblemDto[];
}

export class PreviewSampleDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ description: 'Reason code of the new verdict.' })
  reason!: string;
}

export class PreviewGroupDto {
  @ApiProperty({ type: 'integer' })
  count!: number;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' } })
  byHost!: Readonly<Record<string, number>>;

  @ApiProperty({ type: () => [PreviewSampleDto] })
  samples!: readonly PreviewSampleDto[];
}

export class PreviewCrawlerDto {
  @ApiProperty()
  crawler!: string;

  @ApiProperty({ type: 'integer', description: 'Documents currently in the index.' })
  indexed!: number;

  @ApiProperty({
    type: () => PreviewGroupDto,
    description: 'Stored URLs that are not currently crawled but would be.',
  })
  newlyAccepted!: PreviewGroupDto;

  @ApiProperty({
    type: () => PreviewGroupDto,
    description: 'Stored URLs that would no longer be crawled (status 760).',
  })
  excluded!: PreviewGroupDto;

  @ApiProperty({
    type: () => PreviewGroupDto,
    description: 'URLs that would be excluded, with their documents left to another crawler (status 761).',
  })
  keptElsewhere!: PreviewGroupDto;

  @ApiProperty({ type: () => PreviewGroupDto, description: 'Documents that would be removed from the index.' })
  documentsDeleted!: PreviewGroupDto;

  @ApiProperty({ type: () => PreviewGroupDto, description: 'Stored URLs that would move to another source.' })
  changedSource!: PreviewGroupDto;
}

export class PreviewDto {
  @ApiProperty({ type: () => [PreviewCrawlerDto] })
  crawlers!: readonly PreviewCrawlerDto[];

  @ApiProperty({ type: 'integer', description: 'Stored URLs judged so far.' })
  judged!: number;

  @ApiProperty({ type: 'integer', description: 'Stored URLs to judge.' })
  total!: number;

  @ApiProperty()
  done!: boolean;

  @ApiProperty({ type: [String], description: 'Crawlers that would lose more than 10 % of their documents.' })
  needsConfirmation!: readonly string[];
}

export const toPreviewDto = (report: PreviewReport): PreviewDto => ({
  crawlers: report.crawlers.map((counts: PreviewCounts) => ({ ...counts })),
  judged: report.judged,
  total: report.total,
  done: report.done,
  needsConfirmation: report.needsConfirmation,
});
