/**
 * All names of the Push API v4 over HTTP; src/adapters/push/papi/names.ts contains the same names for the client side.
 * "assumed" marks what has not been published; anyone with the product's documentation can correct it in both files.
 */

/** Path of a command: `/papi/4/connectors/NAME/COMMAND`. */
export const COMMAND_PATH = /^\/papi\/4\/connectors\/([^/]+)\/([a-z_]+)$/;

export const PARAMETER = {
  session: 'PAPI_session',
  uri: 'PAPI_uri', // assumed for delete_documents
  rootPath: 'PAPI_rootPath',
  recursive: 'PAPI_recursive',
  mode: 'PAPI_mode',
  checkpoint: 'PAPI_checkpoint',
  name: 'PAPI_name',
  sync: 'PAPI_sync', // assumed
} as const;

/** Matches `PAPI_<key>:<field>`, where the key is the client's own name for one document in the request. */
export const DOCUMENT_FIELD = /^PAPI_([^:]+):(.+)$/s;

export const FIELD = {
  uri: 'uri',
  stamp: 'stamp', // assumed
  meta: 'meta:',
  partBytes: 'part_bytes:',
  partDirective: 'part_directive:',
} as const;

export const MAIN_PART = 'master';
/** Text that the connector has extracted from the main part. */
export const TEXT_PART = 'text';

export const ENUMERATION_MODE = {
  all: 'RECURSIVE_DOCUMENTS',
  direct: 'NOT_RECURSIVE_DOCUMENTS',
} as const;

/** Formats a line `url_encode(URI) SP escape(STAMP) LF` (assumed). */
export const formatEntry = (uri: string, stamp: string): string =>
  `${encodeURIComponent(uri)} ${escapeLineBreaks(stamp)}\n`;

/** Formats a line `url_encode(URI) SP true|false SP escape(STAMP) LF` (assumed). */
export const formatStatus = (uri: string, stamp: string | undefined): string =>
  `${encodeURIComponent(uri)} ${stamp !== undefined} ${escapeLineBreaks(stamp ?? '')}\n`;

const escapeLineBreaks = (text: string): string => text.replaceAll('\r', '\\r').replaceAll('\n', '\\n');
