import type { Chunk, Heading } from '../../domain/content/content-definition.js';
import type { Problem } from '../../domain/crawl/place.js';
import type { Meta } from '../../domain/push/order.js';
import type { ContentLook } from '../../engine/ports/page-content.js';
import type { PageReading, ReadPart } from '../../engine/ports/page-task.js';
import type { ContentTrial, PageView, RenderingComparison, RenderingView } from '../../engine/views/url-views.js';
import { configurationProblemSchema } from '../configuration/configuration-problem.schema.js';
import {
  boolean,
  counts,
  integer,
  list,
  listOf,
  one,
  schema,
  seconds,
  share,
  text,
  time,
  url,
} from '../http/schema.js';
import { robotsOpinionSchema } from './explanation.schema.js';
import { linkSchema } from './url-history.schema.js';

const TEXT = text('Read this first.');

const readMetaSchema = schema<Meta>()('ReadMeta', { name: text('department'), value: text('Sales') });
const METAS = listOf(readMetaSchema, 'Metas and fields; names may repeat.');

const readHeadingSchema = schema<Heading>()('ReadHeading', {
  level: integer(1),
  text: TEXT,
  start: integer(3, 'Offset in the text, in UTF-16 units.'),
  anchor: text('start', 'The fragment that leads to it.').optional(),
});

const readChunkSchema = schema<Chunk>()('ReadChunk', {
  id: text('9b1f0c', 'The same as long as URI, text and headings above it are.').optional(),
  anchor: text('start', 'The fragment that leads to its section.').optional(),
  text: TEXT,
  path: list(text('Start'), 'The headings above the chunk.'),
  start: integer(3),
  end: integer(42),
});

const markedTextSchema = schema<ContentLook['marked'][number]>()('MarkedText', {
  text: TEXT,
  cut: boolean('Whether the text is excluded from the content.'),
});

const selectorMatchesSchema = schema<ContentLook['matches']>()('SelectorMatches', {
  include: list(integer(1), 'Number of elements for each `Include`, in order.'),
  exclude: list(integer(0), 'Number of elements for each `Exclude`, in order.'),
});

const contentLookSchema = schema<ContentLook>()('ContentLook', {
  marked: listOf(markedTextSchema, 'The text of the whole page, in document order; up to 200,000 characters.'),
  matches: one(selectorMatchesSchema, 'Number of elements that the selectors find.'),
});

const readPartSchema = schema<ReadPart>()('ReadPart', {
  uri: text('http://www.example.com/faq#delivery'),
  metas: METAS,
  text: text('Read this first.', 'Up to 200,000 characters in all parts together.'),
});

const pageReadingSchema = schema<PageReading>()('PageReading', {
  text: text('Read this first.', 'The text that is extracted as content, up to 200,000 characters.'),
  textLength: integer(42, 'Length of the whole text, in UTF-16 units.'),
  language: text('en').optional(),
  metas: METAS,
  cut: list(text('Cookie notice'), 'Passages that the configuration or the page itself excludes.'),
  mainShare: share(
    0.8,
    'Share of the text outside links that the main content has. Absent unless `main` is true.',
  ).optional(),
  look: one(
    contentLookSchema,
    'The whole text, with the excluded passages marked. Absent unless the configuration requires a tree of the page, for example for selectors.',
  ).optional(),
  headings: listOf(readHeadingSchema).optional(),
  markdown: text('# Start').optional(),
  chunks: listOf(readChunkSchema).optional(),
  parts: listOf(readPartSchema, 'Documents that `cw:Split` splits off the page, at most 500.').optional(),
});

const sentPageSchema = schema<RenderingComparison['sent']>()('SentPage', {
  title: text('Start'),
  text: text('Read this first.', 'The first 200,000 characters of the text.'),
  textLength: integer(42),
  links: integer(7, 'Number of distinct links.'),
});

const renderingComparisonSchema = schema<RenderingComparison>()('RenderingComparison', {
  sent: one(sentPageSchema, 'What the page contains without its scripts.'),
  added: list(
    text('A sentence that a script has added.'),
    'Sentences and lines that only the rendered page has; 1,000 at most.',
  ),
  lost: list(
    text('Please turn on JavaScript.'),
    'Sentences and lines that appear only in the page as sent (at most 1,000).',
  ),
  lostLinks: list(
    text('https://www.example.com/b.html'),
    'Links that are on the page as sent but not on the rendered page; 200 at most.',
  ),
});

const renderingFailureSchema = schema<NonNullable<RenderingView['failure']>>()('RenderingFailure', {
  code: text('render-crash', 'Reason code.'),
  detail: text('the browser has crashed'),
});

const pageRenderingSchema = schema<RenderingView>()('PageRendering', {
  seconds: seconds(0.5).from('time'),
  requests: integer(7, 'Requests that the page made for scripts, data and frames.'),
  refused: counts({}, 'Requests that were not made, by reason.'),
  readiness: text('quiet', 'What ended the wait for the scripts: `quiet`, `condition` or `time limit`.').optional(),
  failure: one(
    renderingFailureSchema,
    'Why the page could not be rendered; the response then shows the page as it was sent.',
  ).optional(),
  comparison: one(renderingComparisonSchema, 'Absent if the page was not rendered.').optional(),
  picture: text('/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==', 'Picture of the page, without its images: JPEG in base64.', {
    format: 'byte',
  }).optional(),
});

export const pageViewSchema = schema<PageView>()('PageView', {
  url: url(),
  outcome: text('document', '`document`, `redirect` or an error code.'),
  status: integer(200).optional(),
  title: text('Start').optional(),
  detail: text('the server responded with 404').optional(),
  target: text('https://www.example.com/docs/', 'Target of the redirect.').optional(),
  robots: one(robotsOpinionSchema, 'What robots.txt says about the URL, if it was fetched for this call.').optional(),
  reading: one(pageReadingSchema, 'For a document: what a sink would receive.').optional(),
  links: listOf(linkSchema),
  rendering: one(pageRenderingSchema, 'Present only if `render` was requested.').optional(),
});

const { outcome, status, title, detail, target } = pageViewSchema.fields;

export const contentTrialSchema = schema<ContentTrial & { readonly problems: readonly Problem[] }>()('ContentTrial', {
  url: url(),
  outcome,
  status,
  title,
  detail,
  target,
  fetchedAt: time('When the page was fetched. Absent if there was no document.').optional(),
  content: text(
    'forum',
    'Name of the `cw:Content` that is in force for the URL; empty for the one without a name. Absent if none is in force.',
  ).optional(),
  problems: listOf(configurationProblemSchema, 'Problems in the element, with their places in its text.'),
  reading: one(pageReadingSchema, 'Absent if the element has errors.').optional(),
});
