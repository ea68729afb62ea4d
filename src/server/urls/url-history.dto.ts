import { ApiProperty } from '@nestjs/swagger';
import type { RefusedView } from '../../engine/crawl/frontier/refused-view.js';
import type { Visit } from '../../engine/ports/frontier-store.js';
import type { OwedOrder } from '../../engine/ports/owed-orders.js';
import type { LinkView, PageView, UrlHistory } from '../../engine/views/url-views.js';
import { toDecimalSeconds, toIsoTime } from '../http/time.js';
import { OrderDto, toOrderDto } from '../orders/order.dto.js';
import {
  ExplanationDto,
  HeadlineDto,
  QueueDto,
  RefusedLinkDto,
  RobotsOpinionDto,
  toExplanationDto,
  toHeadlineDto,
  toQueueDto,
  toRobotsOpinionDto,
} from './explanation.dto.js';
import { PageRenderingDto, toPageRenderingDto } from './page-rendering.dto.js';
import { toUrlStateDto, UrlStateDto } from './url-state.dto.js';

export class VisitDto {
  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ type: 'integer', required: false, description: 'HTTP status; absent if there was no response.' })
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

  @ApiProperty({
    description: 'Whether the content differs from that of the previous visit. Never true for the first visit.',
  })
  changed!: boolean;
}

export const toVisitDto = (visit: Visit): VisitDto => ({
  at: toIsoTime(visit.at),
  status: visit.status,
  outcome: visit.outcome,
  detail: visit.detail,
  durationSeconds: toDecimalSeconds(visit.duration)!,
  bytes: visit.bytes,
  changed: visit.changed,
});

export class LinkDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ description: 'Kind of link: a, area, frame, redirect, …' })
  kind!: string;

  @ApiProperty({ type: () => ExplanationDto })
  explanation!: ExplanationDto;

  @ApiProperty({ required: false, type: () => UrlStateDto, description: 'Absent if the URL is not stored.' })
  state?: UrlStateDto;

  @ApiProperty({
    required: false,
    type: () => RobotsOpinionDto,
    description: 'Absent if robots.txt of its site was not fetched for this call.',
  })
  robots?: RobotsOpinionDto;

  @ApiProperty({
    required: false,
    description: 'On a rendered page: whether scripts created the link, so that it is not on the page as it was sent.',
  })
  onlyRendered?: boolean;
}

const toLinkDto = (link: LinkView): LinkDto => ({
  onlyRendered: link.onlyRendered,
  url: link.url,
  kind: link.kind,
  explanation: toExplanationDto(link.explanation),
  state: link.state && toUrlStateDto(link.state),
  robots: link.robots && toRobotsOpinionDto(link.robots),
});

export class UrlBehindDto {
  @ApiProperty({ example: 'search' })
  sink!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When the first missed order was put off.',
    example: '2026-01-15T09:30:00.000Z',
  })
  since!: string;
}

export const toUrlBehindDto = ({ sink, since }: OwedOrder): UrlBehindDto => ({ sink, since: toIsoTime(since) });

export class UrlHistoryDto {
  @ApiProperty({ type: () => UrlStateDto })
  state!: UrlStateDto;

  @ApiProperty({
    type: [String],
    description: 'How the URL was found: the chain from the root to it, as far as known.',
  })
  path!: readonly string[];

  @ApiProperty({ type: () => HeadlineDto })
  headline!: HeadlineDto;

  @ApiProperty({ type: () => ExplanationDto })
  explanation!: ExplanationDto;

  @ApiProperty({ required: false, type: () => QueueDto, description: 'Absent if the configuration rejects the URL.' })
  queue?: QueueDto;

  @ApiProperty({ type: () => RobotsOpinionDto })
  robots!: RobotsOpinionDto;

  @ApiProperty({ type: () => [VisitDto], description: 'Fetches on record, newest first.' })
  visits!: VisitDto[];

  @ApiProperty({ type: () => [OrderDto], description: 'Push orders on record, newest first.' })
  orders!: OrderDto[];

  @ApiProperty({
    type: () => [UrlBehindDto],
    description: 'Sinks that are behind and are owed this URL.',
  })
  behind!: UrlBehindDto[];

  @ApiProperty({
    type: () => [RefusedLinkDto],
    description: 'Refused links to the URL, among the samples that are kept.',
  })
  refusedLinks!: RefusedLinkDto[];

  @ApiProperty({
    type: () => [LinkDto],
    description: 'Links of the page that were listed but not queued, because `followLinks` of its root is off.',
  })
  listedLinks!: LinkDto[];
}

export const toUrlHistoryDto = (urlHistory: UrlHistory): UrlHistoryDto => ({
  headline: toHeadlineDto(urlHistory.headline),
  state: toUrlStateDto(urlHistory.state),
  queue: urlHistory.queue && toQueueDto(urlHistory.queue),
  path: urlHistory.path,
  explanation: toExplanationDto(urlHistory.explanation),
  robots: toRobotsOpinionDto(urlHistory.robots),
  visits: urlHistory.visits.map(toVisitDto),
  orders: urlHistory.orders.map(toOrderDto),
  behind: urlHistory.owedOrders.map(toUrlBehindDto),
  refusedLinks: urlHistory.refused.map(({ from, reason }) => ({ from, reason })),
  listedLinks: urlHistory.listedLinks.map(toLinkDto),
});

class ReadMetaDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  value!: string;
}

class ReadHeadingDto {
  @ApiProperty({ type: 'integer' })
  level!: number;

  @ApiProperty()
  text!: string;

  @ApiProperty({ type: 'integer', description: 'Offset in the text, in UTF-16 units.' })
  start!: number;
}

class ReadChunkDto {
  @ApiProperty()
  text!: string;

  @ApiProperty({ type: [String], description: 'The headings above the chunk.' })
  path!: string[];

  @ApiProperty({ type: 'integer' })
  start!: number;

  @ApiProperty({ type: 'integer' })
  end!: number;
}

class MarkedTextDto {
  @ApiProperty()
  text!: string;

  @ApiProperty({ description: 'Whether the text is excluded from the content.' })
  cut!: boolean;
}

class SelectorMatchesDto {
  @ApiProperty({
    type: 'integer',
    isArray: true,
    example: [1],
    description: 'Number of elements for each `Include`, in order.',
  })
  include!: readonly number[];

  @ApiProperty({
    type: 'integer',
    isArray: true,
    example: [0],
    description: 'Number of elements for each `Exclude`, in order.',
  })
  exclude!: readonly number[];
}

class ContentLookDto {
  @ApiProperty({
    type: () => [MarkedTextDto],
    description: 'The text of the whole page, in document order; up to 200,000 characters.',
  })
  marked!: readonly MarkedTextDto[];

  @ApiProperty({ type: () => SelectorMatchesDto, description: 'Number of elements that the selectors find.' })
  matches!: SelectorMatchesDto;
}

class ReadPartDto {
  @ApiProperty({ example: 'http://www.example.com/faq#delivery' })
  uri!: string;

  @ApiProperty({ type: () => [ReadMetaDto], description: 'Metas and fields; names may repeat.' })
  metas!: ReadMetaDto[];

  @ApiProperty({ description: 'Up to 200,000 characters in all parts together.' })
  text!: string;
}

export class PageReadingDto {
  @ApiProperty({ description: 'The text that is extracted as content, up to 200,000 characters.' })
  text!: string;

  @ApiProperty({ type: 'integer', description: 'Length of the whole text, in UTF-16 units.' })
  textLength!: number;

  @ApiProperty({ required: false })
  language?: string;

  @ApiProperty({ type: () => [ReadMetaDto], description: 'Metas and fields; names may repeat.' })
  metas!: ReadMetaDto[];

  @ApiProperty({ type: [String], description: 'Passages that the configuration or the page itself excludes.' })
  cut!: string[];

  @ApiProperty({
    type: () => ContentLookDto,
    required: false,
    description:
      'The whole text, with the excluded passages marked. Absent unless the configuration requires a tree of the page, for example for selectors.',
  })
  look?: ContentLookDto;

  @ApiProperty({ type: () => [ReadHeadingDto], required: false })
  headings?: ReadHeadingDto[];

  @ApiProperty({ required: false })
  markdown?: string;

  @ApiProperty({ type: () => [ReadChunkDto], required: false })
  chunks?: ReadChunkDto[];

  @ApiProperty({
    type: () => [ReadPartDto],
    required: false,
    description: 'Documents that `cw:Split` splits off the page, at most 500.',
  })
  parts?: ReadPartDto[];
}

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

  @ApiProperty({ required: false, description: 'Target of the redirect.', example: 'https://www.example.com/docs/' })
  target?: string;

  @ApiProperty({
    required: false,
    type: () => RobotsOpinionDto,
    description: 'What robots.txt says about the URL, if it was fetched for this call.',
  })
  robots?: RobotsOpinionDto;

  @ApiProperty({
    type: () => PageReadingDto,
    required: false,
    description: 'For a document: what a sink would receive.',
  })
  reading?: PageReadingDto;

  @ApiProperty({ type: () => [LinkDto] })
  links!: LinkDto[];

  @ApiProperty({
    type: () => PageRenderingDto,
    required: false,
    description: 'Present only if `render` was requested.',
  })
  rendering?: PageRenderingDto;
}

export const toPageViewDto = ({ links, reading, robots, rendering, ...view }: PageView): PageViewDto => ({
  ...view,
  robots: robots && toRobotsOpinionDto(robots),
  reading: reading && (structuredClone(reading) as PageReadingDto),
  links: links.map(toLinkDto),
  rendering: rendering && toPageRenderingDto(rendering),
});

export class RefusedSampleDto {
  @ApiProperty()
  url!: string;

  @ApiProperty({ description: 'The page that links to the URL.' })
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

export const toRefusedDto = (view: RefusedView): RefusedDto => ({
  reason: view.reason,
  host: view.hostKey,
  count: view.count,
  samples: view.samples.map(({ url, from, at }) => ({ url, from, at: toIsoTime(at) })),
});
