import { DISCOVERED_VIA, findCrawlSpaceStatus, URL_STATUSES, type UrlState } from '../../domain/crawl/url-state.js';
import { getSourceName, SOURCES } from '../../domain/frontier/sources.js';
import { boolean, integer, listOf, oneOf, schema, seconds, share, text, time, timeAhead, url } from '../http/schema.js';

export const urlStateSchema = schema<UrlState>()('UrlState', {
  id: integer(3),
  crawler: text('docs'),
  url: url('Canonical URL.'),
  host: text(
    'www.example.com',
    'Web server to which politeness applies: host name, with the port when it is not the default.',
  ).from('hostKey'),
  status: oneOf(URL_STATUSES),
  reason: text('http-404', 'Reason code or error code of the current status; `GET /reasons` explains it.'),
  source: oneOf(SOURCES, 'Absent if the URL is not queued.')
    .optional()
    .by(({ source }: UrlState) => (source === undefined ? undefined : getSourceName(source))),
  dueAt: timeAhead('The URL is not fetched before this time. Absent if it is not queued.')
    .optional()
    .by(({ source, dueAt }: UrlState) => (source === undefined ? undefined : dueAt)),
  hops: integer(2, 'Links from the root.'),
  redirects: integer(1, 'Length of the redirect chain that led to the URL.'),
  foundOn: url('The page on which the URL was first found.').optional(),
  root: text('https://www.example.com/', 'The root from which the URL was found.').optional(),
  discoveredVia: oneOf(DISCOVERED_VIA),
  firstSeenAt: time(),
  lastVisitAt: time().optional(),
  lastStatus: integer(
    200,
    'HTTP status of the last visit; 760 and 761 are the statuses of URLs that a crawl space excludes or leaves to another crawler.',
  )
    .optional()
    .by((state: UrlState) => findCrawlSpaceStatus(state) ?? state.lastStatus),
  temporaryErrors: integer(2, 'Number of consecutive temporary errors.'),
  visits: integer(2),
  changes: integer(2, 'Visits after the first that found the document changed.'),
  lastChangeAt: time().optional(),
  changeIntervalSeconds: seconds(86_400, 'Estimated mean time between two changes, from the visits so far.')
    .optional()
    .from('changeInterval'),
  etag: text('"5f2b"').optional(),
  lastModified: text('Mon, 02 Mar 2026 08:15:30 GMT', 'The value exactly as the site sent it.').optional(),
  indexed: boolean('Whether the sinks hold a document for this URL.').by(({ stamp }: UrlState) => stamp !== undefined),
  stamp: text('5f2b0c9d', 'Digest of the document that the sinks hold.').optional(),
  contentType: text('text/html').optional(),
  title: text('Start').optional(),
  pendingDeletion: text(
    'http-404',
    'Reason for a deletion that has been decided but not yet acknowledged, or why a change of the page is not believed.',
  ).optional(),
  parts: integer(2, 'Number of documents that were split off the page (cw:Split).')
    .optional()
    .by(({ parts }: UrlState) => parts?.length),
});

interface UrlPage {
  readonly items: readonly UrlState[];
  readonly next: string | null;
  readonly searched: number;
}

export const urlPageSchema = schema<UrlPage>()('UrlPage', {
  items: listOf(urlStateSchema),
  next: text('bGFzdA', 'Cursor of the following page; null when everything has been searched.').nullable(),
  searched: share(0.5, 'Share of the stored URLs searched so far, from 0 to 1.'),
});
