/**
 * Registrable domains by the Public Suffix List, including its private part, so two sites on the same hosting provider
 * have different domains. The function returns undefined for IP addresses and for names without a dot. The list is
 * loaded only when needed, because few crawls use it.
 */
export async function loadRegistrableDomains(): Promise<(hostname: string) => string | undefined> {
  const { getDomain } = await import('tldts');
  return (hostname) => getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
}
