/**
 * Queries of links on pages in an old encoding. Browsers send them in the encoding of the page (URL standard, query state), and
 * that is what the server understands; paths are UTF-8 on every page.
 */
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';
import type { RawLink } from '../../../engine/ports/page-reader.js';

/** The special-query percent-encode set of the URL standard. */
const ESCAPED = ' "#\'<>';
/** Characters of one page: encoding takes microseconds for each, and a page may hold millions. */
const MOST_ENCODED = 1_000_000;
const UNICODE = /^utf-/;

/** The links with their queries as ASCII, if a page that is not Unicode writes them with other characters. */
export function encodeQueries(links: readonly RawLink[], encoding: string): readonly RawLink[] {
  if (UNICODE.test(encoding)) return links;
  let room = MOST_ENCODED;
  return links.map((link) => {
    const href = room > 0 ? encodeQuery(link.href, encoding) : link.href;
    if (href === link.href) return link;
    room -= href.length;
    return { ...link, href };
  });
}

function encodeQuery(href: string, encoding: string): string {
  const start = href.indexOf('?') + 1;
  const hash = href.indexOf('#');
  if (start === 0 || (hash >= 0 && hash < start) || /^[\x00-\x7f]*$/.test(href)) return href;
  const end = hash < 0 ? href.length : hash;
  const query = href.slice(start, end).replace(/[\t\n\r]/g, '');
  return href.slice(0, start) + percentEncodeAfterEncoding(encoding, query, ESCAPED) + href.slice(end);
}
