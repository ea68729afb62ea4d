/**
 * Registrable domains by the Public Suffix List, including its private part: two sites at the same hoster are two. Undefined for
 * addresses and for names without a dot. The list is loaded only when it is asked for, because few crawls need it.
 */
export async function loadRegistrableDomains(): Promise<(hostname: string) => string | undefined> {
  const { getDomain } = await import('tldts');
  return (hostname) => getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
}
