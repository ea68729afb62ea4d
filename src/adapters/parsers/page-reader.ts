/** The `PageReader` of the engine: from bytes to links, metas and text, whatever the bytes are. */
import type { PageContent, PageReader, ReadLimits, SitemapContent } from '../../engine/ports/page-reader.js';
import { charsetOf, findEncoding, toUtf8 } from './charset.js';
import { gunzipBounded, isGzip } from './gunzip.js';
import { HtmlScanner } from './html/html-scanner.js';
import { withEncodedQueries } from './html/query-encoding.js';
import { TextBuffer } from './html/text-buffer.js';
import { languageOf } from './language.js';
import { SAMPLE_BYTES } from './language-detection.js';
import { mediaTypeOf } from './media-type.js';
import { readSitemapText } from './sitemap.js';
import { readXml } from './xml-reader.js';

/** The most that sitemaps.org allows. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;

const NOTHING: PageContent = { title: '', text: '', links: [], metas: [], robotsMetas: [], truncated: false };

const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml']);
const XML_TYPE = /^(?:text|application)\/xml$|\+xml$/;
const TEXT_TYPE =
  /^text\/(?!rtf$)|^application\/(?:json|javascript|x-javascript|x-ndjson|yaml|x-yaml|toml|sql)$|\+json$/;

/** One reader is for one thread: it keeps its working memory from page to page. */
export function createPageReader(): PageReader {
  const reader = new BodyReader();
  return {
    mediaType: mediaTypeOf,
    read: (body, contentType, limits) => reader.read(asBuffer(body), contentType, limits),
    readSitemap: (body, contentType, maxEntries) => readSitemapBody(asBuffer(body), contentType, maxEntries),
  };
}

class BodyReader {
  private readonly buffer = new TextBuffer();

  read(body: Buffer, contentType: string | undefined, limits: ReadLimits): PageContent {
    const mediaType = mediaTypeOf(body, contentType, '');
    const charset = charsetOf(contentType);
    if (HTML_TYPES.has(mediaType)) return this.html(body, charset, { ...limits, xml: mediaType !== 'text/html' });
    if (XML_TYPE.test(mediaType)) return this.xml(body, charset, limits);
    return TEXT_TYPE.test(mediaType) ? this.text(body, charset, limits) : NOTHING;
  }

  private html(
    body: Buffer,
    charset: string | undefined,
    options: ReadLimits & { readonly xml: boolean },
  ): PageContent {
    const encoding = findEncoding(body, charset, 'html');
    const { facts, title } = new HtmlScanner(toUtf8(body, encoding), this.buffer, options).scan();
    const language = languageOf([facts.lang, facts.contentLanguage], () => this.buffer.middle(SAMPLE_BYTES));
    const { text, truncated } = this.buffer.finish(options.maxTextLength);
    const { metas, robotsMetas, base } = facts;
    const links = withEncodedQueries(facts.links, encoding);
    return {
      encoding,
      title,
      text,
      language,
      base,
      links,
      metas,
      robotsMetas,
      truncated: truncated || facts.truncated,
    };
  }

  private xml(body: Buffer, charset: string | undefined, limits: ReadLimits): PageContent {
    const encoding = findEncoding(body, charset, 'xml');
    const utf8 = toUtf8(body, encoding);
    const buffer = this.buffer;
    buffer.begin(utf8.length);
    readXml(utf8.toString('utf8'), {
      open: () => buffer.separate(),
      attribute() {},
      opened() {},
      close: () => buffer.separate(),
      text: (piece) => buffer.append(piece),
      done: () => false,
    });
    return this.textOnly(encoding, limits);
  }

  private text(body: Buffer, charset: string | undefined, limits: ReadLimits): PageContent {
    const encoding = findEncoding(body, charset, 'text');
    const utf8 = toUtf8(body, encoding);
    this.buffer.begin(utf8.length);
    this.buffer.append(utf8);
    return this.textOnly(encoding, limits);
  }

  private textOnly(encoding: string, limits: ReadLimits): PageContent {
    const language = languageOf([], () => this.buffer.middle(SAMPLE_BYTES));
    const { text, truncated } = this.buffer.finish(limits.maxTextLength);
    return { ...NOTHING, encoding, text, language, truncated };
  }
}

function readSitemapBody(
  body: Buffer,
  contentType: string | undefined,
  maxEntries: number,
): SitemapContent | undefined {
  const unpacked = isGzip(body) ? gunzipBounded(body, MAX_SITEMAP_BYTES) : { data: body, whole: true };
  const data = unpacked.data.subarray(0, MAX_SITEMAP_BYTES);
  const encoding = findEncoding(data, charsetOf(contentType), 'xml');
  const content = readSitemapText(toUtf8(data, encoding).toString('utf8'), maxEntries);
  const whole = unpacked.whole && data.length === unpacked.data.length;
  return content === undefined || whole ? content : { ...content, truncated: true };
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
