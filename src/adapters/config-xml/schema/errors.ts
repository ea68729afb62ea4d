/** The elements for errors, deletions after an outage, error pages with status 200, and endless sites. */
import { isHoldCause } from '../../../domain/crawl/change-guard.js';
import { ERROR_CODES, type ErrorCode } from '../../../domain/fetch/error-codes.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

export const ERROR_POLICY = element(
  'ErrorPolicy',
  'How errors are classified.',
  {
    maxTemporaryErrors: attribute(
      t.integer(0, 10_000),
      'Number of consecutive temporary errors on refresh after which a document is deleted.',
      { default: '5' },
    ),
    retryDelayS: attribute(
      t.durationS(1),
      'Time to wait before a URL with a temporary error is retried; it grows sixfold with each consecutive error.',
      {
        default: '60',
        unit: 's',
      },
    ),
    maxRetryDelayS: attribute(t.durationS(1), 'Maximum time to wait before a retry.', { default: '86400', unit: 's' }),
  },
  { children: ['Error'], once: true },
);
export const ERROR = element(
  'Error',
  'Assigns an error code to a class; the defaults are in the table of error codes.',
  {
    // What the change guard holds is never a reason to delete.
    code: attribute(
      t.enumeration((Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => !isHoldCause(code))),
      'Error code.',
      { required: true },
    ),
    class: attribute(t.enumeration(['permanent', 'temporary']), 'Class to assign the code to.', { required: true }),
  },
);

export const DELETION_GUARD = element(
  'DeletionGuard',
  'A deletion that results from a server fault (any error except 404 and 410) waits until the host has served a good page again; if deletions for one host exceed both limits within the window, further ones are held until an operator decides.',
  {
    enabled: attribute(t.boolean, 'Off: deletions are always sent at once.', { default: 'true' }),
    maxDeletions: attribute(t.integer(0), 'Maximum number of deletions for one host within the window.', {
      default: '50',
    }),
    maxShare: attribute(
      t.decimal(0, 1),
      "Maximum share of the host's indexed documents that may be deleted within the window.",
      { default: '0.1' },
    ),
    windowS: attribute(t.durationS(1), 'Length of the window.', { default: '3600', unit: 's' }),
    signOfLife: attribute(
      t.boolean,
      'Off: a deletion that results from a server fault is sent at the first such error and does not count towards the limits, as in the reference system.',
      { default: 'true' },
    ),
    signOfLifeHours: attribute(
      t.integer(1),
      'Maximum time that a deletion waits for a sign of life of its host; after that, only the limits decide.',
      { default: '24', unit: 'h' },
    ),
  },
  { once: true },
);

export const CHANGE_GUARD = element(
  'ChangeGuard',
  'A page whose text has nothing in common with its indexed document, or that newly says that it must not be indexed, is compared with other pages of its host first. If they all say the same (a maintenance page, a login form, nothing, `noindex` in a template), the documents stay as they are until the pages have answers of their own again, or an operator decides.',
  {
    enabled: attribute(t.boolean, 'Off: whatever a page says is believed at once.', { default: 'true' }),
    believeAfterHours: attribute(
      t.integer(1),
      'Time after which a held change is believed although the host has not recovered. Without it, only an operator can release it earlier.',
      { unit: 'h' },
    ),
  },
  { once: true },
);

export const KEEP_TEXTS = element(
  'KeepTexts',
  'Keeps the texts of documents that change, before and after each change, in the database, so that `crawlway changes --diff` can compare them. Without this element, no text is kept.',
  {
    days: attribute(t.integer(1, 400), 'How long they are kept.', { default: '30', unit: 'days' }),
    maxCharacters: attribute(t.integer(100, 1_000_000), 'Maximum length of one text; the rest is not compared.', {
      default: '20000',
    }),
    maxChanges: attribute(t.integer(1, 1_000_000), 'Maximum number of changes; the oldest are forgotten first.', {
      default: '10000',
    }),
  },
  { once: true },
);

export const SOFT_ERRORS = element(
  'SoftErrors',
  'Responses with status 200 that are actually errors (OmniFind).',
  {
    probe: attribute(
      t.enumeration(['true', 'auto', 'false']),
      'Request a page that cannot exist from a host; its pages that look like the response are treated as errors. `auto`: once a page of the host looks like an error page, at most once a day; `true`: once a day from every host.',
      { default: 'auto' },
    ),
  },
  {
    children: ['SoftError'],
    once: true,
  },
);
export const SOFT_ERROR = element('SoftError', 'A pattern that identifies pages that are errors despite status 200.', {
  url: attribute(t.nonEmptyText, 'Regular expression (linear time) to search for in the URL.'),
  title: attribute(
    t.nonEmptyText,
    'Regular expression (linear time) to search for in the title. If several patterns are set, all of them must match.',
  ),
  content: attribute(t.nonEmptyText, 'Regular expression (linear time) to search for in the text of the page.'),
  field: attribute(
    t.enumeration(['url', 'title', 'content']),
    'The part of the page in which to search for `pattern`; use `field` and `pattern` instead of the three attributes above.',
  ),
  pattern: attribute(t.nonEmptyText, 'Regular expression (linear time) to search for in `field`.'),
  status: attribute(t.integer(400, 599), 'HTTP status to treat the response as.', { default: '404' }),
});

export const LEAVE_OUT = element(
  'LeaveOut',
  'Pages with a good status that are left out of the index all the same, because nobody searches for them.',
  {
    exactDuplicates: attribute(
      t.boolean,
      'Pages with the text of another page of their site, such as `/index.html` beside `/`, or `www.` beside the bare host. One of them is in the index.',
      { default: 'true' },
    ),
    directoryListings: attribute(
      t.boolean,
      'Listings of folders that web servers generate. Their links are followed, except those that sort the listing.',
      { default: 'true' },
    ),
    unlinked: attribute(
      t.boolean,
      'Error and login pages to which only redirects lead, and pages that a host sends instead of a sitemap that nobody named.',
      { default: 'true' },
    ),
  },
  { once: true },
);

export const TRAPS = element(
  'Traps',
  'Limits for endless sites.',
  {
    maxPathDepth: attribute(t.integer(1, 1000), 'Maximum number of path segments of a URL.', { default: '40' }),
    maxRepeatedSegments: attribute(t.integer(1, 1000), 'Maximum number of times that a segment may appear in a path.', {
      default: '4',
    }),
    maxQueryVariants: attribute(
      t.integer(1),
      'Maximum number of URLs of one host that differ only in their query; pages of other sites may name a tenth as many beside them.',
      { default: '50000' },
    ),
    maxPatternUrls: attribute(
      t.integer(1),
      'Number of URLs of one host that differ only in numbers, dates, ids and their query, repeat a segment of their path or contain a list (`red+wool`). Once it is reached, further URLs of this kind are accepted only from pages that contain something new: a word, or links to other pages.',
      { default: '1000' },
    ),
    maxUrlsPerHost: attribute(
      t.integer(1),
      'Maximum number of URLs of one host; pages of other sites may name a tenth as many beside them.',
      { default: '5000000' },
    ),
    maxLinksPerPage: attribute(
      t.integer(1, 1_000_000),
      'Maximum number of different URLs in the links of one page, not counting fragments and repeats. Further links are ignored (`links-cut`).',
      { default: '50000' },
    ),
  },
  { once: true },
);
