/** Crawlway's own top-level elements: fetchers, extractors, the renderer, IndexNow and WebSub. */
import * as t from '../value-types.js';
import { attribute, createElementFactory, mebibytesToBytes } from './spec.js';

const element = createElementFactory('cw');

export const FETCHER = element(
  'Fetcher',
  'How web sites are fetched. Addresses that are not public are refused unless AllowAddress names them.',
  {
    name: attribute(t.name, 'Name; a crawler without FetchWith uses `default`.', { default: 'default' }),
    userAgent: attribute(t.headerValue, 'User agent sent with each request.', { default: 'Crawlway/0.1' }),
    contact: attribute(
      t.contact,
      'Where site operators can read about this crawl or reach you: a URL or an email address. It is added to the default user agent; an email address is sent in the From header.',
    ),
    acceptLanguage: attribute(
      t.headerValue,
      'Accept-Language header, such as `de, en;q=0.5`. Without it, sites choose the language of the response.',
    ),
    robotsAgent: attribute(t.productToken, 'Product token that is looked up in robots.txt.', { default: 'crawlway' }),
    connectTimeoutMS: attribute(t.durationMs(1), 'Maximum time to wait for a connection.', {
      default: '10000',
      unit: 'ms',
    }),
    headerTimeoutMS: attribute(t.durationMs(1), 'Maximum time to wait for the response header.', {
      default: '30000',
      unit: 'ms',
    }),
    bodyTimeoutMS: attribute(t.durationMs(1), 'Maximum pause while the response body is being received.', {
      default: '30000',
      unit: 'ms',
    }),
    totalTimeoutMS: attribute(t.durationMs(1), 'Maximum time for one document.', { default: '120000', unit: 'ms' }),
    maxSizeBytes: attribute(t.integer(1), 'Maximum size of a document, after decoding.', {
      default: mebibytesToBytes(32),
      unit: 'bytes',
    }),
    maxRedirects: attribute(t.integer(0, 100), 'Maximum length of a redirect chain.', { default: '10' }),
    cookies: attribute(
      t.boolean,
      'Keep the cookies that a host sets and send them back to it. Off: cookies are kept only within one visit, for a page that redirects to itself.',
      { default: 'true' },
    ),
    preferHttp2: attribute(
      t.boolean,
      'Use HTTP/2 with servers that offer it. Off: it is used only with servers that refuse HTTP/1.1, which saves resources.',
      { default: 'false' },
    ),
    verifyCertificates: attribute(t.boolean, 'Off: certificates are not checked. Only for test sites.', {
      default: 'true',
    }),
  },
  { children: ['AllowAddress', 'Proxy', 'Credential', 'Login', 'CertificateAuthority', 'Header', 'BotAuth'] },
);

export const ALLOW_ADDRESS = element(
  'AllowAddress',
  'Addresses that requests may be sent to although they are not public.',
  {
    cidr: attribute(t.cidr, 'IP address or CIDR block.', { required: true }),
  },
);

export const PROXY = element(
  'Proxy',
  'HTTP or SOCKS5 proxy for requests of the fetcher. If several apply, the one with the longest prefix in `for` is used.',
  {
    url: attribute(
      t.proxyUrl,
      'URL of the proxy, with user and password if required. `socks5` resolves names on this machine and sends addresses to the proxy, `socks5h` lets the proxy resolve names.',
      { required: true, variables: true },
    ),
    for: attribute(
      t.httpUrl,
      'Prefix of the URLs for which the proxy is used; it only covers robots.txt if it covers the whole server. Default: all other URLs.',
    ),
    noProxy: attribute(
      t.proxyExceptions,
      'Destinations that are requested directly: hosts (including their subdomains), IP addresses and CIDR blocks, each optionally with a port. `*` means every destination.',
    ),
  },
);

export const CREDENTIAL = element('Credential', 'A login that is sent only to URLs with a given prefix.', {
  url: attribute(t.httpUrl, 'Prefix of the URLs for which the login is used.', { required: true }),
  user: attribute(t.nonEmptyText, 'User name.', { required: true, variables: true }),
  password: attribute(t.text, 'Password.', { required: true, secret: true }),
});

export const CERTIFICATE_AUTHORITY = element(
  'CertificateAuthority',
  'A further certificate authority to trust.',
  { file: attribute(t.fileName, 'PEM file with the certificates, which can also be written inside the element.') },
  { text: 'Certificates in PEM form.' },
);

export const HEADER = element('Header', 'A header sent with each request.', {
  name: attribute(t.headerName, 'Name.', { required: true }),
  value: attribute(t.headerValue, 'Value; hidden if the name suggests a secret, like Authorization.', {
    required: true,
    variables: true,
  }),
  url: attribute(
    t.httpUrl,
    'Prefix of the URLs to which the header is sent. Without a prefix, a header whose name suggests a secret is sent to the servers of the roots in this configuration, and any other header is sent everywhere.',
  ),
});

export const BOT_AUTH = element(
  'BotAuth',
  'Signs each request of the fetcher (Web Bot Auth, RFC 9421), so that sites can tell this crawler from others that use its name (docs/signals.md).',
  {
    key: attribute(t.ed25519Key, 'Ed25519 private key in PEM form, as created by `crawlway keys new`.', {
      required: true,
      secret: true,
    }),
    agent: attribute(
      t.httpUrl,
      'URL at which sites reach this server: they look for the public key at its `/.well-known/http-message-signatures-directory`.',
      { required: true },
    ),
  },
  { once: true },
);

export const LEGACY_OFFICE = 'application/msword application/vnd.ms-excel application/vnd.ms-powerpoint';

export const EXTRACTOR = element(
  'Extractor',
  'How text is extracted from documents (docs/documents.md). Without this element, PDF, office documents, EPUB, RTF and e-mail are read with the default limits.',
  {
    type: attribute(
      t.enumeration(['documents', 'tika']),
      '`documents`: the limits of the built-in readers; `tika`: an Apache Tika server for further media types.',
      { required: true },
    ),
    url: attribute(t.serviceUrl, '`tika`: base URL of the server, like http://127.0.0.1:9998.', { variables: true }),
    mediaTypes: attribute(
      t.mediaTypes,
      `\`tika\`: the media types that the server reads; it takes precedence over the built-in readers. Default: ${LEGACY_OFFICE}.`,
    ),
    timeLimitMS: attribute(t.durationMs(100), 'Maximum time for one document.', { default: '30000', unit: 'ms' }),
    memoryLimitBytes: attribute(t.integer(128 * 1024 * 1024), '`documents`: maximum memory of one reader process.', {
      default: mebibytesToBytes(512),
      unit: 'bytes',
    }),
    members: attribute(
      t.boolean,
      '`documents`: attachments of e-mail and PDF, messages of mailboxes and files in zip and tar archives are documents of their own, at the URL of the document with `#member=` and the path.',
      { default: 'false' },
    ),
    ocr: attribute(
      t.ocrLanguages,
      '`documents`: the languages in which pages of PDF that are pictures are read by character recognition (OCR). It needs npm packages that are installed separately (docs/documents.md).',
    ),
    ocrPagesPerDay: attribute(
      t.integer(1),
      '`documents`: after as many pages on one day (in UTC), no further document is read by OCR.',
      { default: '1000' },
    ),
  },
);

/** Attributes that only the other type of extractor uses. */
export const UNUSED_BY_EXTRACTOR: Readonly<Record<'documents' | 'tika', readonly string[]>> = {
  documents: ['url', 'mediaTypes'],
  tika: ['memoryLimitBytes', 'members', 'ocr', 'ocrPagesPerDay'],
};

/** Hosts that count visitors or show advertisements and contribute no content. */
export const TRACKERS =
  'google-analytics.com|googletagmanager.com|googlesyndication.com|googleadservices.com|doubleclick.net|connect.facebook.net|hotjar.com|clarity.ms|segment.com|segment.io|mixpanel.com|amplitude.com|fullstory.com|newrelic.com|nr-data.net|sentry.io|intercom.io|criteo.com|criteo.net|taboola.com|outbrain.com|scorecardresearch.com|quantserve.com|bat.bing.com|analytics.twitter.com|ads.linkedin.com|matomo.cloud|plausible.io|cookielaw.org|onetrust.com';

export const RENDERER = element(
  'Renderer',
  "The browser that runs the scripts of pages (docs/rendering.md). Without this element, the system's Chromium is used with the default limits. It has no effect unless a crawler, rule or condition requests rendering.",
  {
    path: attribute(
      t.trimInput(t.text),
      'Path of the browser program. Default: the first of chromium-headless-shell, chromium and chrome that is installed.',
    ),
    url: attribute(
      t.webSocketUrl,
      'Address of a browser that runs elsewhere, for the Chrome DevTools Protocol: `ws://host:9222/devtools/browser/…`.',
      { variables: true },
    ),
    maxShare: attribute(t.share, 'Maximum share of the processors that rendering may use in the long run, 0.05 to 1.', {
      default: '0.5',
    }),
    pages: attribute(
      t.integer(1, 64),
      'Maximum number of pages rendered at once. Default: two more than there are processors, 8 at most.',
    ),
    timeLimitMS: attribute(t.durationMs(500), 'Maximum time for one page, after which it is read as is.', {
      default: '20000',
      unit: 'ms',
    }),
    memoryLimitBytes: attribute(
      t.integer(256 * 1024 * 1024),
      'Maximum memory that the browser processes may use in total.',
      {
        default: mebibytesToBytes(1536),
        unit: 'bytes',
      },
    ),
    renderObeysRobots: attribute(
      t.enumeration(['documents', 'all']),
      'Requests made by a page that are checked against robots.txt: `documents` (the page and its frames), or `all`, including scripts and data.',
      { default: 'documents' },
    ),
    readyWhen: attribute(
      t.trimInput(t.text),
      'When a page is ready to be read: a CSS selector that has to match, or `js:` and an expression that has to be true. Default: once the network and the document are quiet.',
    ),
    steps: attribute(
      t.renderSteps,
      'Steps for all rendered pages for which no rule has its own, as in `steps` of Render: `more` loads what lists add when one scrolls to their end or clicks their button for more.',
    ),
    sandbox: attribute(
      t.boolean,
      "Use Chromium's own sandbox. Set this to false only where it cannot run (as root, in some containers) and the container itself confines the browser.",
      { default: 'true' },
    ),
    blockedHosts: attribute(
      t.hostNames,
      'Hosts, including their subdomains, from which nothing is fetched for a page.',
      { default: TRACKERS },
    ),
    postHosts: attribute(
      t.hostNames,
      'Hosts, including their subdomains, to which pages of other registrable domains may send POST requests, such as a search service. Default: none.',
    ),
    webSocketHosts: attribute(
      t.hostNames,
      'Hosts, including their subdomains, to which pages may open WebSockets. Default: none.',
    ),
  },
  { once: true },
);

export const INDEX_NOW = element(
  'IndexNow',
  'The receiver of IndexNow at `/indexnow` (docs/signals.md): sites report URLs that have changed. Only URLs of hosts that are crawled are accepted.',
  {
    enabled: attribute(t.boolean, 'Off: submissions are refused.', { default: 'true' }),
    urlsPerHour: attribute(t.integer(1, 10_000_000), 'Maximum number of URLs accepted for one host per hour.', {
      default: '50000',
    }),
  },
  { once: true },
);

export const WEB_SUB = element(
  'WebSub',
  'Subscribes to hubs named by feeds, which then report changes (docs/signals.md). Without this element, there are no subscriptions.',
  {
    callback: attribute(t.httpUrl, 'URL at which hubs reach this server; they call `/websub/…` below this URL.', {
      required: true,
    }),
    hubs: attribute(
      t.hostNames,
      'Hosts (including their subdomains) whose hubs may be used, in addition to the host of the feed itself.',
      { default: 'pubsubhubbub.appspot.com superfeedr.com switchboard.p3k.io websubhub.com' },
    ),
  },
  { once: true },
);
