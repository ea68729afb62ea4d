/**
 * Every reason that Crawlway gives for what happens to a URL, as data: a stable code, who decides, what it means and
 * what to change. Verdicts, URL states, orders, metrics, docs and console use these codes. The codes for failed visits
 * are in domain/fetch/error-codes.ts.
 */
import type { ErrorCode } from '../fetch/error-codes.js';

export interface ReasonEntry {
  /** The layer of the crawl policy, or the part of the crawl, that decides. */
  readonly layer: string;
  readonly meaning: string;
  readonly remedy: string;
}

const createEntryFactory =
  (layer: string) =>
  (meaning: string, remedy: string): ReasonEntry => ({ layer, meaning, remedy });

const linkRules = createEntryFactory('link-rules');
const siteMode = createEntryFactory('site-mode');
const crawlSpace = createEntryFactory('crawl-space');
const serverRecords = createEntryFactory('server-records');
const conditions = createEntryFactory('conditions');
const crawlRules = createEntryFactory('crawl-rules');
const traps = createEntryFactory('traps');
const robots = createEntryFactory('robots');
const page = createEntryFactory('page');
const refresh = createEntryFactory('refresh');
const push = createEntryFactory('push');
const person = createEntryFactory('person');
const configuration = createEntryFactory('configuration');
const frontier = createEntryFactory('frontier');

const NOTHING_TO_DO = 'Nothing to do.';

export const REASONS = {
  accepted: createEntryFactory('all')('No layer of the crawl policy rejects the URL.', NOTHING_TO_DO),

  'protocol-not-allowed': linkRules(
    'The URL has a protocol that this crawler does not use.',
    'Add the protocol to `protocols` of LinkRules (http and https can be crawled).',
  ),
  'url-too-long': linkRules(
    'The link is longer than `maxUrlLength` characters.',
    'Raise `maxUrlLength` of LinkRules, or fix the page that contains the long link.',
  ),
  'query-string': linkRules(
    'The link has a query string and `followQueryStrings` is off.',
    'Set `followQueryStrings="true"` in LinkRules.',
  ),
  'extension-ignored': linkRules(
    'The file extension is one of `ignoreLinksTo`.',
    'Remove the extension from `ignoreLinksTo` in LinkRules.',
  ),
  offsite: linkRules(
    'The link leads to a different host than its page, and `followOffsite` is off.',
    'Set `followOffsite="true"` in LinkRules, or submit the other host as a separate root.',
  ),
  'trap-path-depth': linkRules(
    'The path has more segments than `maxPathDepth`, which is typical of links that grow with every page.',
    'Fix the relative links on the site, or raise `maxPathDepth` of Traps.',
  ),
  'trap-repeated-segments': linkRules(
    'One segment occurs in the path more often than `maxRepeatedSegments` allows, which is typical of relative links that keep extending themselves.',
    'Fix the relative links on the site, or raise `maxRepeatedSegments` of Traps.',
  ),

  'outside-site': siteMode(
    'The root that led to the URL is crawled in site mode and the URL is not on its site.',
    'Add a root for the other site, or set `site="false"` on the root.',
  ),
  'move-to-another-domain': siteMode(
    'The home page of the site redirects to another registrable domain. The crawl does not follow it there, and the documents stay, until an operator decides.',
    'Decide with `POST /crawlers/{crawler}/moves`, or set `followMoves="any"` on the crawler.',
  ),
  'move-to-private-address': siteMode(
    'The home page of a public site redirects to a private address. The crawl does not follow it there, and the documents stay, until an operator decides.',
    'Check the site: this may be an attack on internal servers. Decide with `POST /crawlers/{crawler}/moves`.',
  ),
  'move-to-another-crawler': siteMode(
    'The home page of the site redirects to a host that another crawler covers. The crawl does not follow it there, and the documents stay.',
    'Nothing to do if the other crawler covers the new site: decline the move, and the old documents leave as their pages redirect. Otherwise, remove its root for the host.',
  ),
  'moves-not-followed': siteMode(
    'The home page of the site redirects to another site, and `followMoves` is `never`. The documents stay until an operator decides.',
    'Decide with `POST /crawlers/{crawler}/moves`.',
  ),
  'owned-by-another-crawler': siteMode(
    'A root of another crawler that pushes to the same sink covers the URL, and no root of this one does: each URI has one owner, whose access rights it carries.',
    'Nothing to do. To have this crawler push it, add a root for its site here, and remove the other one.',
  ),
  'outside-directory': siteMode(
    'The root that led to the URL has Index Entire Site on, and the URL is outside the directory of the root document.',
    'Submit a root at a higher level of the site, or turn off Index Entire Site for this root.',
  ),

  'crawl-space-domain': crawlSpace(
    'A domain rule of the crawl space forbids the host, and no global crawl space allows it: status 760.',
    'Change or move the rule in crawl.rules; to leave the host to another crawler, allow it in global.rules.',
  ),
  'crawl-space-address': crawlSpace(
    "An address rule of the crawl space forbids the host's IP address: status 760.",
    'Change or move the rule in crawl.rules.',
  ),
  'crawl-space-prefix': crawlSpace(
    'A prefix rule of the crawl space forbids the URL: status 760.',
    'Change or move the rule in crawl.rules.',
  ),
  'left-to-another-crawler': crawlSpace(
    'A local domain rule forbids the host and global.rules allows it: it now belongs to another crawler, and the document stays. Status 761.',
    'Nothing to do if the local crawl space of another crawler accepts the host; `crawlway check` warns if none does.',
  ),

  'no-server-record': serverRecords(
    'No Server record is a prefix of the URL.',
    'Add a Server record for it, or set `followOutside="yes"` on Servers.',
  ),
  'outside-server': serverRecords(
    'With `deleteNoServer="no"`, links are only followed if they stay on the server of their page, and this one leads to another server.',
    'Submit a URL of the other server, or set `followOutside="yes"` on Servers.',
  ),
  'server-max-hops': serverRecords(
    'There are more links between the root and the URL than `maxHops` of its Server record allows.',
    'Raise `maxHops` of the record, or submit the URL, or the page that links to it, as a root.',
  ),

  'condition-filtered': conditions(
    'A condition (URLs may not have, URLs must have) filters the URL.',
    'Change the condition at the place shown; a later rule cannot readmit a URL that has been filtered.',
  ),
  'condition-disallowed': conditions(
    'No condition filters the URL, but `default-allow` is `disallow` for it.',
    'Set `default-allow` to `allow` in a condition that applies to the URL.',
  ),
  'condition-max-hops': conditions(
    'There are more links between the root and the URL than the option `max-hops` allows.',
    'Raise `max-hops` where it is last set for the URL, or submit the URL, or the page that links to it, as a root.',
  ),

  'rule-ignored': crawlRules(
    'The last matching crawl rule with an Accept or Ignore action uses Ignore.',
    'Change that rule, or put a rule with Accept after it.',
  ),
  'not-accepted': crawlRules(
    'No matching crawl rule has Accept or Ignore, `defaultAccept` is off, and the URL is not on the site of a root in site mode.',
    'Add a rule with Accept that matches the URL, write a Root for its site, or set `defaultAccept="true"`.',
  ),

  'trap-query-variants': traps(
    'The host has more URLs that differ only in their query than `maxQueryVariants`; or a single page of the host, or pages of other sites, have named more than a tenth of that number.',
    'See which pages name them: if it is one page, or pages of other sites, nothing is wrong with this host. Otherwise, ignore URLs with a query string on that path with a crawl rule, add `remove-tracking-parameters` to `steps` of Canonicalization, or raise `maxQueryVariants` of Traps.',
  ),
  'trap-endless-pattern': traps(
    'More URLs of the host than `maxPatternUrls` differ only in numbers, dates, ids and their query, repeat a segment of their path or contain a list (`red+wool`), and the last 50 of them contained nothing new: no new word and no link to anything else. This is typical of calendars, endless next links and facets.',
    'Nothing to do for a calendar. If you want the pages, raise `maxPatternUrls` of Traps, or submit a list or a sitemap of them.',
  ),
  'trap-repeated-text': traps(
    'The page that links to the URL repeats the text of another document, and so did the last 20 pages found on such pages. This is typical of relative links on a site that answers every URL with one page.',
    'Fix the relative links on the site. If you want the pages, submit a list or a sitemap of them, or set `exactDuplicates="false"` of LeaveOut.',
  ),
  'links-cut': traps(
    'The page that links to the URL has links to more URLs than `maxLinksPerPage`; this URL is beyond the limit.',
    'Raise `maxLinksPerPage` of Traps, or submit a list or a sitemap of the URLs.',
  ),
  'trap-host-size': traps(
    'The host has more URLs than `maxUrlsPerHost`; or pages of other sites have named more than a tenth of that number.',
    'See which pages name them: if those are of other sites, nothing is wrong with this host. Otherwise, exclude the parts that multiply indefinitely, or raise `maxUrlsPerHost` of Traps.',
  ),

  'quota-urls': traps(
    'A quota of the crawler allows no more stored URLs.',
    'Raise `maxUrls` of the Quota, or exclude URLs that nobody needs and forget them.',
  ),

  'robots-disallowed': robots(
    "The host's robots.txt disallows the URL for this agent.",
    'Ask the site to allow the agent; use `ignoreRobotsTxt="true"` only for sites of your own.',
  ),
  'login-page': page("Visitors log in or out on this page. Visiting it would end the crawl's session.", NOTHING_TO_DO),
  noindex: robots(
    'The page says noindex (robots meta tag or X-Robots-Tag).',
    'Remove noindex from the page if you want the page to be searchable.',
  ),
  'unavailable-after': robots(
    'The page says that it may no longer be shown (unavailable_after, in a robots meta tag or X-Robots-Tag).',
    'Nothing to do if the date is right; otherwise, fix the date on the page.',
  ),
  'search-not-allowed': robots(
    'The site forbids search engines to index the page: `search=n` in Content-Usage or `search=no` in Content-Signal, in robots.txt, in the response header or in a meta tag of the page.',
    'Ask the site to allow it; for sites of your own, the option `obey-robots` of a condition overrides this.',
  ),
  nofollow: robots(
    'The page, or the link, says nofollow.',
    'Remove nofollow from the page, or link to the URL from another page.',
  ),

  'no-index': page(
    'The crawl policy allows the page to be read only for its links, not to be indexed.',
    'Add a rule with Index for it, or set `defaultIndex="true"`; a Server record with `index="no"` also excludes it from the index.',
  ),
  'machine-readable': page(
    'The URL is meant for programs, such as a feed: its links are followed, but it is not a document for readers.',
    NOTHING_TO_DO,
  ),
  'mime-type-excluded': page(
    'This crawler does not index the content type.',
    'Change MimeTypes and `mimeTypesMode` of the crawler.',
  ),
  'excluded-by-plugin': page(
    "A plug-in excludes the page from the index; the detail is the plug-in's reason.",
    'Check the plug-in that the detail names.',
  ),
  'canonical-elsewhere': page(
    'The page declares a different canonical URL, which is in the index or waiting for its first visit.',
    'Fix rel=canonical on the page if it is wrong.',
  ),
  'near-duplicate': page(
    'The text is nearly the same as that of another document in the index.',
    'Set `nearDuplicateDetector="false"` to index both, or `nearDuplicateScope="domain"` if they are of two sites.',
  ),
  'exact-duplicate': page(
    'The text and title are those of another document of the same site: this is the same page under another address.',
    'Nothing to do; the page is indexed at once if the other document leaves. Set `exactDuplicates="false"` of LeaveOut to index both.',
  ),
  'quota-documents': page(
    'A quota of the crawler allows no more documents in the index.',
    'Raise `maxDocuments` of the Quota, or exclude documents that nobody needs; the page is indexed at its next visit.',
  ),
  'directory-listing': page(
    'The page is a listing of a folder that the web server generates: it is read for its links, except those that sort it.',
    'Set `directoryListings="false"` of LeaveOut to index listings.',
  ),
  'not-linked': page(
    'No page links to the URL: only redirects lead to this error or login page, or the host sent it instead of a sitemap that nobody named.',
    'Link to the page from another one, submit it, or set `unlinked="false"` of LeaveOut.',
  ),
  'extract-unsupported': page(
    'No extractor reads content of this type: the document is pushed with its bytes and metas, without text.',
    'Nothing to do if the sink extracts text itself; otherwise, you can exclude the type with MimeTypes.',
  ),
  'extract-timeout': page(
    'Extracting the text took longer than allowed: the document is pushed with its bytes and metas, without text.',
    'Check the file, or exclude the page.',
  ),
  'extract-memory': page(
    'Extracting the text took more memory than allowed: the document is pushed with its bytes and metas, without text.',
    'Check the file, or exclude the page.',
  ),
  'extract-encrypted': page(
    'The content is encrypted: the document is pushed with its bytes and metas, without text.',
    'Publish the file without a password if you want its text to be searchable.',
  ),
  'extract-corrupt': page(
    'The content does not match its type, or is damaged: the document is pushed with its bytes and metas, without text.',
    'Check the file and publish an intact one.',
  ),
  'no-text-layer': page(
    'The document is in the index with hardly any text: its pages are pictures, such as scans, without a text layer.',
    'Have it read by character recognition (`ocr` of the Extractor), or run the file through it and publish the result.',
  ),
  'text-by-ocr': page(
    'The document is in the index with text that character recognition (OCR) read from pictures of its pages, with some errors.',
    'Publish the file with a text layer if this text is not good enough.',
  ),
  'text-incomplete': page(
    'The document is in the index with only a part of its text: the rest is damaged, beyond the length that is read, or in characters that the file does not identify.',
    'Publish an intact file, or several smaller ones; for a PDF, use fonts that identify their characters (tagged PDF, PDF/A-2u), or run it through character recognition.',
  ),
  'text-cut': page(
    'The document is in the index with only the beginning of its text: reading took too long. It is read again at its next visit, changed or not.',
    'Raise `timeLimitMS` of the Extractor if this persists; the document may have very many pages.',
  ),
  'needs-rendering': page(
    'The page is in the index with hardly any text: its content would come from scripts, which are not run.',
    'Set `render="auto"` on the crawler, or the option `render-mode` for these URLs, with Chromium on the server: see docs/rendering.md.',
  ),
  redirected: page(
    'The URL responds with a redirect; the target is crawled. The document of the old address is deleted once that of the target is in the index.',
    'Nothing to do, unless you want to link to the target directly.',
  ),
  'redirected-for-now': page(
    'The URL responds with a temporary redirect (302, 303, 307), and its document has given way to the target. It is requested again soon, and when a page that links to it is visited.',
    'Nothing to do, unless the redirect is permanent: then the site should say so (301, 308).',
  ),
  'awaiting-redirect-target': page(
    'The URL responds with a redirect. Its document stays in the index until the target has been visited, and two other pages of the host have shown that not all of them are redirected there.',
    'Nothing to do: it takes a few minutes.',
  ),

  'removed-after-errors': refresh(
    'The URL had two permanent errors in a row, or more temporary ones than `maxTemporaryErrors`: its status became removed, and it is no longer refreshed. It is retried when a live page that links to it is visited, whether or not that page has changed.',
    'Fix the page: it is retried at the next visit to a page that links to it. To try again now, submit the URL.',
  ),
  'too-many-temporary-errors': refresh(
    'The URL had more temporary errors in a row than `maxTemporaryErrors` allows.',
    'Fix the host, or raise `maxTemporaryErrors` of ErrorPolicy; submit the URL to try again now.',
  ),
  indexed: refresh('The document is new and in the index.', NOTHING_TO_DO),
  changed: refresh('The document has changed since the last visit and was pushed again.', NOTHING_TO_DO),
  unchanged: refresh('The document has not changed since the last visit.', NOTHING_TO_DO),
  'links-only': refresh('The page was read for its links; none of its content is indexed.', NOTHING_TO_DO),

  'configuration-changed': configuration(
    'After a configuration change, the crawl policy accepts the URL again; it is waiting for its next visit.',
    NOTHING_TO_DO,
  ),

  'cleared-by-person': person(
    'An operator cleared the URL; it stays unknown until a page that links to it is visited.',
    'Submit it to crawl it again.',
  ),
  submitted: person(
    'The URL was submitted as a root: by a user, in a URL list or in the configuration.',
    NOTHING_TO_DO,
  ),
  imported: person('The URL was in an imported pending file.', NOTHING_TO_DO),
  'links-not-followed': person(
    'Links of this root are only listed, not queued (`followLinks` is off).',
    'Submit the links that you want, or turn on `followLinks` for the root.',
  ),

  'never-linked': frontier(
    'The configuration accepts the URL, but no page read so far links to it.',
    'Link to it from a page that is crawled, list it in a sitemap, or submit it.',
  ),
  discovered: frontier(
    'A page, a redirect or a sitemap led to the URL; it is waiting for its first visit.',
    NOTHING_TO_DO,
  ),
  'redirect-target': frontier('A redirect led to the URL; it is waiting for its first visit.', NOTHING_TO_DO),

  held: push(
    'The deletion guard holds the order back: too many documents of the host would be deleted at once.',
    'Check the host, then release or drop the held deletions.',
  ),
  'awaiting-sign-of-life': push(
    'The deletion follows from a server fault and waits until the host serves a good page again.',
    'Nothing to do: it is cancelled when the page responds again. Release it to delete the document now.',
  ),
  'awaiting-early-look': push(
    'Pages of the host are gone; a sample of its other pages is visited before the first document is deleted.',
    'Nothing to do: it takes a few minutes.',
  ),
  'awaiting-other-pages': push(
    'Other pages of the host fail in the same way, so the server is at fault, not this page: the deletion waits for a day at most; if the pages redirect, until they lead somewhere.',
    'Nothing to do: it is cancelled when the page responds again. Release it to delete the document now.',
  ),
  'awaiting-own-answers': push(
    'Other pages of the host have changed in the same way, so the change is held until they have answers of their own again.',
    'Nothing to do if the site has a fault: its pages are visited again automatically. Release the held changes of the host if they are right.',
  ),
  released: push(
    'An operator has released the held change: whatever the next visit finds is believed.',
    'Nothing to do: the page is visited at once.',
  ),
  'order-refused': push(
    "A sink has permanently refused the document: its order is set aside with the sink's message.",
    'Read the message of the order, fix the cause, then retry the order, or all of a sink with `crawlway orders retry --sink NAME`. A sink that replaces this one is offered the document automatically.',
  ),
  backfill: push(
    'A sink was added, or someone asked to fill it again: it receives everything that is indexed, from another sink or through visits.',
    'Nothing to do: GET /sinks and the console show the progress.',
  ),
  'access-changed': push(
    'Who may see the document has changed (cw:Acl): it was sent to the sink again with the new principals, unchanged or after a visit.',
    NOTHING_TO_DO,
  ),
  'sink-behind': push(
    'A sink was slow or down when the document changed; it is now receiving what is indexed.',
    'Nothing to do: GET /sinks and the console show what the sink is still owed.',
  ),
  'part-gone': push(
    'The page exists, but it no longer has the part from which this document was made (cw:Split).',
    'Nothing to do if the part is really gone; otherwise, check whether the selector of Split still matches the page.',
  ),
  'with-its-page': push(
    'The document was split off from a page (cw:Split) whose document is deleted.',
    'See the reason for its page.',
  ),
  adopted: push(
    'Another program has put a document with this URL into the sink, which was taken over (`crawlway sinks adopt`): the first visit replaces that document, or deletes it if the page is gone.',
    'Nothing to do: the visit is due.',
  ),
  reconciled: push(
    "The index and the crawler's store disagreed, and the index was corrected.",
    'Nothing to do, unless it happens often; in that case, check what else writes to that index.',
  ),
} as const satisfies Record<string, ReasonEntry>;

export type ReasonCode = keyof typeof REASONS;

/** Why a URL is in its state, or an order was decided: the decision about it, or how its visit failed. */
export type Reason = ReasonCode | ErrorCode;

/**
 * Converts a code from the store or another node. It may come from an earlier or later version and be unknown here, so
 * it is kept as is.
 */
export const toReason = (code: string): Reason => code as Reason;
