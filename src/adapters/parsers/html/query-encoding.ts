/**
 * Encodes the queries of links on pages in a legacy encoding. Browsers send queries in the page's encoding (URL
 * standard, query state), which is what the server understands; paths are UTF-8 on every page.
 */
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';
import type { RawLink } from '../../../engine/ports/page-reader.js';

/** The special-query percent-encode set of the URL standard. */
const ESCAPED_CHARACTERS = ' "#\'<>';
/** Maximum number of characters that are encoded per page: each takes microseconds, and a page may contain millions. */
const MAX_ENCODED_LENGTH = 1_000_000;
const UNICODE_ENCODING = /^utf-/;

/** Returns the links with their queries percent-encoded to ASCII, if the page is not in a Unicode encoding. */
export function encodeQueries(links: readonly RawLink[], encoding: string): readonly RawLink[] {
  if (UNICODE_ENCODING.test(encoding)) return links;
  let remaining = MAX_ENCODED_LENGTH;
  return links.map((link) => {
    const href = remaining > 0 ? encodeQuery(link.href, encoding) : link.href;
    if (href === link.href) return link;
    remaining -= href.length;
    return { ...link, href };
  });
}

function encodeQuery(href: string, encoding: string): string {
  const start = href.indexOf('?') + 1;
  const hash = href.indexOf('#');
  if (start === 0 || (hash >= 0 && hash < start) || /^[\x00-\x7f]*$/.test(href)) return href;
  const end = hash < 0 ? href.length : hash;
  const query = href.slice(start, end).replace(/[\t\n\r]/g, '');
  return href.slice(0, start) + percentEncodeAfterEncoding(encoding, query, ESCAPED_CHARACTERS) + href.slice(end);
}
