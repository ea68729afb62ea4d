/**
 * Describes a PostgreSQL URL in messages by its host and database, as the driver reads it, without user name and
 * password.
 * @returns undefined for any other URL, or if an unencoded password may extend beyond the host
 */
export function describeDatabase(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#][^@]*)?$/.test(url)) return undefined;
  // The driver accepts a login without a host; the parameter `host` then names a folder of sockets.
  const parsed = URL.parse(url.replace('@/', '@no-host/'));
  if (!parsed) return undefined;
  const host = parsed.searchParams.get('host') ?? parsed.host.replace(/^no-host$/, '');
  return `${host}${parsed.pathname}`;
}
