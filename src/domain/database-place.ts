/**
 * Host and database of a PostgreSQL URL as its driver reads it, for messages; never its user name or password.
 * @returns undefined for anything else, or if an unencoded password may continue beyond the host
 */
export function describeDatabase(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#][^@]*)?$/.test(url)) return undefined;
  // The driver accepts a login without a host, in which case the host is a folder of sockets.
  const parsed = URL.parse(url.replace('@/', '@no-host/'));
  if (!parsed) return undefined;
  const host = parsed.searchParams.get('host') ?? parsed.host.replace(/^no-host$/, '');
  return `${host}${parsed.pathname}`;
}
