import { Secret } from '../../domain/secret.js';
import { FetchFailure } from './fetch-failure.js';

/** An HTTP proxy that the operator named. */
export interface HttpProxy {
  readonly secure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Value of Proxy-Authorization. */
  readonly authorization?: Secret;
}

/** `http(s)://[user:password@]host[:port]`. Throws FetchFailure; the message does not repeat the URL, which may hold a password. */
export function parseProxy(text: string): HttpProxy {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new FetchFailure('proxy-failed', 'The proxy of this URL is no http or https URL.');
  }
  const secure = url.protocol === 'https:';
  return {
    secure,
    hostname: bareHostname(url.hostname),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization:
      url.username === '' ? undefined : new Secret(basicAuthorization(decoded(url.username), decoded(url.password))),
  };
}

export const bareHostname = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/** RFC 7617, UTF-8. */
export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
