import { isDecidedByRules, replacePrincipals } from '../../domain/content/acl.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { PushDocument } from '../../domain/push/order.js';
import { UNKNOWN_STAMP } from '../crawl/outcome/in-doubt-deliveries.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import type { CrawlContext } from '../page/crawl-context.js';

interface IndexedDocument {
  /** With the principals that the current rules assign. */
  readonly document: PushDocument;
  /** True if the principals differ from those with which the document was delivered. */
  readonly hasNewPrincipals: boolean;
}

/**
 * Reads a URL's document back from a sink, to be delivered again without a visit. Returns undefined if the sink does
 * not have it, or has a version other than the indexed one.
 * @throws SinkUnavailable
 */
export async function findIndexedDocument(
  kept: Pick<KeptDocuments, 'find'>,
  from: string | undefined,
  { crawler, url, stamp, parts }: UrlState,
  context: CrawlContext,
): Promise<IndexedDocument | undefined> {
  // A sink returns the page's own document, but not those that were split off it.
  if (from === undefined || stamp === undefined || stamp === UNKNOWN_STAMP || parts) return undefined;
  const found = await kept.find(from, url);
  if (found?.crawler !== crawler || found.document.stamp !== stamp) return undefined;
  const document = applyCurrentPrincipals(found.document, context);
  return { document, hasNewPrincipals: document !== found.document };
}

function applyCurrentPrincipals(document: PushDocument, { readAcl, definition }: CrawlContext): PushDocument {
  if (!readAcl || !definition.acl || !isDecidedByRules(definition.acl)) return document;
  const metas = replacePrincipals(document.metas, readAcl({ href: document.uri, headers: {}, metas: [] }));
  return metas === document.metas ? document : { ...document, metas };
}
