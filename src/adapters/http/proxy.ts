import { createBasicAuthorization } from '../../domain/net/basic-authorization.js';
import { Secret } from '../../domain/secret.js';
import { decodePercent } from '../../domain/url/decode-percent.js';
import { FetchFailure } from './fetch-failure.js';

interface ProxyAddress {
  /** Whether the connection to the proxy itself uses TLS. */
  readonly secure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** A proxy that the operator configured. */
export type ProxyServer = ProxyAddress &
  (
    | {
        readonly kind: 'http';
        /** Value of the Proxy-Authorization header. */
        readonly authorization?: Secret;
      }
    | {
        readonly kind: 'socks5';
        /** Whether the proxy resolves names; otherwise it gets only addresses. */
        readonly resolvesNames: boolean;
        readonly login?: { readonly user: string; readonly password: Secret };
      }
  );

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
  ['socks5:', 1080],
  ['socks5h:', 1080],
]);

/**
 * Parses `http(s)://[user:password@]host[:port]`, or `socks5://` and `socks5h://` as curl interprets them. Throws
 * FetchFailure; the message does not repeat the URL, which may contain a password.
 */
export function parseProxy(text: string): ProxyServer {
  const url = URL.parse(text);
  const defaultPort = DEFAULT_PORTS.get(url?.protocol ?? '');
  if (!url || defaultPort === undefined) {
    throw new FetchFailure('proxy-failed', 'The proxy for this URL must be an http, https, socks5 or socks5h URL.');
  }
  const secure = url.protocol === 'https:';
  const address = {
    secure,
    hostname: stripBrackets(url.hostname),
    port: url.port === '' ? defaultPort : Number(url.port),
  };
  const [user, password] = [decodePercent(url.username), decodePercent(url.password)];
  if (url.protocol.startsWith('socks')) {
    const login = user === '' ? undefined : { user, password: new Secret(password) };
    return { ...address, kind: 'socks5', resolvesNames: url.protocol === 'socks5h:', login };
  }
  const authorization = user === '' ? undefined : new Secret(createBasicAuthorization(user, password));
  return { ...address, kind: 'http', authorization };
}

/**
 * Refusals that come from a proxy itself, not from the site behind it: Squid names its error page, and others say so in
 * Proxy-Status (RFC 9209), last in the list. What comes through a tunnel is from the site, whose own proxies use the same
 * fields, unless Squid opens the tunnel. If the proxy cannot reach the site, its status (5xx) is temporary anyway.
 */
export function findRefusalByProxy(
  { proxy, secure }: { readonly proxy?: ProxyServer; readonly secure: boolean },
  status: number,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  if (proxy?.kind !== 'http' || status < 400 || status > 499) return undefined;
  const { 'x-squid-error': squidError, 'proxy-status': proxyStatus = '' } = headers;
  const lastProxy = secure
    ? ''
    : proxyStatus
        .replace(/"[^"]*"/g, '')
        .split(',')
        .at(-1)!;
  const error = squidError?.split(' ', 1)[0] ?? /;\s*error=([\w-]+)/i.exec(lastProxy)?.[1];
  return error && `The proxy refused the request (${error}, status ${status}).`;
}

export const stripBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
