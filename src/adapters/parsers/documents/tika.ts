/** An Apache Tika server as an extractor: the response to `PUT /tika` is XHTML, which is read like a page. */

import type { ExtractorDefinition } from '../../../domain/crawl/fetcher-definition.js';
import { milliseconds } from '../../../domain/time/units.js';
import {
  type AsyncExtractor,
  type Extraction,
  type ExtractionContext,
  ExtractorUnavailable,
  type Refusal,
  type SyncExtractor,
} from '../../../engine/ports/content-extractor.js';

type TikaDefinition = Extract<ExtractorDefinition, { type: 'tika' }>;

/** Maximum bytes of a response. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Time for transferring the response, in addition to Tika's own time limit. */
const GRACE_MS = 5_000;

/** Tika's metas that have different names here. */
const FIELDS: Readonly<Record<string, string>> = {
  'dc:description': 'description',
  'dc:subject': 'subject',
  'meta:keyword': 'keywords',
  'dcterms:created': 'date_created',
  'dcterms:modified': 'date_modified',
  'xmptpg:npages': 'page_count',
  'meta:last-author': 'last_author',
  'extended-properties:application': 'generator',
  'extended-properties:company': 'company',
};

/** `html` reads the XHTML of Tika's responses. */
export function createTikaExtractor(definition: TikaDefinition, html: SyncExtractor): AsyncExtractor {
  const { url, mediaTypes, timeLimit } = definition;
  const target = new URL('tika', url.endsWith('/') ? url : `${url}/`).href;
  return {
    kind: 'async',
    name: 'tika',
    mediaTypes: mediaTypes.map((type) => (type.endsWith('/*') ? buildFamilyPattern(type) : type)),
    timeLimit: milliseconds(timeLimit + GRACE_MS),
    async extract(body, mediaType, context, signal) {
      const answer = await requestText(
        target,
        body,
        mediaType,
        AbortSignal.any([signal, AbortSignal.timeout(timeLimit)]),
      );
      return typeof answer === 'string' ? parseResponse(answer, context, html) : answer;
    },
  };
}

const buildFamilyPattern = (type: string): RegExp => new RegExp(`^${type.slice(0, -1).replace(/[.+]/g, '\\$&')}`);

/** Returns the XHTML, or the reason why there is none. Throws if the server cannot be reached. */
async function requestText(
  url: string,
  body: Uint8Array,
  mediaType: string,
  signal: AbortSignal,
): Promise<string | Refusal> {
  try {
    const headers = { 'content-type': mediaType, accept: 'text/html' };
    // The bytes are copied because they belong to the document, and a request may detach its buffer.
    const answer = await fetch(url, { method: 'PUT', headers, body: Uint8Array.from(body), signal, redirect: 'error' });
    if (answer.status === 200) return await readBoundedText(answer);
    await answer.body?.cancel();
    if (answer.status === 204) return '';
    if (answer.status === 415) return createRefusal('extract-unsupported', `Tika does not read ${mediaType}`);
    if (answer.status === 422)
      return createRefusal('extract-corrupt', 'Tika cannot read it: it is damaged or encrypted');
    throw new ExtractorUnavailable(`Tika at ${url} responded with ${answer.status}`);
  } catch (error) {
    if (error instanceof ExtractorUnavailable || isRefusal(error)) throw error;
    if (signal.aborted) return createRefusal('extract-timeout', 'Tika took too long');
    const { cause, message } = error as Error;
    throw new ExtractorUnavailable(
      `Tika at ${url} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

const isRefusal = (error: unknown): boolean => typeof error === 'object' && error !== null && 'refused' in error;
const createRefusal = (refused: Refusal['refused'], detail: string): Refusal => ({ refused, detail });

async function readBoundedText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of answer.body!) {
    bytes += piece.byteLength;
    // Beyond the limit, only the pieces before this one are kept.
    if (bytes > MOST_BYTES) break;
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}

function parseResponse(xhtml: string, context: ExtractionContext, html: SyncExtractor): Extraction | Refusal {
  const page = html.extract(Buffer.from(xhtml), 'text/html', { ...context, contentType: 'text/html; charset=utf-8' });
  if ('refused' in page) return page;
  const findMeta = (name: string): string | undefined => page.metas.find((meta) => meta.name === name)?.value;
  const author = findMeta('dc:creator') ?? findMeta('meta:author') ?? findMeta('author');
  return {
    ...page,
    encoding: undefined,
    base: undefined,
    title: page.title || (findMeta('dc:title') ?? ''),
    language: findMeta('dc:language') ?? page.language,
    metas: author === undefined ? [] : [{ name: 'author', value: author }],
    fields: page.metas.flatMap(({ name, value }) => (FIELDS[name] ? [{ name: FIELDS[name], value }] : [])),
    robotsMetas: [],
  };
}
