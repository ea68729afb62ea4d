import { isDecidedByRules, replacePrincipals } from '../../domain/content/acl.js';
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import { parseTypedValue } from '../../domain/content/typed-values.js';
import { UNKNOWN_STAMP, type UrlState } from '../../domain/crawl/url-state.js';
import type { PushDocument } from '../../domain/push/order.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import type { CrawlContext } from '../page/crawl-context.js';

type Metas = PushDocument['metas'];

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
  const { metas } = found.document;
  const currentMetas = applyCurrentPrincipals(url, metas, context);
  const document = { ...found.document, metas: restoreTypes(currentMetas, context.definition.contents) };
  return { document, hasNewPrincipals: currentMetas !== metas };
}

function applyCurrentPrincipals(href: string, metas: Metas, { readAcl, definition }: CrawlContext): Metas {
  if (!readAcl || !definition.acl || !isDecidedByRules(definition.acl)) return metas;
  return replacePrincipals(metas, readAcl({ href, headers: {}, metas: [] }));
}

/** Sinks return values of `cw:Field` without their types. */
function restoreTypes(metas: Metas, contents: readonly ContentDefinition[] = []): Metas {
  const types = new Map(contents.flatMap(({ fields }) => fields.map(({ name, type }) => [name, type] as const)));
  return metas.map((meta) => {
    const type = types.get(meta.name);
    // A meta of the same name from the page itself may have any value.
    const isTyped = (type === 'date' || type === 'number') && parseTypedValue(meta.value, type, '') === meta.value;
    return isTyped ? { ...meta, type } : meta;
  });
}
