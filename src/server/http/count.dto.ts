import { ApiProperty } from '@nestjs/swagger';

export class CountDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of items affected.' })
  count!: number;
}
