import { ApiProperty } from '@nestjs/swagger';
import { ExplanationDto } from '../urls/explanation.dto.js';

export class ProblemErrorDto {
  @ApiProperty({ description: 'What is wrong and how to correct it.' })
  detail!: string;

  @ApiProperty({ required: false, description: 'JSON pointer into the body, or `?name` of a query parameter.' })
  pointer?: string;

  @ApiProperty({ required: false, description: 'Stable code of a configuration problem.' })
  code?: string;

  @ApiProperty({ required: false, enum: ['error', 'warning'] })
  severity?: 'error' | 'warning';

  @ApiProperty({ required: false, description: 'Configuration file.' })
  file?: string;

  @ApiProperty({ required: false, minimum: 1, type: 'integer' })
  line?: number;

  @ApiProperty({ required: false, minimum: 1, type: 'integer' })
  column?: number;
}

class DeletionsDto {
  @ApiProperty()
  crawler!: string;

  @ApiProperty({ type: 'integer', description: 'Documents that would be removed from the index.' })
  documentsDeleted!: number;

  @ApiProperty({ type: 'integer', description: 'Documents currently in the index.' })
  indexed!: number;
}

/** RFC 9457. */
export class ProblemDto {
  @ApiProperty({ description: '`about:blank`, or a URN that names the kind of problem.' })
  type!: string;

  @ApiProperty({ description: 'The kind of problem in words.' })
  title!: string;

  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599, description: 'HTTP status.' })
  status!: number;

  @ApiProperty({ description: 'What is wrong in this case and how to correct it.' })
  detail!: string;

  @ApiProperty({ description: 'Path of the call; empty if it could not be read.' })
  instance!: string;

  @ApiProperty({
    type: () => [ProblemErrorDto],
    required: false,
    description: 'All problems found, not just the first.',
  })
  errors?: ProblemErrorDto[];

  @ApiProperty({ type: () => ExplanationDto, required: false, description: 'Why the crawl policy rejects a root.' })
  explanation?: ExplanationDto;

  @ApiProperty({ type: 'integer', required: false, description: 'Number of URLs that would be cleared.' })
  count?: number;

  @ApiProperty({
    type: () => [DeletionsDto],
    required: false,
    description: 'Crawlers that would lose many documents.',
  })
  crawlers?: DeletionsDto[];
}
