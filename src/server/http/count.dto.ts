import { ApiProperty } from '@nestjs/swagger';

export class CountDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many were affected.' })
  count!: number;
}
