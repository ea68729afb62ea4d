import { ApiProperty } from '@nestjs/swagger';
import type { Problem } from '../../domain/crawl/place.js';
import type { ProblemError } from '../http/problem.js';

export class ConfigurationProblemDto {
  @ApiProperty({ enum: ['error', 'warning'] })
  severity!: 'error' | 'warning';

  @ApiProperty({ description: 'Stable code.' })
  code!: string;

  @ApiProperty({ description: 'What is wrong and how to correct it.' })
  message!: string;

  @ApiProperty()
  file!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  line!: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  column!: number;
}

export const toConfigurationProblemDto = ({ severity, code, message, place }: Problem): ConfigurationProblemDto => ({
  severity,
  code,
  message,
  file: place.file,
  line: place.line,
  column: place.column,
});

export const toProblemErrors = (problems: readonly Problem[]): ProblemError[] =>
  problems.map(({ severity, code, message, place }) => ({ detail: message, code, severity, ...place }));
