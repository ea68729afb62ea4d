import { ApiProperty } from '@nestjs/swagger';
import {
  DISCOVERED_VIA,
  type DiscoveredVia,
  findCrawlSpaceStatus,
  URL_STATUSES,
  type UrlState,
  type UrlStatus,
} from '../../domain/crawl/url-state.js';
import { getSourceName, SOURCES, type SourceName } from '../../domain/frontier/sources.js';
import { toDecimalSeconds, toIsoTime, toOptionalIsoTime } from '../http/time.js';

export class UrlStateDto {
  @ApiProperty({ type: 'integer' })
  id!: number;

  @ApiProperty()
  crawler!: string;

  @ApiProperty({ description: 'Canonical URL.' })
  url!: string;

  @ApiProperty({
    description: 'Web server to which politeness applies: host name, with the port when it is not the default.',
  })
  host!: string;

  @ApiProperty({ enum: URL_STATUSES })
  status!: UrlStatus;

  @ApiProperty({ description: 'Reason code or error code of the current status; `GET /reasons` explains it.' })
  reason!: string;

  @ApiProperty({ enum: SOURCES, required: false, description: 'Absent if the URL is not queued.' })
  source?: SourceName;

  @ApiProperty({
    format: 'date-time',
    required: false,
    description: 'The URL is not fetched before this time. Absent if it is not queued.',
  })
  dueAt?: string;

  @ApiProperty({ type: 'integer', description: 'Links from the root.' })
  hops!: number;

  @ApiProperty({ type: 'integer', description: 'Length of the redirect chain that led to the URL.' })
  redirects!: number;

  @ApiProperty({ required: false, description: 'The page on which the URL was first found.' })
  foundOn?: string;

  @ApiProperty({ required: false, description: 'The root from which the URL was found.' })
  root?: string;

  @ApiProperty({ enum: DISCOVERED_VIA })
  discoveredVia!: DiscoveredVia;

  @ApiProperty({ format: 'date-time' })
  firstSeenAt!: string;

  @ApiProperty({ format: 'date-time', required: false })
  lastVisitAt?: string;

  @ApiProperty({
    type: 'integer',
    required: false,
    description:
      'HTTP status of the last visit; 760 and 761 are the statuses of URLs that a crawl space excludes or leaves to another crawler.',
  })
  lastStatus?: number;

  @ApiProperty({ type: 'integer', description: 'Number of consecutive temporary errors.' })
  temporaryErrors!: number;

  @ApiProperty({ type: 'integer' })
  visits!: number;

  @ApiProperty({ type: 'integer', description: 'Visits after the first that found the document changed.' })
  changes!: number;

  @ApiProperty({ format: 'date-time', required: false })
  lastChangeAt?: string;

  @ApiProperty({
    required: false,
    description: 'Estimated mean time between two changes, from the visits so far.',
  })
  changeIntervalSeconds?: number;

  @ApiProperty({ required: false })
  etag?: string;

  @ApiProperty({ required: false, description: 'The value exactly as the site sent it.' })
  lastModified?: string;

  @ApiProperty({ description: 'Whether the sinks hold a document for this URL.' })
  indexed!: boolean;

  @ApiProperty({ required: false, description: 'Digest of the document that the sinks hold.' })
  stamp?: string;

  @ApiProperty({ required: false })
  contentType?: string;

  @ApiProperty({ required: false })
  title?: string;

  @ApiProperty({
    required: false,
    description: 'Reason for a deletion that has been decided but not yet acknowledged.',
  })
  pendingDeletion?: string;

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Number of documents that were split off the page (cw:Split).',
  })
  parts?: number;
}

export class UrlPageDto {
  @ApiProperty({ type: () => [UrlStateDto] })
  items!: UrlStateDto[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Cursor of the following page; null when everything has been searched.',
  })
  next!: string | null;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'Share of the stored URLs searched so far, from 0 to 1.' })
  searched!: number;
}

export const toUrlStateDto = (state: UrlState): UrlStateDto => ({
  id: state.id,
  crawler: state.crawler,
  url: state.url,
  host: state.hostKey,
  status: state.status,
  reason: state.reason,
  source: state.source === undefined ? undefined : getSourceName(state.source),
  dueAt: state.source === undefined ? undefined : toOptionalIsoTime(state.dueAt),
  hops: state.hops,
  redirects: state.redirects,
  foundOn: state.foundOn,
  root: state.root,
  discoveredVia: state.discoveredVia,
  firstSeenAt: toIsoTime(state.firstSeenAt),
  lastVisitAt: toOptionalIsoTime(state.lastVisitAt),
  lastStatus: findCrawlSpaceStatus(state) ?? state.lastStatus,
  temporaryErrors: state.temporaryErrors,
  visits: state.visits,
  changes: state.changes,
  lastChangeAt: toOptionalIsoTime(state.lastChangeAt),
  changeIntervalSeconds: toDecimalSeconds(state.changeInterval),
  etag: state.etag,
  lastModified: state.lastModified,
  indexed: state.stamp !== undefined,
  stamp: state.stamp,
  contentType: state.contentType,
  title: state.title,
  pendingDeletion: state.pendingDeletion,
  parts: state.parts?.length,
});
