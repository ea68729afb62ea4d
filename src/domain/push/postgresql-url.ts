/**
 * Parses the URL of a `postgresql` sink. The driver's own parser is not used, because its URLs may also refer to files
 * on this machine.
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

/** Describes the expected form if the text is not a valid URL of a sink; undefined if it is valid. */
export function findPostgresqlUrlFault(text: string): string | undefined {
  const parsed = parsePostgresqlUrl(text);
  return typeof parsed === 'string' ? parsed : undefined;
}

/**
 * Returns the address, or a description of the expected form. The default of `sslmode` is `verify-full`, or `disable`
 * on this machine.
 */
export function parsePostgresqlUrl(text: string): PostgresqlAddress | string {
  const url = URL.parse(text);
  const database = url?.pathname.slice(1) ?? '';
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === '' || database === '' || /\//.test(database))
    return 'a URL like postgresql://host:5432/database';
  const unknownParameter = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknownParameter !== undefined)
    return `a URL without the parameter ${unknownParameter}; only sslmode is supported`;
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
