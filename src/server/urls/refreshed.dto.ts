import { ApiProperty } from '@nestjs/swagger';
import type { RestingHost } from '../../engine/views/url-views.js';
import { CountDto } from '../http/count.dto.js';
import { toIsoTime } from '../http/time.js';

export class RestingHostDto {
  @ApiProperty()
  host!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Until then it is left alone, unless the one request succeeds.',
  })
  until!: string;
}

export class RefreshedDto extends CountDto {
  @ApiProperty({
    type: () => [RestingHostDto],
    description:
      'Hosts among them that rest because they failed or asked for it: one request is made to each at once, in the pauses of its throttle; a good answer ends the rest, another leaves it as it is. At most 100.',
  })
  resting!: RestingHostDto[];
}

export const toRestingHostDto = ({ hostKey, until }: RestingHost): RestingHostDto => ({
  host: hostKey,
  until: toIsoTime(until),
});
