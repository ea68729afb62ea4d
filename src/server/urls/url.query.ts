import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { URL_STATUSES, type UrlStatus } from '../../domain/crawl/url-state.js';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { SOURCES, type SourceName } from '../../domain/frontier/sources.js';
import { REASONS } from '../../domain/policy/reasons.js';
import { toLikePattern } from '../../domain/url/like-pattern.js';
import { IfGiven, IsFlag, IsOneOf, IsText, IsTimestamp } from '../http/fields.js';
import { MAX_LIKE, MAX_URL } from '../http/limits.js';
import { PageQuery } from '../http/paging.js';

/** OmniFind's statuses for URLs outside the crawl space. */
export const CRAWL_SPACE_STATUSES = ['760', '761'] as const;

const REASON_CODES = [...Object.keys(REASONS), ...Object.keys(ERROR_CODES)];

export class UrlQuery {
  @IsText({
    minLength: 1,
    maxLength: MAX_URL,
    description: 'Absolute URL; it is canonicalized like the URLs of the crawler.',
    example: 'https://www.example.com/docs/start.html',
  })
  url!: string;
}

export class PageViewQuery extends UrlQuery {
  @IsFlag({
    description:
      'Run the scripts of the page in the browser, even if the crawler does not render such pages; `rendering` says what the scripts change.',
  })
  render?: boolean;
}

export class ExplainQuery extends UrlQuery {
  @IsText({
    required: false,
    maxLength: MAX_URL,
    description: 'The page that links to the URL. Absent: the URL is judged as a root.',
  })
  from?: string;
}

/** Conditions on the stored URLs of a crawler. */
export class UrlFilterQuery {
  @IsOneOf([...URL_STATUSES, ...CRAWL_SPACE_STATUSES], {
    required: false,
    description:
      'A status; or `760` for URLs that a crawl space excludes, `761` for those that it leaves to another crawler.',
  })
  status?: UrlStatus | (typeof CRAWL_SPACE_STATUSES)[number];

  @IsText({
    required: false,
    description: 'Web server, as in the field `host` of a stored URL.',
    example: 'www.example.com',
    maxLength: 300,
  })
  host?: string;

  @IsOneOf(SOURCES, { required: false })
  source?: SourceName;

  @IsText({
    required: false,
    maxLength: MAX_URL,
    description: 'Beginning of the URL.',
    example: 'https://www.example.com/',
  })
  prefix?: string;

  @Transform(({ value }) => (typeof value === 'string' ? toLikePattern(value) : value))
  @IsText({
    required: false,
    maxLength: MAX_LIKE,
    description:
      'SQL LIKE pattern for the whole URL: `%` stands for any characters, `_` for one character. Without a `%`, asterisks are wildcards.',
    example: 'https://www.example.com/docs/%',
  })
  like?: string;

  @ApiProperty({
    required: false,
    enum: REASON_CODES,
    enumName: 'ReasonCode',
    description: 'Reason code or error code.',
    example: 'http-404',
  })
  @IfGiven()
  @IsIn(REASON_CODES, { message: 'reason must be a code that GET /api/v1/reasons lists' })
  reason?: string;

  @IsFlag({ description: '`true`: only URLs whose document the sinks hold; `false`: only the others.' })
  indexed?: boolean;

  @IsTimestamp({
    required: false,
    description: 'Only URLs that were last visited before this time.',
    example: '2026-03-09T08:15:30.000Z',
  })
  visitedBefore?: string;

  @IsTimestamp({
    required: false,
    description: 'Only URLs that were visited at this time or later.',
    example: '2026-03-02T08:15:30.000Z',
  })
  visitedSince?: string;
}

/** Keys by which a list of stored URLs can be sorted if it is short enough. */
export const SORTS = ['url', 'status', 'lastVisitAt', 'dueAt', 'firstSeenAt', 'hops', 'visits', 'changes'] as const;

export class UrlsQuery extends IntersectionType(UrlFilterQuery, PageQuery) {
  @IsOneOf(SORTS, {
    required: false,
    description:
      'Sort order of the list, for filters that match at most 10,000 URLs; what the crawl changes meanwhile may be missing between two pages, or be in both. Absent: the order of the store.',
  })
  sort?: (typeof SORTS)[number];

  @IsOneOf(['ascending', 'descending'], { required: false, default: 'ascending' })
  direction?: 'ascending' | 'descending';
}

export class ClearQuery extends UrlFilterQuery {
  @IsFlag({
    description:
      'Confirm the deletion. Without this, nothing is deleted, and the response says how many URLs would be.',
  })
  confirm?: boolean;
}

export class RefreshDto extends UrlFilterQuery {
  @IsText({
    minLength: 1,
    required: false,
    maxLength: MAX_URL,
    description: 'One stored URL.',
    example: 'https://www.example.com/docs/start.html',
  })
  url?: string;
}
