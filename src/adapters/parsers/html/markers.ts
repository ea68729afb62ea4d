/** Signs of the markers with which authors exclude parts of a page from search engines. */
import { matchesName } from './bytes.js';

/** Every marker contains one of these. */
export const MARKER_SIGNS =
  /googleo|nosnippet|data-elastic|data-swiftype|data-pagefind|noindex|udmcomment|stopindex|zoomstop|freefind/i;
/** Longer comments are not markers. */
export const MAX_MARKER_LENGTH = 100;

export const MARKER_ELEMENT = 'noindex';

const MARKER_ATTRIBUTES = ['data-nosnippet', 'data-elastic-', 'data-swiftype-', 'data-pagefind-'];
const DASH_OFFSET = 'data'.length;

/** Whether the name of an attribute with a dash at a position begins like a marker's. */
export const isMarkerName = (bytes: Uint8Array, dash: number): boolean =>
  MARKER_ATTRIBUTES.some((name) => matchesName(bytes, dash - DASH_OFFSET, name));
