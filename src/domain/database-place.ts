/**
 * Host and database of a PostgreSQL URL as its driver reads it, for messages: never user and password.
 * @returns undefined for anything else, and if an unencoded password may continue behind the host
 */
export function describeDatabase(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#][^@]*)?$/.test(url)) return undefined;
  // The driver accepts a login without a host, which is then a folder of sockets.
  const parsed = URL.parse(url.replace('@/', '@no-host/'));
  if (!parsed) return undefined;
  const host = parsed.searchParams.get('host') ?? parsed.host.replace(/^no-host$/, '');
  return `${host}${parsed.pathname}`;
}
