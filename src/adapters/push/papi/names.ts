/**
 * All names of CloudView's Push API v4 over HTTP; demo-index/papi/names.ts contains them for the receiving side.
 * "assumed" marks names that are not published; options of the sink replace those that can be configured.
 */

export const buildConnectorPath = (connector: string): string => `/papi/4/connectors/${encodeURIComponent(connector)}`;

export const COMMAND = {
  sessionId: 'get_current_session_id',
  add: 'add_documents',
  delete: 'delete_documents',
  setCheckpoint: 'set_checkpoint',
  enumerate: 'enumerate_synced_entries',
} as const;

export const PARAMETER = {
  session: 'PAPI_session', // in the query string
  uri: 'PAPI_uri', // for delete_documents: assumed, can be configured
  rootPath: 'PAPI_rootPath',
  mode: 'PAPI_mode',
  checkpoint: 'PAPI_checkpoint',
  name: 'PAPI_name',
  sync: 'PAPI_sync', // assumed, can be configured
} as const;

export const MAIN_PART = 'master';
/** The part with the text of a document, next to the one with its bytes. */
export const TEXT_PART = 'text';
export const ALL_DOCUMENTS = 'RECURSIVE_DOCUMENTS';

/** `PAPI_<key>:FIELD`, where the key identifies one document in the request. */
export const formatDocumentField = (key: number, field: string): string => `PAPI_${key}:${field}`;

export const FIELD = {
  uri: 'uri',
  stamp: 'stamp', // assumed, can be configured
  meta: (name: string) => `meta:${name}`,
  partBytes: `part_bytes:${MAIN_PART}`,
  textBytes: `part_bytes:${TEXT_PART}`,
  partDirective: (name: 'encoding' | 'filename' | 'mimeHint') => `part_directive:${MAIN_PART}:${name}`,
} as const;

/**
 * Parses one line of an enumeration, `url_encode(URI) SP escape(STAMP)` (assumed); undefined if the line has a
 * different format.
 */
export function parseEntry(line: string): { uri: string; stamp: string } | undefined {
  const spaceIndex = line.indexOf(' ');
  if (spaceIndex <= 0) return undefined;
  try {
    const uri = decodeURIComponent(line.slice(0, spaceIndex).replaceAll('+', ' '));
    return { uri, stamp: line.slice(spaceIndex + 1).replace(/\\([rn])/g, (_, c) => (c === 'r' ? '\r' : '\n')) };
  } catch {
    return undefined;
  }
}
