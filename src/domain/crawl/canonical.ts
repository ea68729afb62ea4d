/**
 * Handles rel=canonical: a page gives way to the URL that it names, but only if that URL takes its place in the index,
 * so that a mistake in a template cannot remove a whole section of a site.
 */
import type { UrlState } from './url-state.js';

/**
 * `gives-way`: the page is not in the index. `waits`: it stays in the index until its canonical URL is there. `stays`:
 * it is indexed as if it did not name a canonical URL.
 */
export type CanonicalVerdict = 'gives-way' | 'waits' | 'stays';

/** @param canonical what is known about the URL that the page names; undefined if nothing */
export function judgeCanonical(page: UrlState, canonical: UrlState | undefined): CanonicalVerdict {
  if (!canonical) return 'stays';
  if (canonical.stamp !== undefined && canonical.pendingDeletion === undefined) return 'gives-way';
  // A near-duplicate may be one of this very page; it will then be indexed once the page has given way.
  const mayBeIndexed =
    canonical.status === 'waiting' || canonical.reason === 'near-duplicate' || canonical.reason === 'exact-duplicate';
  if (!mayBeIndexed) return 'stays';
  return page.stamp === undefined ? 'gives-way' : 'waits';
}
