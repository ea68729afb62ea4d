/** Converts the checked elements of recursive conditions to a tree of rules with their options. */
import type {
  ConditionRule,
  ConditionsDefinition,
  ConditionTest,
  DefaultAllow,
  UrlOptions,
} from '../../../domain/crawl/policy-definition.js';
import { isSecretHeader } from '../../../domain/redact.js';
import { Secret } from '../../../domain/secret.js';
import { findValidChildren, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as policy from '../schema/policy.js';
import { parseProxyUrl } from './server.js';

export function readConditions(
  node: Node<typeof policy.CONDITIONS.attributes>,
  problems: Problems,
): ConditionsDefinition {
  return {
    defaultAllow: normalizeDefaultAllow(node.values['default-allow']),
    options: readOptions(node as Node, problems),
    rules: readConditionRules(node as Node, problems),
    place: node.place,
  };
}

const normalizeDefaultAllow = (value: DefaultAllow | 'log-disallow'): DefaultAllow =>
  value === 'log-disallow' ? 'disallow-log' : value;

const RULE_KINDS = [policy.APPLY_FOR, policy.APPLY_EXCEPT_FOR, policy.MAY_NOT_HAVE, policy.MUST_HAVE].map(
  (spec) => spec.name,
);

type RuleValues = Node<typeof policy.MAY_NOT_HAVE.attributes>['values'];

function readConditionRules(parent: Node, problems: Problems): ConditionRule[] {
  const rules: ConditionRule[] = [];
  for (const node of parent.children) {
    if (node.broken || !RULE_KINDS.includes(node.spec.name)) continue;
    const values = node.values as RuleValues;
    rules.push({
      kind: node.spec.name as ConditionRule['kind'],
      test: readTest(values),
      log: values.log ?? false,
      options: readOptions(node, problems),
      children: readConditionRules(node, problems),
      place: node.place,
    });
  }
  return rules;
}

function readTest(values: RuleValues): ConditionTest {
  const { test: type, field } = values;
  // XML parsers replace line ends in attributes with spaces, so spaces separate the patterns; no URL contains any.
  const value = type === 'wildcard-set' ? values.value.trim().split(/\s+/).join('\n') : values.value;
  return { type, field, value, caseSensitive: values['case-sensitive'] };
}

const OPTION_KEYS: Readonly<Record<string, keyof UrlOptions>> = {
  'max-hops': 'maxHops',
  'throttle-ms': 'throttle',
  'concurrency-per-host': 'concurrencyPerHost',
  'connect-timeout-ms': 'connectTimeout',
  'read-timeout-ms': 'readTimeout',
  'total-timeout-ms': 'totalTimeout',
  'max-size-bytes': 'maxSize',
  'user-agent': 'userAgent',
  credentials: 'credentials',
  proxy: 'proxy',
  fetcher: 'fetcher',
  login: 'login',
  'obey-robots': 'obeyRobots',
  'render-mode': 'renderMode',
  content: 'content',
  'near-duplicate-detector': 'nearDuplicateDetector',
  'refresh-minimum-age-s': 'refreshMinimumAge',
  'refresh-maximum-age-s': 'refreshMaximumAge',
  weight: 'weight',
  'error-expiry-s': 'errorExpiry',
};

/** Reads the options directly inside an element. If an option is set more than once, the last setting wins. */
function readOptions(parent: Node, problems: Problems): UrlOptions {
  const options: Record<string, unknown> = {};
  const headers: Record<string, string | Secret> = {};
  for (const node of findValidChildren(parent, policy.OPTION)) {
    const name = node.values.name as keyof typeof policy.URL_OPTIONS;
    const parsed = policy.URL_OPTIONS[name].type.parse(node.values.value);
    if (!parsed.ok) {
      problems.add('bad-value', `option ${name}: the value is not valid; expected ${parsed.wanted}`, node.place);
    } else if (name === 'header') {
      const [header, value] = parsed.value as readonly [string, string];
      headers[header] = isSecretHeader(header) ? new Secret(value) : value;
    } else if (name === 'default-allow') {
      options['defaultAllow'] = normalizeDefaultAllow(parsed.value as DefaultAllow | 'log-disallow');
    } else if (name === 'credentials') options['credentials'] = new Secret(parsed.value as string);
    else if (name === 'proxy') options['proxy'] = parseProxyUrl(parsed.value as string);
    else options[OPTION_KEYS[name] as string] = parsed.value;
  }
  if (Object.keys(headers).length > 0) options['headers'] = headers;
  checkRefreshRange(options as UrlOptions, parent, problems);
  return options as UrlOptions;
}

function checkRefreshRange(
  { refreshMinimumAge, refreshMaximumAge }: UrlOptions,
  { place }: Node,
  problems: Problems,
): void {
  if (refreshMinimumAge !== undefined && refreshMaximumAge !== undefined && refreshMinimumAge > refreshMaximumAge) {
    problems.add('bad-range', 'refresh-minimum-age-s is greater than refresh-maximum-age-s: lower it', place);
  }
}
