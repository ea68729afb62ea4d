import { ApiProperty } from '@nestjs/swagger';
import type { HostView } from '../../engine/views/host-views.js';
import { toDecimalSeconds, toIsoTime, toOptionalIsoTime } from '../http/time.js';

export class HostRobotsDto {
  @ApiProperty({
    enum: ['rules', 'absent', 'unreachable'],
    description:
      'State of robots.txt. `rules`: its rules are in force; `absent`: everything is allowed because the host has no such file; `unreachable`: nothing is fetched until the file can be read.',
  })
  state!: string;

  @ApiProperty({ format: 'date-time' })
  fetchedAt!: string;

  @ApiProperty({
    description: 'Result of the last fetch of robots.txt. If it failed, the previous version stays in force.',
  })
  status!: string;

  @ApiProperty({ description: 'Content of robots.txt as fetched.' })
  text!: string;
}

export class NeedRenderingDto {
  @ApiProperty({ type: 'integer' })
  documents!: number;

  @ApiProperty({ required: false, description: 'URL of one of these documents.' })
  sample?: string;
}

export class HostDto {
  @ApiProperty({ description: 'Host name, with the port when it is not the default.' })
  host!: string;

  @ApiProperty({ type: 'integer', description: 'Stored URLs.' })
  urls!: number;

  @ApiProperty({ type: 'integer', description: 'Number of documents in the index.' })
  indexed!: number;

  @ApiProperty({ type: 'integer', description: 'URLs in error.' })
  errors!: number;

  @ApiProperty({ type: 'integer', description: 'Queued URLs, whether or not they are due.' })
  queued!: number;

  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'Because of the crawl delay, no request is made before this time.',
  })
  nextRequestAt?: string;

  @ApiProperty({
    required: false,
    format: 'date-time',
    description:
      'No request is made before this time, because the host asked crawlers to slow down or did not respond.',
  })
  backOffUntil?: string;

  @ApiProperty({ required: false, description: 'Current pause between two requests.' })
  crawlDelaySeconds?: number;

  @ApiProperty({
    required: false,
    description:
      'How much time one page must gain in freshness for a refresh visit to be worthwhile; it rises while the host cannot serve all the visits that its pages need.',
  })
  visitPriceSeconds?: number;

  @ApiProperty({ required: false, type: () => HostRobotsDto })
  robots?: HostRobotsDto;

  @ApiProperty({ description: 'Whether an operator has paused the host.' })
  paused!: boolean;

  @ApiProperty({
    required: false,
    minimum: 0,
    maximum: 1,
    description: 'Share of the remembered visits that succeeded.',
  })
  successShare?: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Failed visits by error code.',
  })
  errorClasses!: Readonly<Record<string, number>>;

  @ApiProperty({ required: false })
  averageLatencySeconds?: number;

  @ApiProperty({
    required: false,
    type: 'integer',
    description:
      'Pages since the server started that took longer than a second to read; each one delays the next request to the host.',
  })
  slowPages?: number;

  @ApiProperty({
    required: false,
    type: () => NeedRenderingDto,
    description:
      'Documents in the index that lack the content that their scripts would create (reason `needs-rendering`); counted once a minute, only when a single host is requested.',
  })
  needRendering?: NeedRenderingDto;
}

export const toHostDto = (view: HostView): HostDto => ({
  host: view.hostKey,
  urls: view.urls,
  indexed: view.indexed,
  errors: view.errors,
  queued: view.queued,
  nextRequestAt: toOptionalIsoTime(view.nextRequestAt),
  backOffUntil: toOptionalIsoTime(view.backOffUntil),
  crawlDelaySeconds: toDecimalSeconds(view.crawlDelay),
  visitPriceSeconds: view.visitPrice ? toDecimalSeconds(view.visitPrice) : undefined,
  robots: view.robots && { ...view.robots, fetchedAt: toIsoTime(view.robots.fetchedAt) },
  paused: view.paused,
  successShare: view.successShare,
  errorClasses: view.errorClasses,
  averageLatencySeconds: toDecimalSeconds(view.averageLatency),
  slowPages: view.slowPages,
  needRendering: view.needRendering,
});
