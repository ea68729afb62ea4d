/** The CloudView elements: crawlers, roots, rules and their actions (reference: CloudView, Advanced Configuration). */
import { MATCH_ELEMENTS } from '../../../domain/policy/match-elements.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('crawl');

export const CRAWL_CONFIG = element(
  'CrawlConfig',
  'The whole configuration of one server.',
  {},
  {
    children: [
      'Crawler',
      'GlobalCrawlSpace',
      'Quota',
      'Fetcher',
      'Extractor',
      'Renderer',
      'IndexNow',
      'WebSub',
      'Plugin',
      'Sink',
      'Webhook',
    ],
  },
);

export const CRAWLER = element(
  'Crawler',
  'A crawl with its own rules, start URLs and stored URLs. Several crawlers run side by side.',
  {
    name: attribute(t.name, 'Name of the crawler; stored URLs are tied to this name.', { required: true }),
    nthreads: attribute(t.integer(1, 1000), 'Maximum number of pages in flight at once.', { default: '20' }),
    throttleTimeMS: attribute(t.durationMs(), 'Pause between two requests to one web server.', {
      default: '2500',
      unit: 'ms',
    }),
    aggressive: attribute(
      t.boolean,
      'Send several requests to one web server at once, without a pause. Only for your own sites.',
      { default: 'false' },
    ),
    politenessBy: attribute(
      t.enumeration(['host', 'address', 'domain']),
      'Which requests share the pause: those to one `host`, to all hosts with one IP `address`, or to all hosts of one registrable `domain` (docs/schedules.md).',
      { default: 'host' },
    ),
    ignoreRobotsTxt: attribute(t.boolean, 'Do not read robots.txt. Only for your own sites.', { default: 'false' }),
    storeTextOnly: attribute(
      t.boolean,
      'Push the extracted text instead of the bytes of the document; a file without text, or whose text cannot be read, keeps its bytes.',
      { default: 'false' },
    ),
    defaultAccept: attribute(
      t.boolean,
      'Accept URLs that no rule matches; those on the site of a root in site mode are always accepted. Set it where server records, conditions or a crawl space decide instead of rules: they only reject.',
      { default: 'false' },
    ),
    defaultIndex: attribute(t.boolean, 'Index accepted documents when no rule says otherwise.', { default: 'true' }),
    defaultFollow: attribute(t.boolean, 'Follow the links of accepted documents when no rule says otherwise.', {
      default: 'true',
    }),
    defaultFollowRoots: attribute(t.boolean, 'Follow the links of a root even when no rule says so.', {
      default: 'true',
    }),
    mimeTypesMode: attribute(
      t.enumeration(['include', 'exclude']),
      'Whether MimeTypes lists the accepted types or the excluded ones.',
      { default: 'exclude' },
    ),
    whenUnreadable: attribute(
      t.enumeration(['push', 'skip']),
      'What happens to a document whose text cannot be extracted: `push` sends its bytes and metas without text, `skip` leaves it out of the index. Either way, the reason is recorded in the URL history and in the metrics.',
      { default: 'push' },
    ),
    render: attribute(
      t.enumeration(['never', 'auto', 'always']),
      'Whether a browser runs the scripts of pages before they are read (docs/rendering.md). `auto`: only if rendering yields more content, as learned for each host and URL pattern. Rules (Render) and conditions (option render-mode) may override this for some URLs.',
      { default: 'never' },
    ),
    crawlSitemaps: attribute(t.boolean, 'Read the sitemaps that robots.txt names, and crawl the URLs in them.', {
      default: 'true',
    }),
    disableConditionalGet: attribute(
      t.boolean,
      'Always fetch whole documents instead of asking whether they changed.',
      { default: 'false' },
    ),
    nearDuplicateDetector: attribute(
      t.boolean,
      'Do not index pages that are almost identical to one that is already indexed; with cw:Acl, only other spellings of its address, since other people may see other pages.',
      { default: 'false' },
    ),
    nearDuplicateScope: attribute(
      t.enumeration(['domain', 'crawler']),
      'With which documents nearDuplicateDetector compares a new one: those of its registrable domain, or all of the crawler. What is in the index never leaves it because of another domain.',
      { default: 'domain' },
    ),
    followMoves: attribute(
      t.enumeration(['domain', 'any', 'never']),
      'Where the crawl follows a site whose home page redirects to another site: within its registrable `domain`, to `any` public site, or `never`. It never moves from a public to a private address, or to a host for which another crawler of the same sink has a root. Elsewhere, the documents stay until an operator decides (docs/operations.md).',
      { default: 'domain' },
    ),
    indexRedirectSources: attribute(
      t.boolean,
      'Add the meta redirect_source, with the URL that redirected to it, to a document that was reached by a redirect.',
      { default: 'true' },
    ),
    smartRefresh: attribute(
      t.boolean,
      "Revisit documents according to each URL's own change history. Off: revisit them at the times set in Refresh.",
      { default: 'true' },
    ),
    smartRefreshMinAgeS: attribute(t.durationS(), 'Minimum age at which a document is revisited.', {
      default: '3600',
      unit: 's',
    }),
    smartRefreshMaxAgeS: attribute(t.durationS(1), 'Maximum age that a document may reach before it is revisited.', {
      default: '604800',
      unit: 's',
    }),
    deletionGuard: attribute(
      t.boolean,
      'Hold mass deletions for one host until an operator has reviewed them; the limits are set in DeletionGuard.',
      { default: 'true' },
    ),
    changeGuard: attribute(
      t.boolean,
      'Keep documents whose pages suddenly all say the same, such as a maintenance page or `noindex`; see ChangeGuard.',
      { default: 'true' },
    ),
  },
  {
    children: [
      'CrawlSchedulerConfig',
      'Schedule',
      'Root',
      'Rules',
      'LinkRules',
      'Canonicalization',
      'MimeTypes',
      'Content',
      'Acl',
      'CrawlSpace',
      'Servers',
      'Conditions',
      'ErrorPolicy',
      'DeletionGuard',
      'ChangeGuard',
      'KeepTexts',
      'SoftErrors',
      'LeaveOut',
      'Traps',
      'FetchWith',
      'PushTo',
    ],
  },
);

export const SCHEDULER = element(
  'CrawlSchedulerConfig',
  'Weights of the six URL sources, and the times of refresh when smart refresh is off.',
  {},
  { children: ['UrlSource', 'Refresh'], once: true },
);

export const ROOT = element('Root', 'A URL at which the crawl begins.', {
  url: attribute(t.httpUrl, 'The root URL.', { required: true }),
  site: attribute(
    t.boolean,
    'Site mode: links and redirects stay on the site of this root, and its URLs are accepted unless a rule says otherwise. `http://foo.com/bar`: URLs that begin with it; `http://foo.com`: foo.com and www.foo.com. Default: true, or false with entireSite.',
  ),
  entireSite: attribute(
    t.boolean,
    'Index Entire Site (FDSE): stay in the directory of this document and below; its URLs are accepted unless a rule says otherwise.',
    { default: 'false' },
  ),
  priority: attribute(t.integer(-2, 2), 'Priority shift: -2 is the highest priority, 2 the lowest.', { default: '0' }),
  group: attribute(t.text, 'Rules group that the root belongs to; only used to organize the file and by the linter.'),
  kvs: attribute(t.keyValues, 'Metas to add to every document found from this root.'),
  followLinks: attribute(
    t.boolean,
    'Off: the links of the page are only listed, so that an operator can choose from them; none are queued (FDSE).',
    { default: 'true' },
  ),
});

const ACTIONS = [
  'Index',
  'NoIndex',
  'Follow',
  'NoFollow',
  'Accept',
  'Ignore',
  'Source',
  'AddMeta',
  'Priority',
  'Render',
];

export const RULES = element(
  'Rules',
  'A group of rules. All rules of a crawler run in file order; groups only organize them.',
  {
    group: attribute(t.text, 'Name of the group.', { default: 'default' }),
    key: attribute(
      t.text,
      'Marker that indicates who wrote the group, for example `auto`; it is kept, but Crawlway does not use it.',
    ),
  },
  { children: ['Rule'] },
);

export const RULE = element(
  'Rule',
  'Match elements (several are combined by And) and actions. Each matching rule sets only the aspects it names; a later rule overrides an earlier one aspect by aspect.',
  {},
  { children: [...MATCH_ELEMENTS, ...ACTIONS] },
);

export const INDEX = element('Index', 'Index the document.', {});
export const NO_INDEX = element('NoIndex', 'Do not index the document.', {});
export const FOLLOW = element('Follow', 'Follow the links of the document.', {});
export const NO_FOLLOW = element('NoFollow', 'Do not follow the links of the document.', {});
export const ACCEPT = element('Accept', 'Crawl the URL.', {});
export const IGNORE = element('Ignore', 'Do not crawl the URL: not accepted, not indexed, not followed.', {});
export const SOURCE = element('Source', 'Push the document under this source.', {
  name: attribute(t.nonEmptyText, 'Name of the source.', { required: true }),
});
export const ADD_META = element('AddMeta', 'Add a meta to the document.', {
  name: attribute(t.nonEmptyText, 'Name of the meta.', { required: true }),
  value: attribute(t.text, 'Value of the meta.', { required: true, aliases: ['val'] }),
  scope: attribute(
    t.enumeration(['document', 'links']),
    '`links`: documents found through this one also get the meta.',
    { default: 'document' },
  ),
});
export const PRIORITY = element(
  'Priority',
  'Move the URL among the sources: the shift is added to its natural source number and clamped to 0 … 4.',
  {
    shift: attribute(
      t.integer(-2, 2),
      '-2 is the highest priority, -1 higher than normal, 0 normal, 1 lower, 2 the lowest.',
      { required: true },
    ),
  },
);

export const RENDER = element(
  'Render',
  'How pages are rendered (docs/rendering.md); settings that are not specified stay unchanged.',
  {
    mode: attribute(t.enumeration(['never', 'auto', 'always']), 'Same as `render` on Crawler.'),
    readyWhen: attribute(t.trimInput(t.text), 'Same as `readyWhen` on Renderer.'),
    steps: attribute(
      t.renderSteps,
      'Steps to carry out on the page before it is read: `click SELECTOR`, `scroll` or `scroll TIMES`, `more` or `more TIMES` (scroll, and click buttons for more, until nothing is added), `wait SECONDS`, separated by semicolons.',
    ),
  },
);
