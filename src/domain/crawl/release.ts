import { isErrorCode } from '../fetch/error-codes.js';
import type { Reason } from '../policy/reasons.js';
import type { Disposition } from './state-changes.js';
import type { UrlState } from './url-state.js';

/**
 * Decides what releasing a held deletion means for its URL: the same as if the deletion had been sent immediately. A
 * URL that was to be forgotten (given up, or no longer covered by a server record) is forgotten; a URL whose page
 * failed or excludes itself from the index is kept and visited when it is due.
 */
export function createReleaseDisposition({ status, reason: currentReason }: UrlState, reason: Reason): Disposition {
  const order = { kind: 'delete', reason } as const;
  const wasToBeForgotten = status === 'error' && !isErrorCode(currentReason);
  if (wasToBeForgotten) return { remove: true, changes: {}, order, changed: true };
  const changes = { stamp: null, simhash: null, etag: null, lastModified: null };
  return { remove: false, changes, order, changed: true };
}
