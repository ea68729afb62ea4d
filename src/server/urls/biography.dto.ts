import { ApiProperty } from '@nestjs/swagger';
import type { Biography, LinkView, PageView, RefusedView } from '../../engine/engine-api.js';
import type { Visit } from '../../engine/ports/frontier-store.js';
import { inSeconds, isoAlways } from '../http/time.js';
import { OrderDto, orderDto } from '../orders/order.dto.js';
import { ExplanationDto, explanationDto, RobotsOpinionDto, robotsOpinionDto } from './explanation.dto.js';
import { UrlStateDto, urlStateDto } from './url-state.dto.js';

export class VisitDto {
  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ type: 'integer', required: false, description: 'HTTP status; absent when there was no answer.' })
  status?: number;

  @ApiProperty({
    description:
      '`document`, `unchanged`, `redirect`, `sitemap`, an error code, or the reason why the page was left out.',
  })
  outcome!: string;

  @ApiProperty({ required: false })
  detail?: string;

  @ApiProperty()
  durationSeconds!: number;

  @ApiProperty({ type: 'integer' })
  bytes!: number;

  @ApiProperty()
  changed!: boolean;
}

const visitDto = (visit: Visit): VisitDto => ({
  at: isoAlways(visit.at),
  status: visit.status,
  outcome: visit.outcome,
  detail: visit.detail,
  durationSeconds: inSeconds(visit.duration)!,
  bytes: visit.bytes,
  changed: visit.changed,
});

export class BiographyDto {
  @ApiProperty({ type: () => UrlStateDto })
  state!: UrlStateDto;

  @ApiProperty({ type: [String], description: 'How it was found: from the root to this URL, as far as known.' })
  path!: readonly string[];

  @ApiProperty({ type: () => ExplanationDto })
  explanation!: ExplanationDto;

  @ApiProperty({ type: () => RobotsOpinionDto })
  robots!: RobotsOpinionDto;

  @ApiProperty({ type: () => [VisitDto], description: 'Fetches that are kept, newest first.' })
  visits!: VisitDto[];

  @ApiProperty({ type: () => [OrderDto], description: 'Push orders that are kept, newest first.' })
  orders!: OrderDto[];
}

export const biographyDto = (biography: Biography): BiographyDto => ({
  state: urlStateDto(biography.state),
  path: biography.path,
  explanation: explanationDto(biography.explanation),
  robots: robotsOpinionDto(biography.robots),
  visits: biography.visits.map(visitDto),
  orders: biography.orders.map(orderDto),
});

export class LinkDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ description: 'What kind of link: a, area, frame, redirect, …' })
  kind!: string;

  @ApiProperty({ type: () => ExplanationDto })
  explanation!: ExplanationDto;

  @ApiProperty({ required: false, type: () => UrlStateDto, description: 'Absent: not stored.' })
  state?: UrlStateDto;
}

const linkDto = (link: LinkView): LinkDto => ({
  url: link.url,
  kind: link.kind,
  explanation: explanationDto(link.explanation),
  state: link.state && urlStateDto(link.state),
});

export class PageViewDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ description: '`document`, `redirect` or an error code.' })
  outcome!: string;

  @ApiProperty({ type: 'integer', required: false })
  status?: number;

  @ApiProperty({ required: false })
  title?: string;

  @ApiProperty({ required: false })
  detail?: string;

  @ApiProperty({ type: () => [LinkDto] })
  links!: LinkDto[];
}

export const pageViewDto = ({ links, ...view }: PageView): PageViewDto => ({ ...view, links: links.map(linkDto) });

export class RefusedSampleDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ description: 'The page that links to it.' })
  from!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

export class RefusedDto {
  @ApiProperty({ description: 'Reason code.' })
  reason!: string;

  @ApiProperty()
  host!: string;

  @ApiProperty({ type: 'integer', description: 'Links refused since the start of the process.' })
  count!: number;

  @ApiProperty({ type: () => [RefusedSampleDto] })
  samples!: RefusedSampleDto[];
}

export const refusedDto = (view: RefusedView): RefusedDto => ({
  reason: view.reason,
  host: view.hostKey,
  count: view.count,
  samples: view.samples.map(({ url, from, at }) => ({ url, from, at: isoAlways(at) })),
});
