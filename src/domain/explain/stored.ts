/** Headline for a stored URL. Facts that override all others come first. */

import type { UrlState } from '../crawl/url-state.js';
import { isErrorCode } from '../fetch/error-codes.js';
import { getSourceName } from '../frontier/sources.js';
import { type Reason, toReason } from '../policy/reasons.js';
import { NEEDS_RENDERING } from '../render/needs-rendering.js';
import { NEVER } from '../time/units.js';
import type { Headline, OrderFacts, UrlFacts } from './facts.js';
import { extractResponseDetail } from './visit-detail.js';
import {
  describeNextAttempt,
  describePolicyVerdict,
  describeRobotsRule,
  describeUntil,
  findEntry,
  formatTime,
  stripFullStop,
} from './words.js';

export function createStoredHeadline(facts: UrlFacts, state: UrlState): Headline {
  return createOrderHeadline(facts, state) ?? createRulesHeadline(facts, state) ?? createStatusHeadline(facts, state);
}

function createOrderHeadline(facts: UrlFacts, state: UrlState): Headline | undefined {
  const held = facts.orders.find((order) => order.state === 'held');
  if (held) return createHeldHeadline(state, held);
  const awaiting = facts.orders.find((order) => order.state === 'awaiting');
  if (awaiting) return createAwaitingHeadline(awaiting);
  const last = facts.orders[0];
  if (last?.state === 'pending') return createInFlightHeadline(state, last);
  if (last?.state === 'refused') return createRefusedHeadline(state, last);
  return undefined;
}

function createHeldHeadline({ hostKey }: UrlState, { reason }: OrderFacts): Headline {
  return {
    fate: 'in-index',
    reason: 'held',
    text: `In the index. Its deletion has been decided (${reason}: ${stripFullStop(findEntry(reason).meaning)}) and is held by the deletion guard until a person decides.`,
    nextStep: `Check ${hostKey}. If the page is really gone, release the held deletions of the host; if not, drop them, or wait: the deletion is withdrawn when the page responds again.`,
  };
}

/** The answer of such an order is the code of what it is waiting for. */
function createAwaitingHeadline({ reason, answer }: OrderFacts): Headline {
  const wait = toReason(answer ?? 'awaiting-sign-of-life');
  const { meaning, remedy } = findEntry(wait);
  return {
    fate: 'in-index',
    reason: wait,
    text: `In the index. Its page fails (${reason}: ${stripFullStop(findEntry(reason).meaning)}), and its deletion is not sent yet: ${meaning}`,
    nextStep: remedy,
  };
}

function createInFlightHeadline({ stamp }: UrlState, { kind, reason, answer }: OrderFacts): Headline {
  const said = answer === undefined ? '' : ` The sink's last response: ${answer}.`;
  if (kind === 'add') {
    return {
      fate: stamp === undefined ? 'on-its-way' : 'in-index',
      reason,
      text: `${stamp === undefined ? 'On its way to the index' : 'In the index, with a new version on its way'}: it was fetched, and a sink has not acknowledged the document yet.${said}`,
      nextStep: 'If this does not change, check the state of the sinks.',
    };
  }
  return {
    fate: 'not-in-index',
    reason,
    text: `On its way out of the index: ${stripFullStop(findEntry(reason).meaning)}; a sink has not acknowledged the deletion yet.${said}`,
    nextStep: findEntry(reason).remedy,
  };
}

function createRefusedHeadline({ stamp }: UrlState, { id, kind, answer }: OrderFacts): Headline {
  const what =
    kind === 'delete' ? 'its deletion' : stamp === undefined ? 'its document' : 'the new version of its document';
  const where = kind === 'delete' || stamp !== undefined ? 'In the index' : 'Not in the index';
  return {
    fate: where === 'In the index' ? 'in-index' : 'not-in-index',
    reason: 'order-refused',
    text: `${where}: a sink refused ${what}: ${answer ?? 'it gave no reason'}`.replace(/\.?$/, '.'),
    nextStep: `Fix the problem that the sink reports, then retry order ${id}.`,
  };
}

/** Headline for a URL that the current policy or the last robots.txt rejects. */
function createRulesHeadline({ verdict, robots }: UrlFacts, state: UrlState): Headline | undefined {
  const isIn = state.stamp !== undefined;
  if (!verdict.accepted) {
    const { reason } = verdict;
    const why = describePolicyVerdict(verdict);
    const nextStep = findEntry(reason).remedy;
    if (state.status === 'elsewhere' || verdict.keepDocument)
      return {
        fate: 'in-index',
        reason,
        text: `In the index, and no longer crawled by this crawler: ${why}.`,
        nextStep,
      };
    const text = isIn
      ? `Still in the index, but about to be removed: the configuration now rejects it: ${why}.`
      : `Not in the index: the configuration rejects it: ${why}.`;
    return { fate: isIn ? 'in-index' : 'not-in-index', reason, text, nextStep };
  }
  if (robots?.state !== 'disallowed') return undefined;
  const text = isIn
    ? `Still in the index, but will be removed at its next visit: ${describeRobotsRule(robots)}.`
    : `Not in the index: ${describeRobotsRule(robots)}.`;
  return {
    fate: isIn ? 'in-index' : 'not-in-index',
    reason: 'robots-disallowed',
    text,
    nextStep: findEntry('robots-disallowed').remedy,
  };
}

function createStatusHeadline(facts: UrlFacts, state: UrlState): Headline {
  switch (state.status) {
    case 'waiting':
      return createWaitingHeadline(facts, state);
    case 'indexed':
      return createIndexedHeadline(facts, state);
    case 'error':
      return createErrorHeadline(facts, state);
    case 'redirected':
      return createRedirectedHeadline(facts, state);
    case 'removed':
      return createGivenUpHeadline(facts, state);
    default:
      return createLeftOutHeadline(facts, state);
  }
}

/** If a schedule keeps the host closed beyond the due time, the next visit is when it opens. */
function describeNextVisit({ host, now }: UrlFacts, { source, dueAt }: UrlState): string {
  const closed = host?.closedUntil;
  if (source === undefined || closed === undefined || closed <= dueAt)
    return describeNextAttempt(source === undefined ? undefined : dueAt, now);
  return closed >= NEVER
    ? 'Its schedule never allows a visit.'
    : `Its next visit is at ${formatTime(closed)}, when its schedule allows it.`;
}

function createWaitingHeadline(facts: UrlFacts, { source, dueAt, hostKey }: UrlState): Headline {
  const { robots, host, now } = facts;
  const createHeadline = (reason: Reason, why: string, nextStep?: string): Headline => ({
    fate: 'on-its-way',
    reason,
    text: `Not in the index yet: it is waiting for its first visit${why}.`,
    nextStep,
  });
  if (host?.paused) return createHeadline('discovered', `, and a person has paused ${hostKey}`, 'Resume the host.');
  if (robots?.state === 'unreachable')
    return createHeadline(
      'robots-unreachable',
      `, and nothing of ${hostKey} is fetched until its robots.txt can be read (last response: ${robots.status})`,
      'Check the host; robots.txt is requested again every five minutes.',
    );
  if (host && host.backOffUntil > now)
    return createHeadline(
      'discovered',
      `, and ${hostKey} is left alone ${describeUntil(host.backOffUntil)} because it failed or asked for a pause`,
      'It will be visited then; refresh it to try once now.',
    );
  if (host?.closedUntil !== undefined) {
    const when = host.closedUntil >= NEVER ? 'at no time' : `not before ${formatTime(host.closedUntil)}`;
    const next = 'Nothing to do: its schedule (`cw:Schedule`) determines when.';
    return createHeadline('discovered', `, and ${hostKey} is crawled ${when} because of its schedule`, next);
  }
  const queue = source === undefined ? '' : ` in the queue ${getSourceName(source)}`;
  return createHeadline(
    'discovered',
    dueAt > now ? `${queue}, but is not due yet. ${stripFullStop(describeNextAttempt(dueAt, now))}` : queue,
  );
}

function createIndexedHeadline(facts: UrlFacts, state: UrlState): Headline {
  const { visits } = facts;
  const unread = extractResponseDetail(visits.find(({ outcome }) => outcome === 'document')?.detail);
  if (state.reason === NEEDS_RENDERING) return createScriptRenderedHeadline(unread, facts, state);
  const lacks = unread?.startsWith('render')
    ? 'It was read as sent, without running its scripts'
    : 'Its text is missing';
  const without = unread ? ` ${lacks} (${stripFullStop(unread)}).` : '';
  const again = describeNextVisit(facts, state);
  return { fate: 'in-index', reason: state.reason, text: `In the index.${without} ${again}`.trim() };
}

function createScriptRenderedHeadline(detail: string | undefined, facts: UrlFacts, state: UrlState): Headline {
  const { reason } = state;
  const { meaning, remedy } = findEntry(reason);
  const why = detail ? ` (${stripFullStop(detail.replace(`${NEEDS_RENDERING}: `, ''))})` : '';
  const again = describeNextVisit(facts, state);
  const text = `In the index without its content: ${stripFullStop(meaning.replace(/^.*?: /, ''))}${why}. ${again}`;
  return { fate: 'in-index', reason, text: text.trim(), nextStep: remedy };
}

function createErrorHeadline(facts: UrlFacts, state: UrlState): Headline {
  const { visits } = facts;
  const { reason, temporaryErrors } = state;
  const isIn = state.stamp !== undefined;
  const { meaning, remedy } = findEntry(reason);
  const said = visits[0]?.outcome === reason ? visits[0].detail : undefined;
  // The status alone adds nothing to the reason.
  const detail = said && !/^the server (?:answered|responded with) \d+$/.test(said) ? ` (${stripFullStop(said)})` : '';
  const again = describeNextVisit(facts, state);
  const times = temporaryErrors > 1 ? `its last ${temporaryErrors} visits failed` : 'its last visit failed';
  const lasting = state.permanentError ? ' If it fails again, the URL is removed.' : '';
  const fate = isIn ? 'in-index' : temporaryErrors > 0 ? 'on-its-way' : 'not-in-index';
  const text = `${isIn ? 'In the index, unchanged' : 'Not in the index'}: ${times} (${reason}). ${stripFullStop(meaning)}${detail}. ${again}${lasting}`;
  return { fate, reason, text: text.trim(), nextStep: remedy };
}

/** For the status `removed`: the visits that led to it explain why. */
function createGivenUpHeadline({ visits }: UrlFacts, { reason }: UrlState): Headline {
  const { meaning, remedy } = findEntry(reason);
  const [last] = visits;
  const why =
    last && isErrorCode(last.outcome)
      ? `it was given up after repeated errors, the last one at ${formatTime(last.at)}: ${last.outcome}: ${stripFullStop(findEntry(last.outcome).meaning)}${last.detail ? ` (${stripFullStop(last.detail)})` : ''}. It is retried when a page that links to it is visited, whether or not that page has changed.`
      : meaning;
  return { fate: 'not-in-index', reason, text: `Not in the index: ${why}`, nextStep: remedy };
}

const lowerCaseFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

function createRedirectedHeadline({ related }: UrlFacts, state: UrlState): Headline {
  const refused = related?.refused;
  const to = related ? ` to ${related.url}` : '';
  const fate = related?.state?.stamp !== undefined ? ', which is in the index' : ', which is not in the index';
  const why = refused
    ? `, which is refused (${refused}: ${stripFullStop(findEntry(refused).meaning)})`
    : related
      ? fate
      : '';
  return {
    fate: 'not-in-index',
    reason: state.reason,
    text: `Not in the index under this address: it redirects${to}${why}.`,
    nextStep: refused
      ? `To have ${related.url} crawled: ${lowerCaseFirst(findEntry(refused).remedy)}`
      : related
        ? `Check ${related.url}, which is crawled instead.`
        : findEntry('redirected').remedy,
  };
}

const INDEX_IT =
  'To have it indexed, change the rule with NoIndex that matches it (the policy below names it), or set `defaultIndex="true"`.';

/** For a URL that was read, or not even requested, and is not indexed: the last visit explains why. */
function createLeftOutHeadline(facts: UrlFacts, state: UrlState): Headline {
  const { related, visits, verdict } = facts;
  const { reason } = state;
  const { meaning, remedy } = findEntry(reason);
  const isForLinks = reason === 'links-only' && !verdict.effects.index;
  const otherwise = isForLinks ? INDEX_IT : remedy;
  const nextStep = isErrorCode(reason) || otherwise === 'Nothing to do.' ? undefined : otherwise;
  const again = describeNextVisit(facts, state);
  const createHeadline = (why: string): Headline => ({
    fate: 'not-in-index',
    reason,
    text: `Not in the index: ${why}. ${again}`.trim(),
    nextStep,
  });
  if (reason === 'canonical-elsewhere' && related) {
    const fate = related.state?.stamp === undefined ? 'which is not in the index yet' : 'which is in the index';
    return createHeadline(`the page names another URL as its canonical one: ${related.url}, ${fate}`);
  }
  if (reason === 'near-duplicate' && related)
    return createHeadline(`its text is nearly the same as that of ${related.url}`);
  if (verdict.accepted && (state.status === 'filtered' || state.status === 'elsewhere'))
    return {
      ...createHeadline('the configuration has just changed, and it is waiting to be judged again'),
      fate: 'on-its-way',
    };
  const detail = visits[0]?.outcome === reason ? extractResponseDetail(visits[0].detail) : undefined;
  return createHeadline(
    detail && detail !== `not indexed: ${reason}`
      ? `${stripFullStop(meaning)} (${stripFullStop(detail)})`
      : stripFullStop(meaning),
  );
}
