/** Everything that the linter says of a configuration that compiles, as data: stable code → meaning. All are warnings. */
import type { Place, Problem } from '../../crawl/place.js';

export const LINT_CODES = {
  'rule-never-matches': 'A crawl rule that no URL can match.',
  'rule-overridden': 'A crawl rule whose actions are all undone by one later rule that matches the same URLs.',
  'ignore-undone': 'URLs that a rule ignores are accepted again by a later rule.',
  'group-crossing': 'A rule of one group that matches a root of another.',
  'nothing-accepted': 'A rule grants index or follow, and nothing accepts what it matches.',
  'fetched-for-nothing': 'A rule accepts URLs and grants neither index nor follow.',
  'open-prefix': 'A prefix without an end slash that also covers a sibling host or folder.',
  'root-rejected': 'A root URL that the crawl policy rejects, or that is no URL.',
  'condition-unreachable': 'A condition that can have no effect where it stands.',
  'space-rule-unreachable': 'A rule of a crawl space that an earlier one always comes before.',
  'server-duplicate': 'Two server records with the same URL, of which the last one counts.',
  'host-in-two-spaces': 'A host that the local crawl spaces of two crawlers take.',
  'host-in-no-space': 'A host that the global crawl space allows and no local one takes.',
  'rules-not-compared': 'There are more rules than the linter compares with each other.',
} as const;

export type LintCode = keyof typeof LINT_CODES;

export const warning = (code: LintCode, place: Place, message: string): Problem => ({
  severity: 'warning',
  code,
  message,
  place,
});
