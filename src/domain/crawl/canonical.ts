/**
 * rel=canonical: a page gives way to the URL that it names, but only if that URL takes its place in the index, because
 * a mistake in a template must not remove a whole section.
 */
import type { UrlState } from './url-state.js';

/**
 * `gives-way`: the page is not in the index. `waits`: it stays in the index until its canonical URL is there. `stays`:
 * it is indexed as if it did not name one.
 */
export type CanonicalVerdict = 'gives-way' | 'waits' | 'stays';

/** @param canonical what is known about the URL that the page names; undefined if nothing */
export function judgeCanonical(page: UrlState, canonical: UrlState | undefined): CanonicalVerdict {
  if (!canonical) return 'stays';
  if (canonical.stamp !== undefined && canonical.pendingDeletion === undefined) return 'gives-way';
  // If it is a near-duplicate, then perhaps of this very page, and it will be indexed once the page has made way.
  const mayComeIn = canonical.status === 'waiting' || canonical.reason === 'near-duplicate';
  if (!mayComeIn) return 'stays';
  return page.stamp === undefined ? 'gives-way' : 'waits';
}
