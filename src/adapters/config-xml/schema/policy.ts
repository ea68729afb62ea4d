/** Crawlway's own elements inside a Crawler: the policies of the four other systems, errors, guard, traps. */

import { DOCUMENT_TYPES } from '../../../domain/content/document-types.js';
import { ERROR_CODES, type ErrorCode } from '../../../domain/fetch/error-codes.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import { REFRESH_OBJECTIVES } from '../../../domain/refresh/smart-refresh.js';
import { CANONICALIZATION_STEPS, DEFAULT_CANONICALIZATION } from '../../../domain/url/canonicalize.js';
import * as t from '../value-types.js';
import { FIELDS } from './rules.js';
import { attribute, elementFactory } from './spec.js';

const element = elementFactory('cw');

export const URL_SOURCE = element('UrlSource', 'Weight of one of the six URL sources.', {
  name: attribute(t.enumeration(SOURCES), 'Which source.', { required: true }),
  weight: attribute(
    t.integer(1, 1_000_000),
    'Share of picks, relative to the other sources. Defaults: user 10000, redir 2000, index 1000, index_follow 100, follow 10, refresh 1.',
    { required: true },
  ),
});

export const REFRESH = element(
  'Refresh',
  'What smart refresh aims at, and when documents are visited again while it is off. See docs/FRESHNESS.md.',
  {
    objective: attribute(
      t.enumeration(REFRESH_OBJECTIVES),
      'What smart refresh uses its visits for. `harmonic`: each further change that a copy has missed counts less, so that pages which change more are visited more; `freshness`: as many up-to-date copies as possible, which gives up pages that change too fast.',
      { default: 'harmonic' },
    ),
    hubs: attribute(
      t.boolean,
      'When a page has changed, visit the pages of the same host to which it links sooner, as far as this has proved right for the page before.',
      { default: 'false' },
    ),
    cron: attribute(t.cron, 'Times of refresh while smart refresh is off. Absent: documents are never revisited automatically.'),
    timeZone: attribute(t.timeZone, 'Time zone of the expression.', { default: 'UTC' }),
  },
  { once: true },
);

/** Extensions of images, audio, video, fonts, archives, programs and style sheets, which contain no text. */
export const NOT_READABLE =
  '3gp|7z|aac|ai|apk|avi|avif|bin|bmp|bz2|class|css|deb|dmg|eot|eps|exe|flac|flv|gif|gz|heic|ico|iso|jar|jpeg|jpg|js|' +
  'm4a|m4v|mid|mjs|mkv|mov|mp3|mp4|mpeg|mpg|msi|ogg|ogv|otf|png|psd|rar|rpm|svg|swf|tar|tgz|tif|tiff|ttf|war|wasm|wav|' +
  'webm|webp|wma|wmv|woff|woff2|xz|zip|zst';

export const LINK_RULES = element(
  'LinkRules',
  'Checks of a link before all others (Fluid Dynamics Search Engine).',
  {
    dialect: attribute(
      t.enumeration(['crawlway', 'fdse']),
      '`fdse`: the defaults of that engine, 128 characters and no query strings.',
      { default: 'crawlway' },
    ),
    protocols: attribute(t.protocols, 'Protocols that a URL may have.', { default: 'http|https' }),
    maxUrlLength: attribute(t.integer(1, 65_536), 'Maximum length of a link; longer ones are ignored. Default 2048, in dialect fdse 128.', {
      unit: 'characters',
    }),
    followQueryStrings: attribute(t.boolean, 'Take links with a `?`. Default true, in dialect fdse false.'),
    ignoreLinksTo: attribute(
      t.extensions,
      `Links whose path ends in one of these extensions are ignored. Default: ${NOT_READABLE}, without those that a rule or a condition lets in by name.`,
    ),
    rogue: attribute(t.boolean, 'Ignore robots meta tags and robots.txt. Site owners object to this; a warning is logged.', {
      default: 'false',
    }),
    followOffsite: attribute(t.boolean, 'Off: links to other hosts than that of the page are ignored.', { default: 'true' }),
  },
  { once: true },
);

export const CANONICALIZATION = element(
  'Canonicalization',
  'Steps after the WHATWG form of a URL with normalized percent-encoding. They run in the order in which the names are listed below, whatever the order here. `keep-hash-routes` keeps fragments such as `#/orders/7` and `#!/orders/7`, so that the pages of an application with such routes are separate pages; once rendered, they have different texts (docs/RENDERING.md).',
  {
    steps: attribute(t.listOf(t.enumeration(CANONICALIZATION_STEPS)), 'The steps to take.', {
      default: DEFAULT_CANONICALIZATION.join(' '),
    }),
  },
  { once: true },
);

export const NOT_READABLE_TYPES =
  'image/* audio/* video/* font/* text/css text/javascript application/javascript application/zip application/gzip application/octet-stream';

/** Media types of text, markup, PDF and office documents, which can be read. */
export const READABLE_TYPES =
  'text/html application/xhtml+xml text/plain text/xml application/xml application/rss+xml application/atom+xml text/csv text/markdown ' +
  `text/tab-separated-values application/json application/ld+json application/x-ndjson application/msword application/vnd.ms-excel application/vnd.ms-powerpoint ${DOCUMENT_TYPES.join(' ')}`;

export const MIME_TYPES = element(
  'MimeTypes',
  'Media types that are accepted or excluded, depending on mimeTypesMode.',
  {
    types: attribute(
      t.mediaTypes,
      `The media types. Default with mimeTypesMode exclude: ${NOT_READABLE_TYPES}; with include: ${READABLE_TYPES}.`,
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
  'The space of all crawlers together (OmniFind): a host that another crawler takes over keeps its documents in the index. Without this element, a file global.rules beside the configuration is in force.',
  { rules: attribute(t.fileName, 'File of domain rules.', { required: true }) },
  { once: true },
);

const parameters = {
  period: attribute(
    t.period,
    'Time between two visits: seconds, or pairs of a number and a unit: `s`, `M` minute, `h`, `d`, `m` month of 30 days, `y` year of 365 days.',
  ),
  tag: attribute(t.text, 'Tag that documents get as a meta.'),
  category: attribute(t.text, 'Category that documents get as a meta.'),
  maxHops: attribute(t.integer(0, 65_535), 'Maximum number of links between the root and a page.'),
  readTimeout: attribute(t.period, 'Maximum pause while the site is responding; written like period.'),
  documentTimeout: attribute(t.period, 'Maximum time for one document; written like period.'),
  robots: attribute(t.boolean, 'Obey robots.txt and robots meta.'),
  index: attribute(t.boolean, 'Index the documents.'),
  follow: attribute(t.boolean, 'Follow their links.'),
  maxNetworkErrors: attribute(t.integer(0, 10_000), 'Network errors in a row before a page is given up.'),
  networkErrorDelay: attribute(t.period, 'Wait after a network error; written like period.'),
  alias: attribute(t.urlPrefix, "Prefix that stands for the record's URL when fetching."),
  authentication: attribute(
    t.login,
    '`user:password`, Basic. Sent to the server that the record (or its alias) names alone, whatever its prefix covers; in Parameters, that of the next record.',
    { secret: true },
  ),
};

export const SERVERS = element(
  'Servers',
  'Server records (mnoGoSearch): the longest matching prefix wins, whatever the order. Without the two switches a link is followed when it has a record. The records of a crawler without a Root are where it begins, as in mnoGoSearch.',
  {
    followOutside: attribute(t.boolean, 'Follow links that have no record too. Default: what file says, or false.'),
    deleteNoServer: attribute(
      t.boolean,
      'Off: stored URLs without a record are kept, and links stay on the server of their page. Default: what file says, or true.',
    ),
    file: attribute(
      t.fileName,
      'An indexer.conf from which to read records, in addition to those written here. Values set there end with it.',
    ),
  },
  { children: ['Parameters', 'Server'], once: true },
);
export const PARAMETERS = element('Parameters', 'Values that apply to the records after it.', parameters);
export const SERVER = element('Server', 'One record.', {
  url: attribute(t.urlPrefix, 'Prefix of the URLs it is for; may be empty.', { required: true }),
  ...parameters,
});

const CONDITIONS_INSIDE = ['option', 'apply-for', 'apply-except-for', 'may-not-have', 'must-have'];
const defaultAllow = t.enumeration(['allow', 'disallow', 'disallow-log', 'log-disallow']);

export const CONDITIONS = element(
  'Conditions',
  'Recursive conditions (Velocity). Rules run in order; the last setting of an option wins; being filtered is final.',
  {
    'default-allow': attribute(
      defaultAllow,
      'What happens to a URL that nothing filtered: `allow`, `disallow`, or `disallow-log` (also `log-disallow`), which records why.',
      { default: 'allow' },
    ),
  },
  { children: CONDITIONS_INSIDE, once: true },
);

const test = {
  test: attribute(
    t.enumeration(['wildcard', 'regex', 'wildcard-set']),
    '`wildcard`: `*` and `?` over the whole part; `wildcard-set`: several, separated by spaces; `regex`: found anywhere.',
    { default: 'wildcard' },
  ),
  field: attribute(t.enumeration(FIELDS), 'Part of the URL to examine.', { default: 'url' }),
  value: attribute(t.trimInput(t.word), 'Text to find.', { required: true }),
  'case-sensitive': attribute(t.boolean, 'Whether case matters.', { default: 'false' }),
};
const log = attribute(t.boolean, 'Record the URLs that do not pass.', { default: 'false' });

export const APPLY_FOR = element('apply-for', 'On a match, sets its options and continues inside.', test, {
  children: CONDITIONS_INSIDE,
});
export const APPLY_EXCEPT_FOR = element(
  'apply-except-for',
  'Without a match, sets its options and continues inside.',
  test,
  {
    children: CONDITIONS_INSIDE,
  },
);
export const MAY_NOT_HAVE = element('may-not-have', 'A match filters the URL.', { ...test, log });
export const MUST_HAVE = element('must-have', 'No match filters the URL.', { ...test, log });

/** What `<cw:option name= value=>` can set; the names of the definition's UrlOptions, with units. */
export const URL_OPTIONS = {
  'default-allow': attribute(defaultAllow, 'As on Conditions.'),
  'max-hops': attribute(t.integer(0, 65_535), 'Maximum number of links between the root and a page.'),
  'throttle-ms': attribute(t.durationMs(), 'Pause between two requests to the web server.', { unit: 'ms' }),
  'concurrency-per-host': attribute(t.integer(1, 1000), 'Requests to the web server at once.'),
  'connect-timeout-ms': attribute(t.durationMs(1), 'Longest wait for a connection.', { unit: 'ms' }),
  'read-timeout-ms': attribute(t.durationMs(1), 'Longest pause while the site is responding.', { unit: 'ms' }),
  'total-timeout-ms': attribute(t.durationMs(1), 'Longest time for one document.', { unit: 'ms' }),
  'max-size-bytes': attribute(t.integer(1), 'Largest document, after decoding.', { unit: 'bytes' }),
  'user-agent': attribute(t.headerValue, 'User agent to send.'),
  header: attribute(
    t.header,
    'Request header `Name: value`; each name is set separately. A secret one (Authorization, Cookie, X-Api-Key …) is sent where credentials are.',
    { secret: true },
  ),
  credentials: attribute(
    t.login,
    '`user:password`, Basic. Sent to the servers that the condition names and to those of the configured roots only.',
    { secret: true },
  ),
  proxy: attribute(t.proxyUrl, 'HTTP or SOCKS5 proxy to use, whatever the fetcher says.'),
  fetcher: attribute(t.word, 'Name of the Fetcher to use instead of that of FetchWith.'),
  login: attribute(
    t.word,
    'Name of the Login to use, of those whose `url` is a prefix of the URL; `none`: none of them.',
  ),
  'obey-robots': attribute(t.boolean, 'Obey robots.txt and robots meta.'),
  'render-mode': attribute(
    t.enumeration(['never', 'auto', 'always']),
    'Whether scripts of a page run before it is read: as `render` on Crawler.',
  ),
  content: attribute(
    t.word,
    "Name of the Content that says what is extracted from the page; `none`: the page as it is, whatever the crawler's setting.",
  ),
  'near-duplicate-detector': attribute(t.boolean, 'Leave out near duplicates.'),
  'refresh-minimum-age-s': attribute(t.durationS(), 'As smartRefreshMinAgeS.', { unit: 's' }),
  'refresh-maximum-age-s': attribute(t.durationS(1), 'As smartRefreshMaxAgeS.', { unit: 's' }),
  weight: attribute(
    t.decimal(0.01, 100),
    'How much more an up-to-date copy is worth to smart refresh than that of another document: with 4 it is visited about twice as often.',
  ),
  'error-expiry-s': attribute(t.durationS(), 'How long a URL in error is remembered before it is tried again.', {
    unit: 's',
  }),
};

export const OPTION = element('option', 'Sets one option for the URLs that come here.', {
  name: attribute(t.enumeration(Object.keys(URL_OPTIONS)), 'Which option; see the list of options.', {
    required: true,
  }),
  value: attribute(t.text, 'Its value.', { required: true }),
});

export const ERROR_POLICY = element(
  'ErrorPolicy',
  'How errors are classified.',
  {
    maxTemporaryErrors: attribute(
      t.integer(0, 10_000),
      'Temporary errors in a row that a document may have on refresh before it is deleted.',
      { default: '5' },
    ),
    retryDelayS: attribute(
      t.durationS(1),
      'Wait before a URL with a temporary error is tried again; grows sixfold with each in a row.',
      {
        default: '60',
        unit: 's',
      },
    ),
    maxRetryDelayS: attribute(t.durationS(1), 'Longest such wait.', { default: '86400', unit: 's' }),
  },
  { children: ['Error'], once: true },
);
export const ERROR = element('Error', 'Moves an error code to a class; the defaults are in the table of error codes.', {
  code: attribute(t.enumeration(Object.keys(ERROR_CODES) as ErrorCode[]), 'Error code.', { required: true }),
  class: attribute(t.enumeration(['permanent', 'temporary']), 'Class to which it is moved.', { required: true }),
});

export const DELETION_GUARD = element(
  'DeletionGuard',
  'A deletion that follows from a fault of the server (any error but 404 and 410) waits until the host has served a good page again; when deletions for one host pass both limits within the window, further ones are held for a person.',
  {
    enabled: attribute(t.boolean, 'Off: deletions are always sent at once.', { default: 'true' }),
    maxDeletions: attribute(t.integer(0), 'Deletions for one host.', { default: '50' }),
    maxShare: attribute(t.decimal(0, 1), "Share of the host's indexed documents.", { default: '0.1' }),
    windowS: attribute(t.durationS(1), 'The window.', { default: '3600', unit: 's' }),
    signOfLife: attribute(
      t.boolean,
      'Off: a deletion that results from a fault of the server is sent at the first such error and does not count towards the limits, as in the reference system.',
      { default: 'true' },
    ),
    signOfLifeHours: attribute(
      t.integer(1),
      'A deletion waits for a sign of life of its host no longer than this; then the limits alone decide.',
      { default: '24', unit: 'h' },
    ),
  },
  { once: true },
);

export const SOFT_ERRORS = element(
  'SoftErrors',
  'Answers with status 200 that are errors (OmniFind).',
  {
    probe: attribute(
      t.boolean,
      'Ask each host once a day for a page that cannot exist; pages that look like its answer are errors.',
      { default: 'false' },
    ),
  },
  {
    children: ['SoftError'],
    once: true,
  },
);
export const SOFT_ERROR = element('SoftError', 'A pattern of such answers.', {
  url: attribute(t.word, 'Regular expression (linear time), found anywhere in the URL.'),
  title: attribute(t.word, 'The same for the title. Patterns that are given together must all match.'),
  content: attribute(t.word, 'The same for the text of the page.'),
  field: attribute(t.enumeration(['url', 'title', 'content']), 'What `pattern` is for, when there is only one.'),
  pattern: attribute(t.word, 'Regular expression for `field`.'),
  status: attribute(t.integer(400, 599), 'HTTP status that the answer is treated as.', { default: '404' }),
});

export const TRAPS = element(
  'Traps',
  'Limits for sites that never end.',
  {
    maxPathDepth: attribute(t.integer(1, 1000), 'Path segments of a URL.', { default: '40' }),
    maxRepeatedSegments: attribute(t.integer(1, 1000), 'Times that one segment may appear in a path.', {
      default: '4',
    }),
    maxQueryVariants: attribute(t.integer(1), 'URLs of one host that differ only in their query.', {
      default: '50000',
    }),
    maxPatternUrls: attribute(
      t.integer(1),
      'URLs of one host that differ only in numbers, dates, ids and their query. Once there are so many, further ones are taken only from pages that bring something new: a word, or links to other pages.',
      { default: '1000' },
    ),
    maxUrlsPerHost: attribute(t.integer(1), 'URLs of one host.', { default: '5000000' }),
    maxLinksPerPage: attribute(
      t.integer(1, 1_000_000),
      'Different URLs that the links of one page may name, not counting fragments and repeats. Links beyond them are left out (`links-cut`).',
      { default: '50000' },
    ),
  },
  { once: true },
);

export const FETCH_WITH = element(
  'FetchWith',
  'The fetcher of this crawler; without it the one named `default`.',
  { fetcher: attribute(t.name, 'Name of a Fetcher.', { required: true }) },
  { once: true },
);

export const PUSH_TO = element(
  'PushTo',
  'A sink for the documents; several may be given. Without any: the only sink of the file.',
  { sink: attribute(t.name, 'Name of a Sink.', { required: true }) },
);
