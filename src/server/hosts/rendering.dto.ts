import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import type { RenderPatternView } from '../../engine/crawl/visit/rendered-visits.js';
import { MAX_URL } from '../http/limits.js';
import { toDecimalSeconds } from '../http/time.js';

export class RenderPatternDto {
  @ApiProperty({ description: 'Path with its numbers as `N` and its query as `?`, or a folder with `*`.' })
  pattern!: string;

  @ApiProperty({
    enum: ['browser', 'plain', 'trying'],
    description:
      'What was learned. `browser`: rendering yields more content; `plain`: it does not; `trying`: too few pages were rendered to tell.',
  })
  learned!: 'browser' | 'plain' | 'trying';

  @ApiProperty({
    enum: ['always', 'never', 'auto'],
    description: '`auto`: as learned. Otherwise, an operator has chosen the mode.',
  })
  render!: 'always' | 'never' | 'auto';

  @ApiProperty({ type: 'integer', description: 'Pages rendered since the start of the process.' })
  rendered!: number;

  @ApiProperty({
    type: 'number',
    description: 'Share of the recently rendered pages for which rendering yielded more content, 0 to 1.',
  })
  worthwhile!: number;

  @ApiProperty({
    type: 'number',
    description: 'Mean time in seconds to render a page, over the recently rendered pages.',
  })
  seconds!: number;

  @ApiProperty({ type: 'integer', description: 'Pages that could not be rendered.' })
  failures!: number;
}

export class HostRenderingDto {
  @ApiProperty({
    type: () => [RenderPatternDto],
    description: 'Patterns with the most rendered pages first, 500 at most.',
  })
  patterns!: RenderPatternDto[];
}

export class RenderOverrideDto {
  @ApiProperty({ maxLength: MAX_URL, description: 'A pattern as listed, or a URL of the host that matches it.' })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_URL)
  pattern!: string;

  @ApiProperty({
    enum: ['always', 'never', 'auto'],
    description: '`auto`: as learned, which ends an override. Otherwise, the mode for the pattern.',
  })
  @IsIn(['always', 'never', 'auto'])
  render!: 'always' | 'never' | 'auto';
}

export const toHostRenderingDto = (patterns: readonly RenderPatternView[]): HostRenderingDto => ({
  patterns: patterns.map(({ pattern, choice, override, samples, worthwhile, time, failures }) => ({
    pattern,
    learned: choice,
    render: override ?? 'auto',
    rendered: samples,
    worthwhile: Math.round(worthwhile * 100) / 100,
    seconds: toDecimalSeconds(time)!,
    failures,
  })),
});
