/** Maximum number of characters of a URL in a call. */
export const MAX_URL = 65_536;

/** Maximum number of lines of a URL list or a pending file in one call. */
export const MAX_LINES = 2_000_000;

/** Maximum number of characters in a LIKE pattern: SQLite accepts 50,000 bytes, and a character has up to four. */
export const MAX_LIKE = 12_288;

/**
 * Maximum number of bytes of the request line and the headers: room for two URLs, as `explain` takes them, with each
 * character percent-encoded as three, and for the headers.
 */
export const MAX_REQUEST_HEAD = 2 * 3 * MAX_URL + 16 * 1024;
