import { getDomain } from 'tldts';

/**
 * By the Public Suffix List, whose private part counts, too: two sites of one hoster are two. Undefined for addresses and for names
 * without a dot.
 */
export const registrableDomain = (hostname: string): string | undefined =>
  getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
