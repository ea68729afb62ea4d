/**
 * Decides whether a site may take the crawl along to another address. A redirect is the word of a stranger: it never
 * widens the crawl beyond the registrable domain, into private networks or into the hosts of another crawler, unless an
 * operator wants that. Pure functions.
 */
import { isPublicAddress } from '../net/address.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import type { ReasonCode } from './reasons.js';

/** `domain`: within the registrable domain. `any`: to any public site. `never`: not at all. */
export type FollowMoves = 'domain' | 'any' | 'never';

export interface SiteMove {
  /** The URL of the root. */
  readonly from: CrawlUrl;
  readonly to: CrawlUrl;
  /** Addresses of the two hosts; undefined if unknown. */
  readonly addresses?: { readonly from?: string; readonly to?: string };
  /** The other crawler whose roots cover the new address. */
  readonly owner?: string;
  /** True if an operator has decided that the crawl follows this move. */
  readonly approved?: boolean;
}

/**
 * @param domainOf the registrable domain of a host name; undefined if it has none
 * @returns why the move is not followed; undefined if it is
 */
export function findMoveObjection(
  { from, to, addresses, owner, approved }: SiteMove,
  followMoves: FollowMoves,
  domainOf: (host: string) => string | undefined,
): ReasonCode | undefined {
  if (owner !== undefined) return 'move-to-another-crawler';
  if (approved) return undefined;
  const isFromPublic = addresses?.from === undefined ? false : isPublicAddress(addresses.from);
  const isToPrivate = addresses?.to === undefined ? false : !isPublicAddress(addresses.to);
  if (isFromPublic && isToPrivate) return 'move-to-private-address';
  if (from.host === to.host) return followMoves === 'never' ? 'moves-not-followed' : undefined;
  if (followMoves !== 'domain') return followMoves === 'any' ? undefined : 'moves-not-followed';
  const domain = domainOf(from.host);
  return domain !== undefined && domain === domainOf(to.host) ? undefined : 'move-to-another-domain';
}
