/**
 * Every way in which a visit can fail, as data: a stable code with its class, meaning, remedy and reactions. The store,
 * the API, the metrics, the docs and the console use these codes. The classes follow CloudView, "Error Handling"; 406, 408,
 * 425 and 429 are our additions (they say nothing about the content). An operator can move a code to the other class
 * with ErrorPolicy.
 */
export type ErrorClass = 'permanent' | 'temporary';

/** What a failed visit causes, apart from the next state of its URL. */
export interface ErrorReactions {
  /**
   * When requests to the host are suspended for a while: `backs-off`: immediately, and longer each time; `after-a-run`:
   * if several visits in a row end this way; `if-indexed`: if the page is in the index. Absent if the error concerns
   * only this page.
   */
  readonly host?: 'backs-off' | 'after-a-run' | 'if-indexed';
  /**
   * Who is to blame, on which the deletion guard relies. `page`: the host responds and says that this page is gone;
   * `host`: it may be an outage, so a deletion waits for a sign of life; `crawler`: something is missing on the
   * crawler's side, or the change guard does not believe the page, so nothing is ever deleted because of it.
   */
  readonly blame: 'page' | 'host' | 'crawler';
  /**
   * Set if a guessed sitemap for which the server responds like this does not exist, so that its visit has not failed.
   */
  readonly isMissing?: true;
}

export interface ErrorEntry extends ErrorReactions {
  readonly class: ErrorClass;
  readonly meaning: string;
  readonly remedy: string;
}

const DEFAULT_REACTIONS: ErrorReactions = { blame: 'host' };

const definePermanent = (meaning: string, remedy: string, reactions: Partial<ErrorReactions> = {}): ErrorEntry => ({
  class: 'permanent',
  meaning,
  remedy,
  ...DEFAULT_REACTIONS,
  ...reactions,
});
const defineTemporary = (meaning: string, remedy: string, reactions: Partial<ErrorReactions> = {}): ErrorEntry => ({
  ...definePermanent(meaning, remedy, reactions),
  class: 'temporary',
});

export const ERROR_CODES = {
  'http-404': definePermanent('The page does not exist (404).', 'Fix or remove the links that lead to it.', {
    blame: 'page',
    isMissing: true,
  }),
  'http-410': definePermanent(
    'The server says that the page is permanently gone (410).',
    'Fix or remove the links that lead to it.',
    { blame: 'page', isMissing: true },
  ),
  'http-401': definePermanent(
    'The page requires a login (401).',
    'Configure a credential for this URL prefix in the fetcher.',
    { isMissing: true },
  ),
  'payment-required': definePermanent(
    'The server requires payment for the page (402).',
    'Reach an agreement with the site, and configure the header or credential that it requires in the fetcher.',
  ),
  'http-403': definePermanent(
    'The server denies the crawler access to the page (403).',
    'Ask the site to allow the user agent, or configure a credential in the fetcher.',
    { isMissing: true },
  ),
  'http-4xx': definePermanent(
    'The server refuses the request (another 4xx).',
    'Check the status in the visit and contact the site.',
    { isMissing: true },
  ),
  'http-5xx': definePermanent(
    'The server failed (5xx without Retry-After).',
    'Inform the site; if it usually recovers, classify the error as temporary.',
    { host: 'after-a-run' },
  ),
  'http-other': definePermanent(
    'The server responded with a status that is not valid for a page: 204, 205 or one that HTTP does not define.',
    'Contact the site.',
  ),
  'not-modified-unconditional': definePermanent(
    'The server responded with 304 to a GET that was not conditional.',
    'Contact the site, or disable conditional GET.',
  ),
  'redirect-malformed': definePermanent(
    'The target of the redirect is missing or is not a valid http(s) URL.',
    'Fix the redirect on the site.',
  ),
  'redirect-loop': definePermanent(
    'The redirect leads back to a URL in its own chain.',
    'Fix the redirect on the site.',
  ),
  'redirect-target-gone': definePermanent(
    'The page redirects to one that does not exist (404, 410).',
    'Fix the redirect on the site, or remove the links that lead to it.',
    { blame: 'page' },
  ),
  'redirect-to-home': definePermanent(
    'The page is permanently redirected to the home page: sites often do this with pages that no longer exist.',
    'Nothing to do if the page is gone; otherwise, fix the redirect on the site.',
    { blame: 'page' },
  ),
  'redirect-limit': definePermanent(
    'The redirect chain is longer than allowed.',
    'Fix the chain, or raise maxRedirects.',
  ),
  'dns-not-found': definePermanent(
    'The host name does not exist.',
    'Check the spelling of the name; fix the Root or the links that contain it.',
  ),
  'address-forbidden': definePermanent(
    'The host has an address that is not public.',
    'Allow the address with AllowAddress if this is intended.',
  ),
  'tls-expired': definePermanent(
    'The certificate has expired or is not yet valid.',
    'Renew the certificate on the site.',
  ),
  'tls-name': definePermanent('The certificate is for a different host name.', 'Fix the certificate on the site.'),
  'tls-untrusted': definePermanent(
    'The certificate is not signed by an authority that the fetcher trusts.',
    'Add the authority to the fetcher.',
  ),
  'tls-failed': definePermanent('The TLS handshake failed.', 'See the details of the visit.'),
  'tls-client-certificate': definePermanent(
    'The server requires a client certificate, or does not accept the one that was presented.',
    "Ask the site's operator how a client can sign in, and configure the certificate in a Login.",
  ),
  protocol: definePermanent(
    'The response is not valid HTTP.',
    'Contact the site; the lenient parser could not read the response either.',
  ),
  'header-too-large': definePermanent('The response header is larger than allowed.', 'Contact the site.'),
  'body-too-large': definePermanent(
    'The body is larger than allowed; it is never pushed truncated.',
    'Raise `maxSizeBytes` of the Fetcher, or the option `max-size-bytes` of a condition for this URL.',
  ),
  'parse-timeout': definePermanent(
    'Reading the page took longer than allowed and was stopped.',
    'Exclude the page, or contact the site.',
  ),
  'document-too-large': definePermanent(
    'What would be delivered for the page is many times as large as the page: headings in chunks, or metas and fields in parts.',
    'Exclude the page, or configure fewer outputs, fields or parts for it with a `Content` of its own.',
  ),
  'soft-error': definePermanent(
    'The page has status 200, but its text says that it is an error.',
    'Nothing to do; if the page is not an error page, fix the SoftErrors pattern.',
  ),
  'connection-failed': definePermanent(
    'The connection failed for a reason that has no code of its own.',
    'See the details of the visit.',
  ),
  'http-406': defineTemporary(
    'The server says that it has no representation of the page that the crawler accepts (406); often, a firewall sends this.',
    'Retried automatically; if it persists, ask the site to allow the user agent, or add the header that it requires to the fetcher.',
    { host: 'after-a-run', isMissing: true },
  ),
  'http-408': defineTemporary('The server timed out waiting for the request (408).', 'Retried automatically.'),
  'http-425': defineTemporary('The server is unwilling to process early data (425).', 'Retried automatically.'),
  'http-429': defineTemporary(
    'The server reports too many requests (429).',
    'Retried automatically; raise throttleTimeMS if it persists.',
    { host: 'backs-off' },
  ),
  'bot-challenge': defineTemporary(
    'The bot protection of the site asks for proof that a human is visiting, instead of sending the page. It is never indexed.',
    "Ask the site's operator to allow the crawler, by its user agent with `contact` or its signature with `cw:BotAuth`; the page is visited again automatically.",
    { host: 'backs-off' },
  ),
  'one-page-everywhere': defineTemporary(
    'The page suddenly has a text that other pages of its host, or a page that cannot exist, have as well: a maintenance page, an error message, a login form. Its document stays as it was.',
    'Check the site. The document is replaced once the pages of the host have texts of their own again; if the new text is right, release the held changes of the host: `crawlway held list HOST` shows them, and `crawlway held release HOST` releases them.',
    { blame: 'crawler' },
  ),
  emptied: defineTemporary(
    'The page suddenly has no text, and neither have other pages of its host. Its document stays as it was.',
    'Check the site. The document is replaced once the pages of the host have texts again; if they are meant to be empty, release the held changes of the host: `crawlway held list HOST` shows them, and `crawlway held release HOST` releases them.',
    { blame: 'crawler' },
  ),
  'directive-wave': defineTemporary(
    'The page suddenly says that it must not be indexed (noindex, X-Robots-Tag, a canonical URL, robots.txt), and so do other pages of its host. Its document stays as it was.',
    'Check the template, the configuration or the robots.txt of the site. If the pages really should leave the index, release the held changes of the host: `crawlway held list HOST` shows them, and `crawlway held release HOST` releases them.',
    { blame: 'crawler' },
  ),
  'http-503-retry-after': defineTemporary(
    'The server is temporarily unavailable (503 with Retry-After).',
    'Retried automatically at the time that the server specifies.',
    { host: 'backs-off' },
  ),
  'connect-timeout': defineTemporary('No connection was made within the time allowed.', 'Retried automatically.', {
    host: 'backs-off',
  }),
  'read-timeout': defineTemporary(
    'The response did not arrive, or did not finish, within the time allowed.',
    'Retried automatically; raise the time limit if the site is slow.',
    { host: 'backs-off' },
  ),
  'connection-reset': defineTemporary('The connection was reset by the site.', 'Retried automatically.', {
    host: 'backs-off',
  }),
  // A response that ends badly says as little about the page as one that never began.
  'body-truncated': defineTemporary(
    'The response broke off before its end, or is only a part of the page (206).',
    'Retried automatically; contact the site if it persists.',
    { host: 'backs-off' },
  ),
  'body-undecodable': defineTemporary(
    'The body cannot be decoded: its content encoding or its chunks are broken or unknown.',
    'Retried automatically; contact the site if it persists.',
    { host: 'after-a-run' },
  ),
  'connection-refused': defineTemporary('Nothing is listening at the address.', 'Retried automatically.', {
    host: 'backs-off',
  }),
  'network-unreachable': defineTemporary('There is no route to the address.', 'Check the network of this machine.', {
    host: 'backs-off',
  }),
  'dns-no-answer': defineTemporary(
    'The name servers are not responding.',
    'Retried automatically; check the resolver of this machine.',
    { host: 'backs-off' },
  ),
  'robots-unreachable': defineTemporary(
    'robots.txt could not be read, so nothing is fetched from the host until it can be (RFC 9309, 2.3.1.4).',
    'Retried automatically.',
  ),
  'extractor-unavailable': defineTemporary(
    'The text extractor is not available: a Tika server is not responding, or the process that reads documents does not start. The document stays unchanged, however long the problem lasts.',
    'Start the Tika server or check the url of Extractor, or see the detail of the visit; the document is visited again automatically.',
    { blame: 'crawler' },
  ),
  'plugin-failed': defineTemporary(
    'A plug-in threw an error, took too long or exited. The document stays unchanged, however long the problem lasts.',
    'See the detail of the visit and *Plug-ins*; fix the file, which is reloaded automatically, or write `onFailure="skip"`.',
    { blame: 'crawler' },
  ),
  'reading-failed': defineTemporary(
    'Crawlway failed to read the page: a bug in Crawlway, not a fault of the page. The document stays unchanged, however long the problem lasts.',
    'Exclude the page, and report the detail of the visit as a bug.',
    { blame: 'crawler' },
  ),
  'render-timeout': defineTemporary(
    "The page's scripts did not finish, and the page could not be read. At the third attempt, it is indexed as sent.",
    'Check the page, raise `timeLimitMS` of Renderer, or write `<Render mode="never"/>` in a rule for it.',
  ),
  'render-memory': defineTemporary(
    'The page used more memory than the browser is allowed. At the third attempt, it is indexed as sent.',
    'Check the page, raise `memoryLimitBytes` of Renderer, or write `<Render mode="never"/>` in a rule for it.',
  ),
  'render-crash': defineTemporary(
    'The browser closed the page or crashed. At the third attempt, it is indexed as sent.',
    'See the details of the visit.',
  ),
  'renderer-unavailable': defineTemporary(
    'No browser is available to render the page, so it is indexed as sent; no visit fails because of this.',
    'Install Chromium, or check Renderer in the configuration.',
  ),
  'login-wall': defineTemporary(
    'The host redirects many of its pages to one login page.',
    'Configure a credential for the host in the fetcher.',
    { host: 'if-indexed' },
  ),
  'redirect-wall': defineTemporary(
    'The host redirects its pages to one page, for example during maintenance, instead of sending them.',
    'Check the host: the documents stay until their pages, or pages of their own, respond again.',
    { host: 'if-indexed' },
  ),
  'redirect-target-failed': defineTemporary(
    'The page redirects to a URL that cannot be fetched; the detail of the visit names it and its error. The document stays as it is.',
    'Check the target of the redirect; both are visited again automatically.',
  ),
  'move-undecided': defineTemporary(
    'The page redirects to another site, to which the crawl does not move by itself. The document stays until an operator decides.',
    'See the reason in the detail of the visit; decide with `crawlway moves`, on the overview of the console, or with `POST /crawlers/{crawler}/moves`.',
    { blame: 'crawler' },
  ),
  'login-failed': defineTemporary(
    'The page needs a login that does not currently work. The document stays unchanged, however long the problem lasts.',
    'Test the login (`crawlway login test NAME`, or the Logins screen): it shows each step.',
    { blame: 'crawler' },
  ),
  'quota-rendering': defineTemporary(
    'The page has to be rendered, and a quota of its crawler has no rendering minutes left today. The document stays unchanged; the page is visited again on the next day.',
    'Raise `maxRenderMinutesPerDay` of the Quota, or render fewer pages.',
    { blame: 'crawler' },
  ),
  'proxy-failed': defineTemporary(
    'The proxy cannot be reached, refuses its login or cannot connect. This does not indicate a problem with the site.',
    'Check the proxy; the page is visited again automatically.',
    { blame: 'crawler' },
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CODES, code);

export const getDefaultReactions = (code: ErrorCode): ErrorReactions => ERROR_CODES[code];

/** Finds the error code for an HTTP status that is neither a success nor a redirect nor 304. */
export function findErrorCodeForStatus(status: number, hasRetryAfter: boolean): ErrorCode {
  switch (status) {
    case 401:
      return 'http-401';
    case 402:
      return 'payment-required';
    case 403:
      return 'http-403';
    case 404:
      return 'http-404';
    // Only a proxy sends this (RFC 9110, 15.5.8).
    case 407:
      return 'proxy-failed';
    case 406:
      return 'http-406';
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
