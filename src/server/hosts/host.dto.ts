import { ApiProperty } from '@nestjs/swagger';
import type { HostView } from '../../engine/views/host-views.js';
import { toDecimalSeconds, toIso, toIsoTime } from '../http/time.js';

export class HostRobotsDto {
  @ApiProperty({
    enum: ['rules', 'absent', 'unreachable'],
    description:
      'What is in force: its rules; there is none, and all is allowed; it could not be read, and nothing is fetched until it can.',
  })
  state!: string;

  @ApiProperty({ format: 'date-time' })
  fetchedAt!: string;

  @ApiProperty({
    description: 'Result of the last fetch of robots.txt. If it failed, the version read before stays in force.',
  })
  status!: string;

  @ApiProperty({ description: 'The file as fetched.' })
  text!: string;
}

export class NeedRenderingDto {
  @ApiProperty({ type: 'integer' })
  documents!: number;

  @ApiProperty({ required: false, description: 'URL of one of them.' })
  sample?: string;
}

export class HostDto {
  @ApiProperty({ description: 'Host name, with the port when it is not the default.' })
  host!: string;

  @ApiProperty({ type: 'integer', description: 'Stored URLs.' })
  urls!: number;

  @ApiProperty({ type: 'integer', description: 'Documents in the index.' })
  indexed!: number;

  @ApiProperty({ type: 'integer', description: 'URLs in error.' })
  errors!: number;

  @ApiProperty({ type: 'integer', description: 'Queued URLs, due or not.' })
  queued!: number;

  @ApiProperty({ required: false, format: 'date-time', description: 'No request before this time: crawl delay.' })
  nextRequestAt?: string;

  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'No request before this time: the host asked crawlers to slow down, or did not answer.',
  })
  backOffUntil?: string;

  @ApiProperty({ required: false, description: 'The pause between two requests now in force.' })
  crawlDelaySeconds?: number;

  @ApiProperty({
    required: false,
    description:
      'Fresh time of one page that a refresh visit has to earn: it rises while the host cannot serve all the visits that its pages need.',
  })
  visitPriceSeconds?: number;

  @ApiProperty({ required: false, type: () => HostRobotsDto })
  robots?: HostRobotsDto;

  @ApiProperty({ description: 'Paused by a person.' })
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
      'Pages that took longer than a second to read, for which the host waits longer; since the server started.',
  })
  slowPages?: number;

  @ApiProperty({
    required: false,
    type: () => NeedRenderingDto,
    description:
      'Documents in the index without the content that their scripts would make (reason `needs-rendering`); counted once a minute, for one host only.',
  })
  needRendering?: NeedRenderingDto;
}

export const toHostDto = (view: HostView): HostDto => ({
  host: view.hostKey,
  urls: view.urls,
  indexed: view.indexed,
  errors: view.errors,
  queued: view.queued,
  nextRequestAt: toIso(view.nextRequestAt),
  backOffUntil: toIso(view.backOffUntil),
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
