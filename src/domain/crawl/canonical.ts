/**
 * rel=canonical: a page gives way to the URL that it names, and only to one that takes its place in the index. A slip in a
 * template must not cost a section of it.
 */
import type { UrlState } from './url-state.js';

/**
 * `gives-way`: the page does not stand in the index. `waits`: it keeps its place there until its canonical URL has one.
 * `stays`: it is indexed as if it named none.
 */
export type CanonicalVerdict = 'gives-way' | 'waits' | 'stays';

/** @param canonical what is known of the URL that the page names; undefined: nothing */
export function judgeCanonical(page: UrlState, canonical: UrlState | undefined): CanonicalVerdict {
  if (!canonical) return 'stays';
  if (canonical.stamp !== undefined && canonical.pendingDeletion === undefined) return 'gives-way';
  // As a near duplicate it may be one of this very page, and then it gets in when the page is no longer in the way.
  const mayComeIn = canonical.status === 'waiting' || canonical.reason === 'near-duplicate';
  if (!mayComeIn) return 'stays';
  return page.stamp === undefined ? 'gives-way' : 'waits';
}
