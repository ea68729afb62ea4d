import { ApiProperty } from '@nestjs/swagger';
import type { RenderingView } from '../../engine/views/url-views.js';
import { toDecimalSeconds } from '../http/time.js';

class SentPageDto {
  @ApiProperty()
  title!: string;

  @ApiProperty({ description: 'The first 200,000 characters of the text.' })
  text!: string;

  @ApiProperty({ type: 'integer' })
  textLength!: number;

  @ApiProperty({ type: 'integer', description: 'Number of distinct links.' })
  links!: number;
}

export class RenderingComparisonDto {
  @ApiProperty({ type: () => SentPageDto, description: 'What the page contains without its scripts.' })
  sent!: SentPageDto;

  @ApiProperty({ type: [String], description: 'Sentences and lines that only the rendered page has; 1,000 at most.' })
  added!: readonly string[];

  @ApiProperty({
    type: [String],
    description: 'Sentences and lines that appear only in the page as sent (at most 1,000).',
  })
  lost!: readonly string[];

  @ApiProperty({
    type: [String],
    description: 'Links that are on the page as sent but not on the rendered page; 200 at most.',
  })
  lostLinks!: readonly string[];
}

class RenderingFailureDto {
  @ApiProperty({ description: 'Reason code.' })
  code!: string;

  @ApiProperty()
  detail!: string;
}

export class PageRenderingDto {
  @ApiProperty({ type: 'number' })
  seconds!: number;

  @ApiProperty({ type: 'integer', description: 'Requests that the page made for scripts, data and frames.' })
  requests!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Requests that were not made, by reason.',
  })
  refused!: Record<string, number>;

  @ApiProperty({
    required: false,
    description: 'What ended the wait for the scripts: `quiet`, `condition` or `time limit`.',
    example: 'quiet',
  })
  readiness?: string;

  @ApiProperty({
    type: () => RenderingFailureDto,
    required: false,
    description: 'Why the page could not be rendered; the response then shows the page as it was sent.',
  })
  failure?: RenderingFailureDto;

  @ApiProperty({
    type: () => RenderingComparisonDto,
    required: false,
    description: 'Absent if the page was not rendered.',
  })
  comparison?: RenderingComparisonDto;

  @ApiProperty({
    required: false,
    format: 'byte',
    description: 'Picture of the page, without its images: JPEG in base64.',
    example: '/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==',
  })
  picture?: string;
}

export const toPageRenderingDto = ({ time, refused, ...view }: RenderingView): PageRenderingDto => ({
  ...view,
  refused: { ...refused },
  seconds: toDecimalSeconds(time)!,
});
