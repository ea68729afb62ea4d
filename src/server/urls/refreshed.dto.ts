import { ApiProperty } from '@nestjs/swagger';
import type { RestingHost } from '../../engine/views/url-views.js';
import { CountDto } from '../http/count.dto.js';
import { toIsoTime } from '../http/time.js';

export class RestingHostDto {
  @ApiProperty()
  host!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'No further request is made before this time, unless the one request succeeds.',
  })
  until!: string;
}

export class RefreshedDto extends CountDto {
  @ApiProperty({
    type: () => [RestingHostDto],
    description:
      'Hosts of these URLs that rest because they failed or asked crawlers to slow down, at most 100. One request is made to each of them as soon as its throttle allows; a good response ends the rest, any other leaves it unchanged.',
  })
  resting!: RestingHostDto[];
}

export const toRestingHostDto = ({ hostKey, until }: RestingHost): RestingHostDto => ({
  host: hostKey,
  until: toIsoTime(until),
});
