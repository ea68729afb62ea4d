/** Crawlway's own elements inside a Crawler: policies of the reference systems, refresh, fetcher and sinks. */
import { DOCUMENT_TYPES } from '../../../domain/content/document-types.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import { REFRESH_OBJECTIVES } from '../../../domain/refresh/smart-refresh.js';
import { CANONICALIZATION_STEPS, DEFAULT_CANONICALIZATION } from '../../../domain/url/canonicalize.js';
import * as t from '../value-types.js';
import { FIELDS } from './rules.js';
import { type AttributeSpec, attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

export const URL_SOURCE = element('UrlSource', 'Weight of one of the six URL sources.', {
  name: attribute(t.enumeration(SOURCES), 'Name of the source.', { required: true }),
  weight: attribute(
    t.integer(1, 1_000_000),
    'Share of picks, relative to the other sources. Defaults: user 10000, redir 2000, index 1000, index_follow 100, follow 10, refresh 1.',
    { required: true },
  ),
});

export const REFRESH = element(
  'Refresh',
  'The objective of smart refresh, and when documents are revisited while it is off. See docs/freshness.md.',
  {
    objective: attribute(
      t.enumeration(REFRESH_OBJECTIVES),
      'What smart refresh optimizes. `harmonic`: each further change that a copy has missed counts less, so pages that change more often are visited more often; `freshness`: the number of up-to-date copies, so pages that change too fast are given up.',
      { default: 'harmonic' },
    ),
    hubs: attribute(
      t.boolean,
      'When a page has changed, revisit the pages of the same host that it links to sooner, to the extent that its earlier changes were followed by changes of such pages.',
      { default: 'false' },
    ),
    cron: attribute(
      t.cron,
      'Times of refresh while smart refresh is off. If this is not set, documents are never revisited automatically.',
    ),
    timeZone: attribute(t.timeZone, 'Time zone of the cron expression.', { default: 'UTC' }),
  },
  { once: true },
);

/** Extensions of images, audio, video, fonts, archives, programs and style sheets, which contain no text to index. */
export const UNREADABLE_EXTENSIONS =
  '3gp|7z|aac|ai|apk|avi|avif|bin|bmp|bz2|class|css|deb|dmg|eot|eps|exe|flac|flv|gif|gz|heic|ico|iso|jar|jpeg|jpg|js|' +
  'm4a|m4v|mid|mjs|mkv|mov|mp3|mp4|mpeg|mpg|msi|ogg|ogv|otf|png|psd|rar|rpm|svg|swf|tar|tgz|tif|tiff|ttf|war|wasm|wav|' +
  'webm|webp|wma|wmv|woff|woff2|xz|zip|zst';

export const LINK_RULES = element(
  'LinkRules',
  'Checks that are applied to each link before all others (Fluid Dynamics Search Engine).',
  {
    dialect: attribute(
      t.enumeration(['crawlway', 'fdse']),
      '`fdse`: the defaults of that search engine: at most 128 characters and no query strings.',
      { default: 'crawlway' },
    ),
    protocols: attribute(t.protocols, 'Protocols that a URL may use.', { default: 'http|https' }),
    maxUrlLength: attribute(
      t.integer(1, 65_536),
      'Maximum length of a link; longer ones are ignored. Default: 2048, in dialect fdse 128.',
      { unit: 'characters' },
    ),
    followQueryStrings: attribute(t.boolean, 'Accept links that contain a `?`. Default: true, in dialect fdse false.'),
    ignoreLinksTo: attribute(
      t.extensions,
      `Links whose path ends in one of these extensions are ignored. Default: ${UNREADABLE_EXTENSIONS}, except those that a rule or a condition explicitly accepts.`,
    ),
    rogue: attribute(
      t.boolean,
      'Ignore robots meta tags and robots.txt. Site owners object to this; a warning is logged.',
      { default: 'false' },
    ),
    followOffsite: attribute(t.boolean, 'Off: links to hosts other than that of the page are ignored.', {
      default: 'true',
    }),
  },
  { once: true },
);

export const CANONICALIZATION = element(
  'Canonicalization',
  'Steps that are applied to a URL after it has been converted to WHATWG form with normalized percent-encoding. They run in the order in which the names are listed below, regardless of the order in the attribute. `keep-hash-routes` keeps fragments such as `#/orders/7` and `#!/orders/7`, so that the pages of an application with such routes are distinguished; they have different texts only after rendering (docs/rendering.md).',
  {
    steps: attribute(t.listOf(t.enumeration(CANONICALIZATION_STEPS)), 'The steps to carry out.', {
      default: DEFAULT_CANONICALIZATION.join(' '),
    }),
  },
  { once: true },
);

export const UNREADABLE_TYPES =
  'image/* audio/* video/* font/* text/css text/javascript application/javascript application/zip application/gzip application/x-gzip application/x-tar application/octet-stream';

/** Media types of text, markup, PDF and office documents, which can be read. */
export const READABLE_TYPES =
  'text/html application/xhtml+xml text/plain text/xml application/xml application/rss+xml application/atom+xml text/csv text/markdown ' +
  `text/tab-separated-values application/json application/ld+json application/x-ndjson ${DOCUMENT_TYPES.filter((type) => !UNREADABLE_TYPES.includes(type)).join(' ')}`;

export const MIME_TYPES = element(
  'MimeTypes',
  'Media types that are accepted or excluded, depending on mimeTypesMode.',
  {
    types: attribute(
      t.mediaTypes,
      `The media types. Default with mimeTypesMode exclude: ${UNREADABLE_TYPES}; with include: ${READABLE_TYPES}.`,
    ),
  },
  { once: true },
);

export const CRAWL_SPACE = element(
  'CrawlSpace',
  'The crawl space of this crawler (OmniFind): URLs outside it are never crawled, and their documents are removed from the index.',
  {
    rules: attribute(t.fileName, 'File of rules, one per line: `allow|forbid domain|address|prefix TARGET`.', {
      required: true,
    }),
  },
  { once: true },
);

export const GLOBAL_CRAWL_SPACE = element(
  'GlobalCrawlSpace',
  'The crawl space of all crawlers together (OmniFind): if another crawler takes over a host, its documents stay in the index. Without this element, the file global.rules in the folder of the configuration is used, if it exists.',
  { rules: attribute(t.fileName, 'File with domain rules.', { required: true }) },
  { once: true },
);

const parameters = {
  period: attribute(
    t.period,
    'Time between two visits: seconds, or pairs of a number and a unit: `s`, `M` minute, `h`, `d`, `m` month of 30 days, `y` year of 365 days.',
  ),
  tag: attribute(t.text, 'Tag to add to documents as a meta.'),
  category: attribute(t.text, 'Category to add to documents as a meta.'),
  maxHops: attribute(
    t.integer(0, 65_535),
    'Maximum number of links between the root and a page, on the way by which it was found first.',
  ),
  readTimeout: attribute(t.period, 'Maximum pause while the site is responding; in the same format as `period`.'),
  documentTimeout: attribute(t.period, 'Maximum time for one document; in the same format as `period`.'),
  robots: attribute(t.boolean, 'Obey robots.txt and robots meta tags.'),
  index: attribute(t.boolean, 'Index the documents.'),
  follow: attribute(t.boolean, 'Follow the links of the documents.'),
  maxNetworkErrors: attribute(
    t.integer(0, 10_000),
    'Number of consecutive network errors after which a page is given up.',
  ),
  networkErrorDelay: attribute(t.period, 'Time to wait after a network error; in the same format as `period`.'),
  alias: attribute(t.mirrorPrefix, "Prefix that replaces the record's URL in requests."),
  authentication: attribute(
    t.login,
    "`user:password` for Basic authentication. Sent only to the server in the record's URL (or alias), even if the prefix covers more; in Parameters, only to the server of the next record.",
    { secret: true },
  ),
};

export const SERVERS = element(
  'Servers',
  'Server records (mnoGoSearch): the longest matching prefix wins, regardless of the order. By default, a link is followed only if a record matches it. If a crawler has no Root, it begins at the URLs of its records, as in mnoGoSearch; it needs rules with Accept, or `defaultAccept`.',
  {
    followOutside: attribute(
      t.boolean,
      'Also follow links that match no record. Default: the value in the file, or false.',
    ),
    deleteNoServer: attribute(
      t.boolean,
      'Off: stored URLs that match no record are kept, and only links to the server of their page are followed. Default: the value in the file, or true.',
    ),
    file: attribute(
      t.fileName,
      'An indexer.conf from which to read records, in addition to those written inside the element. Values set in the file apply only within it.',
    ),
  },
  { children: ['Parameters', 'Server'], once: true },
);
export const PARAMETERS = element('Parameters', 'Values that apply to the records after this element.', parameters);
export const SERVER = element('Server', 'A server record.', {
  url: attribute(t.urlPrefix, 'Prefix of the URLs that the record applies to; may be empty.', { required: true }),
  ...parameters,
});

const CONDITION_CHILDREN = ['option', 'apply-for', 'apply-except-for', 'may-not-have', 'must-have'];
const defaultAllow = t.enumeration(['allow', 'disallow', 'disallow-log', 'log-disallow']);

export const CONDITIONS = element(
  'Conditions',
  'Recursive conditions (Velocity). Rules run in order; the last setting of an option wins; a filtered URL stays filtered.',
  {
    'default-allow': attribute(
      defaultAllow,
      'What happens to a URL that no rule has filtered: `allow`, `disallow`, or `disallow-log` (also `log-disallow`), which records why.',
      { default: 'allow' },
    ),
  },
  { children: CONDITION_CHILDREN, once: true },
);

const test = {
  test: attribute(
    t.enumeration(['wildcard', 'regex', 'wildcard-set']),
    '`wildcard`: `*` and `?`, matched against the whole part; `wildcard-set`: several such patterns, separated by spaces; `regex`: regular expression (linear time), matched anywhere in the part.',
    { default: 'wildcard' },
  ),
  field: attribute(t.enumeration(FIELDS), 'Part of the URL to examine.', { default: 'url' }),
  value: attribute(t.trimInput(t.nonEmptyText), 'String or pattern to find.', { required: true }),
  'case-sensitive': attribute(t.boolean, 'Whether matching is case-sensitive.', { default: 'false' }),
};
const log = attribute(t.boolean, 'Record the URLs that are filtered.', { default: 'false' });

export const APPLY_FOR = element(
  'apply-for',
  'If the condition matches, its options are set and the elements inside it are evaluated.',
  test,
  { children: CONDITION_CHILDREN },
);
export const APPLY_EXCEPT_FOR = element(
  'apply-except-for',
  'If the condition does not match, its options are set and the elements inside it are evaluated.',
  test,
  { children: CONDITION_CHILDREN },
);
export const MAY_NOT_HAVE = element('may-not-have', 'Filters the URL if the condition matches.', { ...test, log });
export const MUST_HAVE = element('must-have', 'Filters the URL if the condition does not match.', { ...test, log });

/** The options that `<cw:option>` can set. Those with a unit in their names are without it in UrlOptions. */
export const URL_OPTIONS = {
  'default-allow': attribute(defaultAllow, 'Same as on Conditions.'),
  'max-hops': attribute(
    t.integer(0, 65_535),
    'Maximum number of links between the root and a page, on the way by which it was found first.',
  ),
  'throttle-ms': attribute(t.durationMs(), 'Pause between two requests to the web server.', { unit: 'ms' }),
  'concurrency-per-host': attribute(t.integer(1, 1000), 'Maximum number of simultaneous requests to the web server.'),
  'connect-timeout-ms': attribute(t.durationMs(1), 'Maximum time to wait for a connection.', { unit: 'ms' }),
  'read-timeout-ms': attribute(t.durationMs(1), 'Maximum pause while the site is responding.', { unit: 'ms' }),
  'total-timeout-ms': attribute(t.durationMs(1), 'Maximum time for one document.', { unit: 'ms' }),
  'max-size-bytes': attribute(t.integer(1), 'Maximum size of a document, after decoding.', { unit: 'bytes' }),
  'user-agent': attribute(t.userAgent, 'User agent to send with requests.'),
  header: attribute(
    t.header,
    'Request header `Name: value`; each name is set separately. A secret header (Authorization, Cookie, X-Api-Key …) is sent to the same servers as credentials.',
    { secret: true },
  ),
  credentials: attribute(
    t.login,
    '`user:password` for Basic authentication. Sent only to the servers named in the condition and the servers of the configured roots.',
    { secret: true },
  ),
  proxy: attribute(t.proxyUrl, 'HTTP or SOCKS5 proxy to use instead of the one set in the fetcher.', {
    variables: true,
  }),
  fetcher: attribute(t.nonEmptyText, 'Name of the Fetcher to use instead of the one set in FetchWith.'),
  login: attribute(
    t.nonEmptyText,
    'Name of the Login to use, among those whose `url` is a prefix of the URL; `none`: no login.',
  ),
  'obey-robots': attribute(t.boolean, 'Obey robots.txt and robots meta tags.'),
  'render-mode': attribute(
    t.enumeration(['never', 'auto', 'always']),
    'Whether the scripts of a page run before it is read; same as `render` on Crawler.',
  ),
  content: attribute(
    t.nonEmptyText,
    "Name of the Content that says what is extracted from the page; `none`: the page is extracted in full, regardless of the crawler's setting.",
  ),
  'near-duplicate-detector': attribute(t.boolean, 'Do not index near duplicates.'),
  'refresh-minimum-age-s': attribute(t.durationS(), 'Same as smartRefreshMinAgeS on Crawler.', { unit: 's' }),
  'refresh-maximum-age-s': attribute(t.durationS(1), 'Same as smartRefreshMaxAgeS on Crawler.', { unit: 's' }),
  weight: attribute(
    t.decimal(0.01, 100),
    'How much more an up-to-date copy of the document is worth to smart refresh than a copy of any other document; with 4, the document is visited about twice as often.',
  ),
  'error-expiry-s': attribute(t.durationS(), 'How long a URL in error is remembered before it is tried again.', {
    unit: 's',
  }),
};

export const findOptionSpec = (name: string): AttributeSpec<unknown> | undefined =>
  Object.hasOwn(URL_OPTIONS, name) ? URL_OPTIONS[name as keyof typeof URL_OPTIONS] : undefined;

export const OPTION = element('option', 'Sets one option for the URLs that reach this element.', {
  name: attribute(t.enumeration(Object.keys(URL_OPTIONS)), 'Name of the option; see the list of options.', {
    required: true,
  }),
  value: attribute(t.text, 'Value of the option.', { required: true }),
});

export const FETCH_WITH = element(
  'FetchWith',
  'The fetcher of this crawler. Default: the one named `default`.',
  { fetcher: attribute(t.name, 'Name of a Fetcher.', { required: true }) },
  { once: true },
);

export const PUSH_TO = element(
  'PushTo',
  'A sink for the documents; a crawler may have several. Default: the only sink in the file.',
  { sink: attribute(t.name, 'Name of a Sink.', { required: true }) },
);
