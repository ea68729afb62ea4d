/**
 * The steps that turn a page that was read into a document, in this order. A step adds to the draft or changes it. To
 * add one, see docs/architecture.md, "Seams".
 */
import { ACL_ALLOW, ACL_DENY, type AclReader } from '../../domain/content/acl.js';
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import { isPage } from '../../domain/content/document-types.js';
import type { FieldReader } from '../../domain/content/fields.js';
import { toTypedMeta } from '../../domain/content/meta-types.js';
import { createDeliveredMetas } from '../../domain/content/page-metas.js';
import { FULL_TITLE, findTitle, TITLE_SOURCE } from '../../domain/content/page-title.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { Effects } from '../../domain/policy/verdict.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import { formatIsoTime, parseHttpDate } from '../../domain/time/http-date.js';
import { after, type Duration, type Instant, minutes } from '../../domain/time/units.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import { decodePercent } from '../../domain/url/decode-percent.js';
import type { FileFacts } from '../ports/page-content.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageTask } from '../ports/page-task.js';
import { parseFileName } from './header-parameters.js';

export interface FetchedPage {
  readonly url: CrawlUrl;
  readonly task: PageTask;
  readonly effects: Effects;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly mediaType: string;
  readonly content: PageContent;
  /** True if robots directives contain noarchive; the sink is informed and decides what to do. */
  readonly noArchive: boolean;
  /** What the site says about the use of the page. */
  readonly terms: readonly Meta[];
  readonly textOnly: boolean;
  readonly wantsText: boolean;
  readonly wantsBytes: boolean;
  /** What is extracted from the page, if that is configured. */
  readonly contentDefinition?: ContentDefinition;
  readonly readFields?: FieldReader;
  /** Determines who may see the page, if that is configured. */
  readonly readAcl?: AclReader;
  /** The base of relative URLs on the page. */
  readonly base: string;
  /** True if the hash covers what is delivered, so that a change elsewhere in the page is ignored. */
  readonly hashesContent: boolean;
  /** Whether the page's scripts have run; undefined if the crawler renders nothing. */
  readonly rendered?: boolean;
  /** Set if this is a file within the document that was fetched. */
  readonly file?: FileFacts;
  /** The metas that say who may see a part of a page: those of the page. Absent if it is no part. */
  readonly accessMetas?: PageContent['metas'];
  /** Set if the document was reached by a redirect from this URL and the crawler indexes redirect sources. */
  readonly redirectSource?: string;
}

/** A document that is being built. */
export interface DocumentDraft {
  /** Metas that belong to the content: a change to one of them is a change to the document. */
  readonly contentMetas: Meta[];
  /** Metas from the page's head; a meta of the same name in `contentMetas` takes precedence. */
  readonly headMetas: Meta[];
  /** Metas that concern this visit only. */
  readonly visitMetas: Meta[];
  master: PushDocument['master'];
  /** The text that sinks index; empty if none of them needs text. */
  text: string;
  /** Text from a plug-in: a change to it is a change to the document. */
  givenText?: string;
  /** Whether that text differs from the page's, so that nothing may be delivered that was derived from the page's. */
  hasOtherText?: boolean;
  /** Whether the page's bytes are delivered all the same. */
  keepsBytes?: boolean;
}

interface StepFacts {
  /** The name used in messages. */
  readonly name: string;
}

interface SyncStep extends StepFacts {
  readonly kind: 'sync';
  run(draft: DocumentDraft, page: FetchedPage): void;
}

/**
 * If the step does not end within `timeLimit`, or rejects, the visit gets the error `failure`, and the document stays
 * as it was.
 */
export interface AsyncStep extends StepFacts {
  readonly kind: 'async';
  readonly timeLimit: Duration;
  readonly failure: ErrorCode;
  /** Gives up when the signal aborts; changes to the draft after that are ignored. */
  run(draft: DocumentDraft, page: FetchedPage, signal: AbortSignal): Promise<void>;
}

export type DocumentStep = SyncStep | AsyncStep;

const createStep = (name: string, run: SyncStep['run']): SyncStep => ({ kind: 'sync', name, run });

/** The names of the metas are listed in docs/reference.md. */
export const BUILT_IN_STEPS: readonly DocumentStep[] = [
  createStep('address', ({ contentMetas }, { url }) => addMeta(contentMetas, 'publicUrl', url.href)),
  createStep('title', ({ contentMetas }, { content, url }) => {
    const { title, source, full } = findTitle(content, url.path);
    addMeta(contentMetas, 'title', title);
    addMeta(contentMetas, TITLE_SOURCE, source);
    addMeta(contentMetas, FULL_TITLE, full);
  }),
  createStep('last modified', ({ contentMetas }, { headers, task }) =>
    addMeta(contentMetas, 'lastmodifieddate', parseLastModified(headers['last-modified'], task.now)),
  ),
  createStep('language', ({ contentMetas }, { content }) => addMeta(contentMetas, 'language', content.language)),
  createStep('author', ({ contentMetas }, { content }) =>
    addMeta(
      contentMetas,
      'author',
      content.metas.find(({ name }) => name === 'author' || name === 'dc.creator')?.value,
    ),
  ),
  createStep('file', ({ contentMetas }, page) => {
    addMeta(contentMetas, 'file_name', toFileName(page, page.mediaType));
    // The size of a rendered page differs between visits even if its content is the same.
    if (!page.rendered) addMeta(contentMetas, 'file_size', String(page.file?.size ?? page.body.byteLength));
    addMeta(contentMetas, 'content_type', page.file?.mediaType ?? page.mediaType);
  }),
  createStep('content fields', ({ contentMetas }, { content }) => {
    for (const { name, value } of content.fields ?? []) addMeta(contentMetas, name, value);
  }),
  createStep('page metas', ({ headMetas }, { content, contentDefinition }) => {
    if (contentDefinition?.metas ?? true) headMetas.push(...createDeliveredMetas(content.metas, content.structured));
  }),
  createStep('configured fields', ({ contentMetas, headMetas }, page) =>
    addConfiguredFields(contentMetas, headMetas, page),
  ),
  createStep('access', ({ contentMetas, headMetas }, page) => addAccessMetas(contentMetas, headMetas, page)),
  createStep('source', ({ contentMetas }, { effects, task, contentDefinition }) => {
    if (!isFieldIn(contentMetas, 'source', contentDefinition))
      addMeta(contentMetas, 'source', effects.source ?? task.crawler);
  }),
  createStep('noarchive', ({ contentMetas }, { noArchive }) =>
    addMeta(contentMetas, 'noarchive', noArchive ? 'true' : undefined),
  ),
  createStep('terms of use', ({ contentMetas }, { terms }) => {
    for (const { name, value } of terms) addMeta(contentMetas, name, value);
  }),
  createStep('redirect source', ({ contentMetas }, { redirectSource }) =>
    addMeta(contentMetas, 'redirect_source', redirectSource),
  ),
  createStep('policy metas', ({ contentMetas }, page) => addPolicyMetas(contentMetas, page)),
  createStep('rendering', ({ visitMetas }, { rendered }) =>
    addMeta(visitMetas, 'render', rendered === undefined ? undefined : rendered ? 'browser' : 'plain'),
  ),
  createStep('visit', ({ visitMetas, contentMetas }, { task, status, contentDefinition }) => {
    if (!isFieldIn(contentMetas, 'crawl_time', contentDefinition))
      addMeta(visitMetas, 'crawl_time', formatIsoTime(task.now));
    if (!isFieldIn(contentMetas, 'http_status', contentDefinition)) addMeta(visitMetas, 'http_status', String(status));
  }),
  createStep('bytes or text', (draft, page) => {
    draft.master = deliversText(page) ? createTextPart(page) : createBytesPart(page);
    draft.text = page.wantsText || page.content.isCut ? getOwnText(page.content) : '';
  }),
];

function addMeta(metas: Meta[], name: string, value: string | undefined): void {
  if (value !== undefined && value !== '') metas.push(toTypedMeta(name, value));
}

/** Whether the page has this configured field: a later meta of the same name is then dropped. */
const isFieldIn = (
  contentMetas: readonly Meta[],
  field: string,
  contentDefinition: ContentDefinition | undefined,
): boolean =>
  (contentDefinition?.fields ?? []).some(({ name }) => name === field) &&
  contentMetas.some(({ name }) => name === field);

/** What is said about a title goes with it. */
const ABOUT_TITLE = [TITLE_SOURCE, FULL_TITLE];

/** A field takes precedence over other metas of the same name. */
function addConfiguredFields(
  contentMetas: Meta[],
  headMetas: Meta[],
  { readFields, url, base, content }: FetchedPage,
): void {
  const metas = readFields?.({ url, base, metas: content.metas, found: content.found }) ?? [];
  if (metas.length === 0) return;
  const names = new Set(metas.map(({ name }) => name));
  if (names.has('title')) for (const name of ABOUT_TITLE) names.add(name);
  for (const list of [contentMetas, headMetas]) {
    const remaining = list.filter(({ name }) => !names.has(name));
    list.splice(0, list.length, ...remaining);
  }
  contentMetas.push(...metas);
}

export const getAccessMetas = (content: PageContent): PageContent['metas'] => content.accessMetas ?? content.metas;

/** A page's own metas must not override what the configuration decides. */
function addAccessMetas(
  contentMetas: Meta[],
  headMetas: Meta[],
  { readAcl, url, headers, content, accessMetas = getAccessMetas(content) }: FetchedPage,
): void {
  if (!readAcl) return;
  for (const list of [contentMetas, headMetas]) {
    const remaining = list.filter(({ name }) => name !== ACL_ALLOW && name !== ACL_DENY);
    list.splice(0, list.length, ...remaining);
  }
  const { allow, deny } = readAcl({ href: url.href, headers, metas: accessMetas });
  for (const value of allow) contentMetas.push({ name: ACL_ALLOW, value });
  for (const value of deny) contentMetas.push({ name: ACL_DENY, value });
}

/** Metas that have a single value, which a configured meta replaces. */
const REPLACEABLE = new Set([
  'publicUrl',
  'title',
  'lastmodifieddate',
  'language',
  'author',
  'file_name',
  'file_size',
  'content_type',
  'source',
]);

/** The URL's own metas take precedence over those it inherited, and both over those of the page. */
function addPolicyMetas(contentMetas: Meta[], { task, effects }: FetchedPage): void {
  if (task.inheritedMetas.length + effects.metas.length === 0) return;
  const ownNames = new Set(effects.metas.map((meta) => meta.name));
  const inheritedMetas = task.inheritedMetas.filter(({ name, scope }) => scope === 'document' || !ownNames.has(name));
  const configuredMetas = [...inheritedMetas, ...effects.metas].map(({ name, value }) => ({ name, value }));
  const replacedNames = new Set(configuredMetas.map(({ name }) => name).filter((name) => REPLACEABLE.has(name)));
  if (replacedNames.has('title')) for (const name of ABOUT_TITLE) replacedNames.add(name);
  const remaining = contentMetas.filter(({ name }) => !replacedNames.has(name));
  contentMetas.splice(0, contentMetas.length, ...remaining, ...configuredMetas);
}

/** Whether the text is delivered instead of the bytes. A file without text, or whose text cannot be read, keeps them. */
export const deliversText = ({ textOnly, mediaType, content }: FetchedPage): boolean =>
  textOnly && (content.text !== '' || isPage(mediaType));

const NO_BYTES = new Uint8Array(0);

function createBytesPart(page: FetchedPage): PushDocument['master'] {
  return {
    bytes: page.wantsBytes ? page.body : NO_BYTES,
    mimeType: page.mediaType,
    encoding: page.content.encoding,
    fileName: toFileName(page, page.mediaType),
  };
}

const utf8 = new TextEncoder();

const getOwnText = ({ text, ownText }: PageContent): string => ownText ?? text;

/** A part that contains the text instead of the page's bytes. */
export function createTextPart(page: FetchedPage, text = getOwnText(page.content)): PushDocument['master'] {
  return {
    bytes: page.wantsBytes ? utf8.encode(text) : NO_BYTES,
    mimeType: 'text/plain',
    encoding: 'utf-8',
    fileName: toFileName(page, 'text/plain'),
  };
}

/** The file name that the server gives (Content-Disposition), or else the last segment of the path. */
function toFileName({ url, headers, file }: FetchedPage, mediaType: string): string {
  if (file) return file.name;
  const givenName = parseFileName(headers['content-disposition']);
  if (givenName !== undefined) return givenName;
  const lastSegment = url.path.slice(url.path.lastIndexOf('/') + 1);
  if (lastSegment !== '') return decodePercent(lastSegment);
  return mediaType === 'text/html' ? 'index.html' : 'index';
}

/** For clocks that differ from this machine's. */
const MAX_CLOCK_ERROR = minutes(5);
/**
 * The time that a file has if its own is not known begins the calendar of its system: 1601, 1970 or, at the latest, 1980.
 */
const END_OF_EPOCHS = parseHttpDate('Wed, 02 Jan 1980 00:00:00 GMT')!;

/** A page cannot have changed in the future, where it would come first in every list by date. */
function parseLastModified(header: string | undefined, now: Instant): string | undefined {
  if (!header) return undefined;
  const time = parseHttpDate(header);
  const isPossible = time !== undefined && time >= END_OF_EPOCHS && time <= after(now, MAX_CLOCK_ERROR);
  return isPossible ? formatIsoTime(time) : undefined;
}
