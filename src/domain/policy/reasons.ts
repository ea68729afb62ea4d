/**
 * Every reason that Crawlway gives for what becomes of a URL, as data: stable code → who says so, what it means, what to
 * change. Verdicts, URL states, orders, metrics, docs and console use these codes. Why a visit failed is told by the codes
 * of domain/fetch/error-codes.ts.
 */
export interface ReasonEntry {
  /** A layer of the crawl policy, or the part of the crawl that decides. */
  readonly layer: string;
  readonly meaning: string;
  readonly remedy: string;
}

const by =
  (layer: string) =>
  (meaning: string, remedy: string): ReasonEntry => ({ layer, meaning, remedy });

const linkRules = by('link-rules');
const siteMode = by('site-mode');
const crawlSpace = by('crawl-space');
const serverRecords = by('server-records');
const conditions = by('conditions');
const crawlRules = by('crawl-rules');
const traps = by('traps');
const robots = by('robots');
const page = by('page');
const refresh = by('refresh');
const push = by('push');
const person = by('person');
const configuration = by('configuration');
const frontier = by('frontier');

const NOTHING = 'Nothing to do.';

export const REASONS = {
  accepted: by('all')('No layer of the crawl policy rejects the URL.', NOTHING),

  'protocol-not-allowed': linkRules(
    'The URL has a protocol that this crawler does not speak.',
    'Add the protocol to `protocols` of LinkRules (http and https can be crawled).',
  ),
  'url-too-long': linkRules(
    'The link is longer than `maxUrlLength` characters.',
    'Raise `maxUrlLength` of LinkRules, or mend the page that makes such long links.',
  ),
  'query-string': linkRules(
    'The link has a query string and `followQueryStrings` is off.',
    'Set `followQueryStrings="true"` in LinkRules.',
  ),
  'extension-ignored': linkRules(
    'The file extension is one of `ignoreLinksTo`.',
    'Take the extension out of `ignoreLinksTo` in LinkRules.',
  ),
  offsite: linkRules(
    'The link leads to another host than its page, and `followOffsite` is off.',
    'Set `followOffsite="true"` in LinkRules, or submit the other host as a root of its own.',
  ),
  'trap-path-depth': linkRules(
    'The path has more segments than `maxPathDepth`: typical of links that grow with every page.',
    'Mend the relative links on the site, or raise `maxPathDepth` of Traps.',
  ),
  'trap-repeated-segments': linkRules(
    'One path segment stands in the path more often than `maxRepeatedSegments`: typical of links that feed on themselves.',
    'Mend the relative links on the site, or raise `maxRepeatedSegments` of Traps.',
  ),

  'outside-site': siteMode(
    'The root that led here is crawled in site mode and the URL is not on its site.',
    'Add a root for the other site, or set `site="false"` on the root.',
  ),
  'outside-directory': siteMode(
    'The root that led here indexes its entire site only, and the URL is outside the directory of the root document.',
    'Submit a root higher up, or turn Index Entire Site off for the root.',
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
    'A local domain rule forbids the host and global.rules allows it: another crawler has it now, the document stays. Status 761.',
    'Nothing, when a local crawl space of another crawler takes the host; `crawlway check` tells.',
  ),

  'no-server-record': serverRecords(
    'No Server record is a prefix of the URL.',
    'Add a Server record for it, or set `followOutside="yes"` on Servers.',
  ),
  'outside-server': serverRecords(
    'With `deleteNoServer="no"` links are followed only inside the server of their page, and this one leads to another.',
    'Submit a URL of the other server, or set `followOutside="yes"` on Servers.',
  ),
  'server-max-hops': serverRecords(
    'More links lie between the root and the URL than `maxHops` of its Server record allows.',
    'Raise `maxHops` of the record, or submit a root nearer to the URL.',
  ),

  'condition-filtered': conditions(
    'A condition (URLs may not have, URLs must have) filters the URL.',
    'Change the condition at the place shown; being filtered cannot be undone by a later rule.',
  ),
  'condition-disallowed': conditions(
    'No condition filters the URL, but `default-allow` is `disallow` for it.',
    'Set `default-allow` to `allow` in a condition that applies for the URL.',
  ),
  'condition-max-hops': conditions(
    'More links lie between the root and the URL than the option `max-hops` allows.',
    'Raise `max-hops` where it is set last for the URL, or submit a root nearer to it.',
  ),

  'rule-ignored': crawlRules(
    'The last crawl rule with a say in the matter has the action Ignore.',
    'Change that rule, or put a rule with Accept after it.',
  ),
  'not-accepted': crawlRules(
    'No matching crawl rule has Accept or Ignore, and `defaultAccept` is off.',
    'Add a rule with Accept that matches the URL, or set `defaultAccept="true"`.',
  ),

  'trap-query-variants': traps(
    'The host has more URLs that differ only in their query than `maxQueryVariants`.',
    'Ignore query strings of that path by a crawl rule, add `remove-tracking-parameters` to `steps` of Canonicalization, or raise `maxQueryVariants` of Traps.',
  ),
  'trap-endless-pattern': traps(
    'The host has more URLs that differ only in numbers, dates, ids and their query than `maxPatternUrls`, and the last 50 of them brought nothing new: no word and no link to anything else. Typical of calendars, next links without end and facets.',
    'Nothing to do for a calendar. When the pages are wanted, raise `maxPatternUrls` of Traps, or submit a list or a sitemap of them.',
  ),
  'trap-host-size': traps(
    'The host has more URLs than `maxUrlsPerHost`.',
    'Exclude the parts that multiply without end, or raise `maxUrlsPerHost` of Traps.',
  ),

  'robots-disallowed': robots(
    'The robots.txt of the host forbids the URL to this agent.',
    'Ask the site to admit the agent; `ignoreRobotsTxt="true"` only for sites that are your own.',
  ),
  noindex: robots(
    'The page says noindex (meta robots or X-Robots-Tag).',
    'Take noindex off the page if it is to be found.',
  ),
  nofollow: robots(
    'The page, or the link, says nofollow.',
    'Take nofollow off the page, or link to the URL from another page.',
  ),

  'no-index': page(
    'The crawl policy lets the page be read for its links only: it is not indexed.',
    'Add a rule with Index for it, or set `defaultIndex="true"`; a Server record with `index="no"` forbids it as well.',
  ),
  'mime-type-excluded': page(
    'The content type is not one that this crawler indexes.',
    'Change MimeTypes and `mimeTypesMode` of the crawler.',
  ),
  'canonical-elsewhere': page(
    'The page names another URL as its canonical one, which is in the index or waits for its first visit.',
    'Mend rel=canonical on the page if it is wrong.',
  ),
  'near-duplicate': page(
    'The text is nearly the same as that of another document of the index.',
    'Set `nearDuplicateDetector="false"` to index both.',
  ),
  redirected: page(
    'The URL answers with a redirect; the target is crawled, the old document is deleted.',
    'Nothing, or link to the target.',
  ),

  'status-removed': refresh(
    'The URL failed again when it was refreshed: its status is removed until a link to it is found anew.',
    'Mend the page, then link to it or submit it.',
  ),
  'permanent-error': refresh(
    'The URL has a permanent error, so its document is deleted.',
    'Look at the last visit; the error code there names the remedy.',
  ),
  'too-many-temporary-errors': refresh(
    'More temporary errors in a row than `maxTemporaryErrors`.',
    'Mend the host, or raise `maxTemporaryErrors` of ErrorPolicy; submit the URL to try again now.',
  ),
  'refresh-due': refresh('The time of the next visit has come.', NOTHING),
  'refresh-forced': refresh('A person asked for a visit now.', NOTHING),
  indexed: refresh('The document is new and in the index.', NOTHING),
  changed: refresh('The document has changed since the last visit and was pushed again.', NOTHING),
  unchanged: refresh('The document has not changed since the last visit.', NOTHING),
  'links-only': refresh('The page was read for its links; nothing of it is indexed.', NOTHING),

  'configuration-changed': configuration(
    'A change of the configuration put the URL outside the crawl policy.',
    'Explain the URL to see the layer that rejects it now.',
  ),
  'crawler-removed': configuration(
    'The crawler of this URL is no longer configured.',
    'Put the crawler back into the configuration.',
  ),

  'cleared-by-person': person(
    'A person cleared the URL; it is gone until a link to it is found anew.',
    'Submit it to crawl it again.',
  ),
  submitted: person('A person, a url list or the configuration submitted the URL as a root.', NOTHING),
  imported: person('The URL came with an imported pending file.', NOTHING),
  'links-not-followed': person(
    'Links of this root are listed, not queued (`followLinks` is off).',
    'Submit the links that are wanted, or turn following on for the root.',
  ),

  discovered: frontier('A page, a redirect or a sitemap led to the URL; it waits for its first visit.', NOTHING),
  'redirect-target': frontier('A redirect led to the URL; it waits for its first visit.', NOTHING),

  held: push(
    'The deletion guard holds the order back: too many documents of the host would go at once.',
    'Look at the host, then release or drop the held deletions.',
  ),
  'came-back': push('The page answers again, so its deletion was withdrawn.', NOTHING),
  superseded: push('A later order for the same URI took the place of this one.', NOTHING),
  'order-refused': push(
    'A sink will never take the document: its order is set aside with the message of the sink.',
    'Read the message of the order, mend the cause, then retry the order.',
  ),
  reconciled: push(
    'The index and the store of the crawler did not agree, and the index was set right.',
    'Nothing, unless it happens often: then look at what else writes to that index.',
  ),
  'sink-lost-documents': push('The sink restarted without what it had not yet synced; it is sent again.', NOTHING),
} as const satisfies Record<string, ReasonEntry>;

export type ReasonCode = keyof typeof REASONS;
