import type { Effects } from '../../domain/policy/verdict.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import { isoTime, parseHttpDate } from '../../domain/time/http-date.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageTask } from '../ports/page-task.js';

/** Gives a hexadecimal digest of the bytes and the text after them. */
export type Digest = (bytes: Uint8Array, text: string) => string;

export interface FetchedPage {
  readonly url: CrawlUrl;
  readonly task: PageTask;
  readonly effects: Effects;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly mediaType: string;
  readonly content: PageContent;
  /** robots said noarchive: the sink is told and decides. */
  readonly noArchive: boolean;
  readonly textOnly: boolean;
  readonly wantsText: boolean;
  /** The document was reached by a redirect from this URL, and the crawler indexes redirect sources. */
  readonly redirectSource?: string;
}

/** The document that a sink receives. Names of the metas: docs/REFERENCE.md. */
export function buildDocument(page: FetchedPage, digest: Digest): PushDocument {
  const lasting = lastingMetas(page);
  const facts = lasting.map((meta) => `${meta.name}\0${meta.value}`);
  // The same page is another document when its text stands for its bytes.
  const stamp = digest(page.body, [...facts, ...(page.textOnly ? ['text only'] : [])].join('\0'));
  const passing: Meta[] = [
    { name: 'crawl_time', value: isoTime(page.task.now) },
    { name: 'http_status', value: String(page.status) },
  ];
  return {
    uri: page.url.href,
    stamp,
    metas: [...lasting, ...passing],
    master: page.textOnly ? textPart(page) : bytesPart(page),
    text: page.wantsText ? page.content.text : '',
  };
}

/** Metas that belong to the content: a change of one of them is a change of the document. */
function lastingMetas(page: FetchedPage): Meta[] {
  const { content, headers } = page;
  const metas: Meta[] = [{ name: 'publicUrl', value: page.url.href }];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') metas.push({ name, value });
  };
  add('title', content.title);
  add('lastmodifieddate', lastModifiedDate(headers['last-modified']));
  add('language', content.language);
  add('author', content.metas.find((meta) => meta.name === 'author' || meta.name === 'dc.creator')?.value);
  add('file_name', fileName(page.url, page.mediaType));
  add('file_size', String(page.body.byteLength));
  add('content_type', page.mediaType);
  add('source', page.effects.source ?? page.task.crawler);
  if (page.noArchive) add('noarchive', 'true');
  add('redirect_source', page.redirectSource);
  const own = new Set(page.effects.metas.map((meta) => meta.name));
  for (const meta of page.task.inheritedMetas) if (!own.has(meta.name)) metas.push(meta);
  for (const meta of page.effects.metas) metas.push({ name: meta.name, value: meta.value });
  return metas;
}

function bytesPart(page: FetchedPage): PushDocument['master'] {
  return {
    bytes: page.body,
    mimeType: page.mediaType,
    encoding: page.content.encoding,
    fileName: fileName(page.url, page.mediaType),
  };
}

const utf8 = new TextEncoder();

function textPart(page: FetchedPage): PushDocument['master'] {
  return {
    bytes: utf8.encode(page.content.text),
    mimeType: 'text/plain',
    encoding: 'utf-8',
    fileName: fileName(page.url, 'text/plain'),
  };
}

function fileName(url: CrawlUrl, mediaType: string): string {
  const last = url.path.slice(url.path.lastIndexOf('/') + 1);
  if (last !== '') return safeDecode(last);
  return mediaType === 'text/html' ? 'index.html' : 'index';
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign is part of the name
  }
}

function lastModifiedDate(header: string | undefined): string | undefined {
  if (!header) return undefined;
  const time = parseHttpDate(header);
  return time === undefined ? undefined : isoTime(time);
}
