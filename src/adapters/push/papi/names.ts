/**
 * The names of CloudView's Push API v4 over HTTP, all in one place; demo-index/papi/names.ts holds the same table for the other
 * side. "assumed" marks what is not published: with the product's own documentation at hand, correct it here.
 */

export const connectorPath = (connector: string): string => `/papi/4/connectors/${encodeURIComponent(connector)}`;

export const COMMAND = {
  sessionId: 'get_current_session_id',
  add: 'add_documents',
  delete: 'delete_documents',
  setCheckpoint: 'set_checkpoint',
  enumerate: 'enumerate_synced_entries',
} as const;

export const PARAMETER = {
  session: 'PAPI_session', // in the query string
  uri: 'PAPI_uri', // assumed for delete_documents
  rootPath: 'PAPI_rootPath',
  mode: 'PAPI_mode',
  checkpoint: 'PAPI_checkpoint',
  name: 'PAPI_name',
  sync: 'PAPI_sync', // assumed
} as const;

export const MAIN_PART = 'master';
/** The text of a document, beside its bytes. */
export const TEXT_PART = 'text';
export const ALL_DOCUMENTS = 'RECURSIVE_DOCUMENTS';

/** `PAPI_<key>:FIELD`, where the key is our own name of one document in the request. */
export const documentField = (key: number, field: string): string => `PAPI_${key}:${field}`;

export const FIELD = {
  uri: 'uri',
  stamp: 'stamp', // assumed
  meta: (name: string) => `meta:${name}`,
  partBytes: `part_bytes:${MAIN_PART}`,
  textBytes: `part_bytes:${TEXT_PART}`,
  partDirective: (name: 'encoding' | 'filename' | 'mimeHint') => `part_directive:${MAIN_PART}:${name}`,
} as const;

/** One line of an enumeration, `url_encode(URI) SP escape(STAMP)` (assumed); undefined when it is none. */
export function parseEntry(line: string): { uri: string; stamp: string } | undefined {
  const space = line.indexOf(' ');
  if (space <= 0) return undefined;
  try {
    const uri = decodeURIComponent(line.slice(0, space).replaceAll('+', ' '));
    return { uri, stamp: line.slice(space + 1).replace(/\\([rn])/g, (_, c) => (c === 'r' ? '\r' : '\n')) };
  } catch {
    return undefined;
  }
}
