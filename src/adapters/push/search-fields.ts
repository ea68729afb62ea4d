import type { PushDocument } from '../../domain/push/order.js';

const MAX_PATH_LEVELS = 10;

/** Fields of a document that are filters, facets and search fields of their own; absent if the document has no such value. */
export interface SearchFields {
  /** With the port, if it is not the default one. */
  readonly host?: string;
  /** The folders of the URL's path, outermost first: `/docs/`, `/docs/sql/`. */
  readonly path?: readonly string[];
  /** A BCP 47 tag. */
  readonly language?: string;
  readonly contentType?: string;
  /** ISO 8601. */
  readonly lastModified?: string;
  readonly description?: string;
}

const DESCRIPTIONS = ['description', 'og:description', 'dc.description'];

export function findSearchFields({ uri, metas, master }: PushDocument): SearchFields {
  const url = URL.parse(uri);
  const find = (name: string): string | undefined => metas.find((meta) => meta.name === name)?.value;
  return {
    host: url?.host || undefined,
    path: url?.host ? listFolders(url.pathname) : undefined,
    language: find('language'),
    contentType: find('content_type') ?? (master.mimeType || undefined),
    lastModified: metas.find(({ name, type }) => name === 'lastmodifieddate' && type === 'date')?.value,
    description: DESCRIPTIONS.map(find).find((value) => value !== undefined),
  };
}

function listFolders(pathname: string): string[] {
  const names = pathname.split('/').slice(1, -1).slice(0, MAX_PATH_LEVELS);
  return ['/', ...names.map((_, level) => `/${names.slice(0, level + 1).join('/')}/`)];
}
