/**
 * Everything that the linter reports about a configuration that compiles, as data: stable codes with their meanings.
 * All are warnings.
 */
import type { Place, Problem } from '../../crawl/place.js';

export const LINT_CODES = {
  'rule-never-matches': 'A crawl rule that no URL can match.',
  'rule-overridden': 'A crawl rule whose actions are all undone by one later rule that matches the same URLs.',
  'ignore-undone': 'URLs that a rule ignores are accepted again by a later rule.',
  'grant-undone': 'URLs that a rule does not index or follow are indexed or followed because of a later rule.',
  'operator-in-pattern':
    'A dot or question mark in a regular expression that acts as an operator although the character itself seems to be meant.',
  'group-crossing': 'A rule of one group that matches a root of another group.',
  'outside-sites':
    'A rule, record or root for URLs that cannot be reached from any root, because links stay on the sites of roots.',
  'accept-without-effect': 'A rule with Accept for part of a site that site mode accepts as a whole.',
  'list-before-rule': 'A rule or condition that accepts URLs by an extension that ignoreLinksTo has already excluded.',
  'nothing-accepted': 'A rule that grants index or follow to URLs that nothing accepts.',
  'fetched-for-nothing': 'A rule that accepts URLs and grants neither index nor follow.',
  'open-prefix': 'A prefix without a trailing slash that also covers a sibling host or folder.',
  'credentials-unbound':
    'Credentials that are sent to fewer servers than their rule covers, or to servers that it does not name.',
  'default-beside-rules':
    'A default of `cw:Acl` beside rules for URL prefixes: hosts that no rule names are open to whoever it allows.',
  'root-rejected': 'A root URL that the crawl policy rejects, or that is not a URL.',
  'condition-unreachable': 'A condition that can have no effect in its place.',
  'space-rule-unreachable':
    'A crawl space rule that matches no URL, or only URLs that an earlier rule already matches.',
  'server-never-matches': 'A server record whose URL is not a prefix of any URL.',
  'server-duplicate': 'Two server records with the same URL, of which only the last one applies.',
  'period-too-short': 'A server record with a period of 0, which is treated as one second.',
  'host-in-two-spaces': 'A host that is allowed by the local crawl spaces of two crawlers.',
  'host-in-no-space': 'A host that the global crawl space allows but no local one does.',
  'rules-not-compared': 'There are more rules than the linter compares with each other.',
} as const;

export type LintCode = keyof typeof LINT_CODES;

export const createLintWarning = (code: LintCode, place: Place, message: string): Problem => ({
  severity: 'warning',
  code,
  message,
  place,
});
