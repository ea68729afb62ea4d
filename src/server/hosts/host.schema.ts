import { PAUSE_CAUSES } from '../../domain/politeness/server-pace.js';
import type { Instant } from '../../domain/time/units.js';
import type { RenderPatternView } from '../../engine/crawl/visit/rendered-visits.js';
import type { FolderStep } from '../../engine/ports/frontier-store.js';
import type { HostRobots, HostView } from '../../engine/views/host-views.js';
import { encodeCursor } from '../http/paging.js';
import {
  boolean,
  counts,
  integer,
  listOf,
  number,
  one,
  oneOf,
  schema,
  seconds,
  share,
  text,
  time,
  timeAhead,
} from '../http/schema.js';
import { urlStateSchema } from '../urls/url-state.schema.js';

export const PAUSE_CAUSE_MEANING =
  'What determined it: `crawler` (or a condition), `schedule`, `robots` (Crawl-delay), `slow-responses` or `server-errors` of the host, `reading` (a page took long to read here), `rendering` (a page made many requests of its own).';

const hostRobotsSchema = schema<HostRobots>()('HostRobots', {
  state: oneOf(
    ['rules', 'absent', 'unreachable'],
    'State of robots.txt. `rules`: its rules are in force; `absent`: everything is allowed because the host has no such file; `unreachable`: nothing is fetched until the file can be read.',
  ),
  fetchedAt: time(),
  status: text('200', 'Result of the last fetch of robots.txt. If it failed, the previous version stays in force.'),
  text: text('User-agent: *\nDisallow: /private\n', 'Content of robots.txt as fetched.'),
});

const needRenderingSchema = schema<NonNullable<HostView['needRendering']>>()('NeedRendering', {
  documents: integer(12),
  sample: text('https://www.example.com/docs/start.html', 'URL of one of these documents.').optional(),
});

export const hostSchema = schema<HostView & { readonly pausedUntil?: Instant }>()('Host', {
  host: text('www.example.com', 'Host name, with the port when it is not the default.').from('hostKey'),
  urls: integer(12, 'Stored URLs.'),
  indexed: integer(42, 'Number of documents in the index.'),
  errors: integer(3, 'URLs in error.'),
  queued: integer(12, 'Queued URLs, whether or not they are due.'),
  nextRequestAt: timeAhead('Because of the crawl delay, no request is made before this time.')
    .optional()
    .by(({ nextRequestAt, paused }: HostView) => (paused ? undefined : nextRequestAt)),
  backOffUntil: timeAhead(
    'No request is made before this time, because the host asked crawlers to slow down or did not respond.',
  )
    .optional()
    .by(({ backOffUntil }: HostView) => backOffUntil || undefined),
  crawlDelaySeconds: seconds(2.5, 'The pause after the last request.').optional().from('crawlDelay'),
  pauseCause: oneOf(PAUSE_CAUSES, PAUSE_CAUSE_MEANING).optional(),
  visitPriceSeconds: seconds(
    0.5,
    'How much time one page must gain in freshness for a refresh visit to be worthwhile; it rises while the host cannot serve all the visits that its pages need.',
  )
    .optional()
    .by(({ visitPrice }: HostView) => visitPrice || undefined),
  robots: one(hostRobotsSchema).optional(),
  paused: boolean('Whether an operator has paused the host.'),
  pausedUntil: timeAhead('When the pause ends by itself; absent if somebody has to end it.').optional(),
  successShare: share(0.5, 'Share of the remembered visits that succeeded.').optional(),
  errorClasses: counts({ 'http-404': 3 }, 'Failed visits by error code.'),
  averageLatencySeconds: seconds(0.5).optional().from('averageLatency'),
  slowPages: integer(
    3,
    'Pages since the server started that took longer than a second to read; each one delays the next request to the host.',
  ).optional(),
  shortTexts: counts(
    { 'no-text-layer': 12 },
    'Documents in the index with less text than they show, by reason (`no-text-layer`, `text-by-ocr`, `text-incomplete`, `text-cut`); counted like those of `needRendering`.',
  ).optional(),
  needRendering: one(
    needRenderingSchema,
    'Documents in the index that lack the content that their scripts would create (reason `needs-rendering`); counted once a minute, only when a single host is requested.',
  ).optional(),
});

const renderPatternSchema = schema<RenderPatternView>()('RenderPattern', {
  pattern: text('/product/N', 'Path with its numbers as `N` and its query as `?`, or a folder with `*`.'),
  learned: oneOf(
    ['browser', 'plain', 'trying'],
    'What was learned. `browser`: rendering yields more content; `plain`: it does not; `trying`: too few pages were rendered to tell.',
  ).from('choice'),
  render: oneOf(['always', 'never', 'auto'], '`auto`: as learned. Otherwise, an operator has chosen the mode.').by(
    ({ override }: RenderPatternView) => override ?? 'auto',
  ),
  rendered: integer(7, 'Pages rendered since the start of the process.').from('samples'),
  worthwhile: number(0.9, 'Share of the recently rendered pages for which rendering yielded more content, 0 to 1.').by(
    ({ worthwhile }: RenderPatternView) => Math.round(worthwhile * 100) / 100,
  ),
  seconds: seconds(0.5, 'Mean time in seconds to render a page, over the recently rendered pages.').from('time'),
  failures: integer(0, 'Pages that could not be rendered.'),
});

export const hostRenderingSchema = schema<{ readonly patterns: readonly RenderPatternView[] }>()('HostRendering', {
  patterns: listOf(renderPatternSchema, 'Patterns with the most rendered pages first, 500 at most.'),
});

const subfolderSchema = schema<FolderStep['folders'][number]>()('Subfolder', {
  name: text('docs/', 'Name with a slash at the end; for the topmost folder, the origin.'),
  urls: integer(12, 'URLs anywhere in the folder.'),
});

export const folderSchema = schema<FolderStep>()('Folder', {
  folders: listOf(subfolderSchema, 'The subfolders; if there are very many, the first that were found.'),
  others: integer(3, 'URLs in folders beyond those listed.'),
  urls: integer(12, 'URLs in the folder itself.'),
  sample: listOf(urlStateSchema, 'The first URLs directly in the folder, without those in subfolders.'),
  next: text('bGFzdA', 'Cursor of the next step; null after the last one.')
    .nullable()
    .by(({ next }: FolderStep) => (next === undefined ? null : encodeCursor(next))),
  searched: share(0.5, 'Share of the search that has been completed.'),
});
