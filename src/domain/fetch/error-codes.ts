/**
 * Every way in which a visit can fail, as data: stable code → class, meaning, remedy. The store, the API, the metrics, the
 * docs and the console use these codes. Classes: seed CloudView "Error Handling"; 408, 425 and 429 are ours (they say
 * nothing about the content). An operator can move a code to the other class with ErrorPolicy.
 */
export type ErrorClass = 'permanent' | 'temporary';

export interface ErrorEntry {
  readonly class: ErrorClass;
  readonly meaning: string;
  readonly remedy: string;
}

const permanent = (meaning: string, remedy: string): ErrorEntry => ({ class: 'permanent', meaning, remedy });
const temporary = (meaning: string, remedy: string): ErrorEntry => ({ class: 'temporary', meaning, remedy });

export const ERROR_CODES = {
  'http-404': permanent('The server says there is no such page (404).', 'Mend or remove the links that lead to it.'),
  'http-410': permanent(
    'The server says the page is gone for good (410).',
    'Mend or remove the links that lead to it.',
  ),
  'http-401': permanent('The page wants a login (401).', 'Give the fetcher a credential for this URL prefix.'),
  'http-403': permanent(
    'The server refuses the page to the crawler (403).',
    'Ask the site to admit the user agent, or give a credential.',
  ),
  'http-4xx': permanent(
    'The server refuses the request (another 4xx).',
    'Look at the status in the visit and ask the site.',
  ),
  'http-5xx': permanent(
    'The server failed (5xx without Retry-After).',
    'Tell the site; if it is known to recover by itself, class it temporary.',
  ),
  'http-other': permanent(
    'The status brings no page to a GET: 204, 205, 206 or one that HTTP does not define.',
    'Ask the site.',
  ),
  'not-modified-unconditional': permanent(
    '304 to a GET that was not conditional: the server is inconsistent.',
    'Ask the site, or disable conditional GET.',
  ),
  'redirect-malformed': permanent(
    'The redirect has no target that is a valid http(s) URL.',
    'Mend the redirect on the site.',
  ),
  'redirect-loop': permanent('The redirect leads back to a URL of its own chain.', 'Mend the redirect on the site.'),
  'redirect-limit': permanent(
    'The chain of redirects is longer than allowed.',
    'Mend the chain, or raise maxRedirects.',
  ),
  'dns-not-found': permanent('The host name does not exist.', 'Mend the links that lead to it.'),
  'address-forbidden': permanent(
    'The host has an address that is not public.',
    'Allow it with AllowAddress if it is meant.',
  ),
  'tls-expired': permanent('The certificate has expired or is not yet valid.', 'Renew the certificate on the site.'),
  'tls-name': permanent('The certificate is for another host name.', 'Mend the certificate on the site.'),
  'tls-untrusted': permanent(
    'The certificate is signed by nobody the fetcher trusts.',
    'Add the authority to the fetcher.',
  ),
  'tls-failed': permanent('The TLS handshake failed.', 'Look at the detail of the visit.'),
  protocol: permanent('The answer is not valid HTTP.', 'Ask the site; the lenient parser could not read it either.'),
  'header-too-large': permanent('The header of the answer is larger than allowed.', 'Ask the site.'),
  'body-too-large': permanent(
    'The body is larger than allowed; it is never pushed cut.',
    'Raise `maxSizeBytes` of the Fetcher, or the option `max-size-bytes` of a condition for this URL.',
  ),
  'body-truncated': permanent('The body ended before its announced length.', 'Ask the site.'),
  'body-undecodable': permanent('The content encoding is broken or unknown.', 'Ask the site.'),
  'parse-timeout': permanent(
    'Reading the page took longer than allowed and was stopped.',
    'Exclude the page, or ask the site.',
  ),
  'soft-error': permanent(
    'A page with status 200 whose text says that it is an error.',
    'Nothing, or mend the SoftErrors pattern.',
  ),
  'connection-failed': permanent('The connection failed in another way.', 'Look at the detail of the visit.'),
  'http-408': temporary('The server timed out waiting for the request (408).', 'Tried again by itself.'),
  'http-425': temporary('The server is not willing to answer early data (425).', 'Tried again by itself.'),
  'http-429': temporary('Too many requests (429).', 'Tried again by itself; raise throttleTimeMS if it stays.'),
  'http-503-retry-after': temporary(
    'Unavailable for a while (503 with Retry-After).',
    'Tried again by itself at the time it names.',
  ),
  'connect-timeout': temporary('No connection within the time allowed.', 'Tried again by itself.'),
  'read-timeout': temporary(
    'The answer did not come, or stopped coming, within the time allowed.',
    'Tried again by itself; raise the time if the site is slow.',
  ),
  'connection-reset': temporary('The connection was reset by the site.', 'Tried again by itself.'),
  'connection-refused': temporary('Nothing listens at the address.', 'Tried again by itself.'),
  'network-unreachable': temporary('There is no route to the address.', 'Look at the network of this machine.'),
  'dns-no-answer': temporary(
    'The name servers do not answer.',
    'Tried again by itself; look at the resolver of this machine.',
  ),
  'robots-unreachable': temporary(
    'robots.txt could not be read, so the host is closed until it can (RFC 9309, 2.3.1.4).',
    'Tried again by itself.',
  ),
  'login-wall': temporary(
    'The host sends many of its pages to one login page.',
    'Give the fetcher a credential for the host.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The code of an HTTP status that is neither a success, a redirect nor 304. */
export function errorCodeOfStatus(status: number, hasRetryAfter: boolean): ErrorCode {
  switch (status) {
    case 401:
      return 'http-401';
    case 403:
      return 'http-403';
    case 404:
      return 'http-404';
    case 408:
      return 'http-408';
    case 410:
      return 'http-410';
    case 425:
      return 'http-425';
    case 429:
      return 'http-429';
    default:
      if (status === 503 && hasRetryAfter) return 'http-503-retry-after';
      if (status >= 500 && status < 600) return 'http-5xx';
      return status >= 400 && status < 500 ? 'http-4xx' : 'http-other';
  }
}
