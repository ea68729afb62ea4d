/**
 * The URL of a `postgresql` sink. Parsed here and not by the driver, whose URLs may also refer to files on this
 * machine.
 */

const SSL_MODES = ['disable', 'require', 'verify-full'] as const;

export interface PostgresqlAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
  /** `require` encrypts without checking the server's identity, `verify-full` checks certificate and name. */
  readonly sslMode: (typeof SSL_MODES)[number];
}

/** What would be right if the text is not a valid URL of a sink; undefined if it is. */
export function findPostgresqlUrlFault(text: string): string | undefined {
  const address = parsePostgresqlUrl(text);
  return typeof address === 'string' ? address : undefined;
}

/**
 * The address, or a description of what would be right. The default of `sslmode` is `verify-full`, or `disable` on this
 * machine.
 */
export function parsePostgresqlUrl(text: string): PostgresqlAddress | string {
  const url = URL.parse(text);
  const database = url?.pathname.slice(1) ?? '';
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === '' || database === '' || /\//.test(database))
    return 'a URL like postgresql://host:5432/database';
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown !== undefined) return `a URL without the parameter ${unknown}; only sslmode is supported`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const sslMode = url.searchParams.get('sslmode') ?? (isThisMachine(host) ? 'disable' : 'verify-full');
  if (!isSslMode(sslMode)) return `sslmode as one of ${SSL_MODES.join(', ')}`;
  try {
    return {
      host,
      port: Number(url.port || 5432),
      database: decodeURIComponent(database),
      user: url.username === '' ? undefined : decodeURIComponent(url.username),
      password: url.password === '' ? undefined : decodeURIComponent(url.password),
      sslMode,
    };
  } catch {
    return 'a URL whose percent signs are encoded as %25';
  }
}

const isThisMachine = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

const isSslMode = (text: string): text is PostgresqlAddress['sslMode'] => SSL_MODES.some((mode) => mode === text);
