/** Uses an Apache Tika server as an extractor: the response to `PUT /tika` is XHTML, which is read like a page. */
import type { ExtractorDefinition } from '../../../domain/crawl/fetcher-definition.js';
import { readBounded } from '../../../domain/net/read-bounded.js';
import { milliseconds } from '../../../domain/time/units.js';
import { decodePercent } from '../../../domain/url/decode-percent.js';
import {
  type AsyncExtractor,
  type Extraction,
  type ExtractionContext,
  ExtractorUnavailable,
  type Refusal,
  type SyncExtractor,
} from '../../../engine/ports/content-extractor.js';

type TikaDefinition = Extract<ExtractorDefinition, { type: 'tika' }>;

/** Maximum size of a response in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
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
export function createTikaExtractor(definition: TikaDefinition, htmlExtractor: SyncExtractor): AsyncExtractor {
  const { url, mediaTypes, timeLimit } = definition;
  const target = new URL('tika', url.endsWith('/') ? url : `${url}/`);
  const login = [target.username, target.password].map(decodePercent).join(':');
  const headers = login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  target.username = target.password = '';
  return {
    kind: 'async',
    name: 'tika',
    mediaTypes: mediaTypes.map((type) => (type.endsWith('/*') ? buildFamilyPattern(type) : type)),
    timeLimit: milliseconds(timeLimit + GRACE_MS),
    async extract(body, mediaType, context, signal) {
      const result = await requestText(
        target.href,
        body,
        { ...headers, 'content-type': mediaType, accept: 'text/html' },
        AbortSignal.any([signal, AbortSignal.timeout(timeLimit)]),
      );
      return 'text' in result ? parseResponse(result, context, htmlExtractor) : result;
    },
  };
}

const buildFamilyPattern = (type: string): RegExp => new RegExp(`^${type.slice(0, -1).replace(/[.+]/g, '\\$&')}`);

/** Returns the XHTML, or the reason why there is none. Throws if the server cannot be reached. */
async function requestText(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<'content-type' | 'accept', string>>,
  signal: AbortSignal,
): Promise<BoundedText | Refusal> {
  try {
    // The bytes are copied because they belong to the document, and a request may detach its buffer.
    const response = await fetch(url, {
      method: 'PUT',
      headers,
      body: Uint8Array.from(body),
      signal,
      redirect: 'error',
    });
    if (response.status === 200) {
      const { bytes, truncated } = await readBounded(response.body, MAX_BYTES);
      return { text: new TextDecoder().decode(bytes), truncated };
    }
    await response.body?.cancel();
    if (response.status === 204) return { text: '', truncated: false };
    if (response.status === 415)
      return createRefusal('extract-unsupported', `Tika does not support ${headers['content-type']}`);
    if (response.status === 422)
      return createRefusal('extract-corrupt', 'Tika cannot read the document: it is damaged or encrypted');
    throw new ExtractorUnavailable(`Tika at ${url} responded with ${response.status}`);
  } catch (error) {
    if (error instanceof ExtractorUnavailable || isRefusedDocument(error)) throw error;
    if (signal.aborted) return createRefusal('extract-timeout', 'Tika exceeded the time limit');
    const { cause, message } = error as Error;
    throw new ExtractorUnavailable(
      `Tika at ${url} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

const isRefusedDocument = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'refused' in error;
const createRefusal = (refused: Refusal['refused'], detail: string): Refusal => ({ refused, detail });

interface BoundedText {
  readonly text: string;
  /** True if the response was longer than the limit, so that its end is missing. */
  readonly truncated: boolean;
}

function parseResponse(
  { text: xhtml, truncated }: BoundedText,
  context: ExtractionContext,
  htmlExtractor: SyncExtractor,
): Extraction | Refusal {
  const page = htmlExtractor.extract(Buffer.from(xhtml), 'text/html', {
    ...context,
    contentType: 'text/html; charset=utf-8',
  });
  if ('refused' in page) return page;
  const findMeta = (name: string): string | undefined => page.metas.find((meta) => meta.name === name)?.value;
  const author = findMeta('dc:creator') ?? findMeta('meta:author') ?? findMeta('author');
  return {
    ...page,
    truncated: page.truncated || truncated,
    encoding: undefined,
    base: undefined,
    title: page.title || (findMeta('dc:title') ?? ''),
    language: findMeta('dc:language') ?? page.language,
    metas: author === undefined ? [] : [{ name: 'author', value: author }],
    fields: page.metas.flatMap(({ name, value }) => (FIELDS[name] ? [{ name: FIELDS[name], value }] : [])),
    robotsMetas: [],
  };
}
