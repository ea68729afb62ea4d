import { isErrorCode } from '../fetch/error-codes.js';
import type { Reason } from '../policy/reasons.js';
import type { Disposition } from './state-changes.js';
import type { UrlState } from './url-state.js';

/**
 * What releasing a held deletion means for its URL: the same as if the deletion had been sent at once. A URL that was
 * to be forgotten (given up, or no longer covered by a server record) is forgotten; one whose page failed or excludes
 * itself from the index stays and is visited when it is due.
 */
export function createReleaseDisposition({ status, reason: present }: UrlState, reason: Reason): Disposition {
  const order = { kind: 'delete', reason } as const;
  const wasToBeForgotten = status === 'error' && !isErrorCode(present);
  if (wasToBeForgotten) return { remove: true, changes: {}, order, changed: true };
  const changes = { stamp: null, simhash: null, etag: null, lastModified: null };
  return { remove: false, changes, order, changed: true };
}
