/** Headline for a stored URL. Facts that override all others come first. */
import { isShortText } from '../content/shortfall.js';
import { isHoldCause, RELEASED } from '../crawl/change-guard.js';
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
  findCodeEntry,
  formatTime,
  stripFullStop,
} from './words.js';

export function createStoredHeadline(facts: UrlFacts, state: UrlState): Headline {
  return createOrderHeadline(facts, state) ?? createRulesHeadline(facts, state) ?? createStatusHeadline(facts, state);
}

function createOrderHeadline(facts: UrlFacts, state: UrlState): Headline | undefined {
  const heldOrder = facts.orders.find((order) => order.state === 'held');
  if (heldOrder) return createHeldHeadline(state, heldOrder);
  const awaitingOrder = facts.orders.find((order) => order.state === 'awaiting');
  if (awaitingOrder && isHoldCause(awaitingOrder.reason)) return createHeldChangeHeadline(awaitingOrder, facts);
  if (awaitingOrder) return createAwaitingHeadline(awaitingOrder);
  const latestOrder = facts.orders[0];
  if (latestOrder?.state === 'dropped' && isHoldCause(latestOrder.reason) && latestOrder.reason === state.reason)
    return createHeldChangeHeadline(latestOrder, facts);
  if (latestOrder?.state === 'pending') return createInFlightHeadline(state, latestOrder);
  if (latestOrder?.state === 'refused') return createRefusedHeadline(state, latestOrder);
  return undefined;
}

function createHeldHeadline({ hostKey }: UrlState, { reason }: OrderFacts): Headline {
  return {
    fate: 'in-index',
    reason: 'held',
    text: `In the index. Its deletion has been decided (${reason}: ${stripFullStop(findCodeEntry(reason).meaning)}) and is held by the deletion guard until it is released or dropped.`,
    nextStep: `Check ${hostKey}. If the page is really gone, release the held deletions of the host; if not, drop them, or wait: the deletion is cancelled when the page responds again.`,
  };
}

/** A change that the change guard holds; the last visit has found it. */
function createHeldChangeHeadline({ id, reason, kind, answer, state }: OrderFacts, { visits }: UrlFacts): Headline {
  const { meaning, remedy } = findCodeEntry(reason);
  const finding = visits.find(({ outcome }) => outcome === reason)?.detail;
  const effect = kind === 'add' ? 'replace its document' : 'delete its document';
  const stage =
    state === 'dropped'
      ? 'the change was dropped and is not believed as long as the page says the same'
      : answer === RELEASED
        ? 'the change was released and waits for a visit'
        : 'the change is held';
  return {
    fate: 'in-index',
    reason,
    text: `In the index. Its page has changed, which would ${effect}, but ${stage}: ${stripFullStop(meaning)}${finding === undefined ? '' : ` (${stripFullStop(finding)})`}.`,
    nextStep:
      state === 'dropped'
        ? `If what the page says is right after all, call \`POST /orders/${id}/retry\`: its next visit is then believed.`
        : remedy,
  };
}

/** The `answer` of such an order is the code for what it is waiting for. */
function createAwaitingHeadline({ reason, answer }: OrderFacts): Headline {
  const waitReason = toReason(answer ?? 'awaiting-sign-of-life');
  const { meaning, remedy } = findCodeEntry(waitReason);
  return {
    fate: 'in-index',
    reason: waitReason,
    text: `In the index. Its page failed (${reason}: ${stripFullStop(findCodeEntry(reason).meaning)}), but its deletion has not been sent yet: ${meaning}`,
    nextStep: remedy,
  };
}

function createInFlightHeadline({ stamp }: UrlState, { kind, reason, answer }: OrderFacts): Headline {
  const sinkResponse = answer === undefined ? '' : ` The sink's last response: ${answer}.`;
  if (kind === 'add') {
    return {
      fate: stamp === undefined ? 'on-its-way' : 'in-index',
      reason,
      text: `${stamp === undefined ? 'On its way to the index' : 'In the index, with a new version on its way'}: it was fetched, but a sink has not acknowledged the document yet.${sinkResponse}`,
      nextStep: 'If this does not change, check the state of the sinks.',
    };
  }
  return {
    fate: 'not-in-index',
    reason,
    text: `On its way out of the index: ${stripFullStop(findCodeEntry(reason).meaning)}; a sink has not acknowledged the deletion yet.${sinkResponse}`,
    nextStep: findCodeEntry(reason).remedy,
  };
}

function createRefusedHeadline({ stamp }: UrlState, { id, kind, answer }: OrderFacts): Headline {
  const subject =
    kind === 'delete' ? 'its deletion' : stamp === undefined ? 'its document' : 'the new version of its document';
  const indexState = kind === 'delete' || stamp !== undefined ? 'In the index' : 'Not in the index';
  return {
    fate: indexState === 'In the index' ? 'in-index' : 'not-in-index',
    reason: 'order-refused',
    text: `${indexState}: a sink refused ${subject}: ${answer ?? 'it gave no reason'}`.replace(/\.?$/, '.'),
    nextStep: `Fix the problem that the sink reports, then retry order ${id}.`,
  };
}

/** Headline for a URL that the current policy or the last robots.txt rejects. */
function createRulesHeadline({ verdict, robots }: UrlFacts, state: UrlState): Headline | undefined {
  const isIndexed = state.stamp !== undefined;
  if (!verdict.accepted) {
    const { reason } = verdict;
    const explanation = describePolicyVerdict(verdict);
    const nextStep = findCodeEntry(reason).remedy;
    if (state.status === 'elsewhere' || verdict.keepDocument)
      return {
        fate: 'in-index',
        reason,
        text: `In the index, and no longer crawled by this crawler: ${explanation}.`,
        nextStep,
      };
    const text = isIndexed
      ? `Still in the index, but about to be removed: the configuration now rejects it: ${explanation}.`
      : `Not in the index: the configuration rejects it: ${explanation}.`;
    return { fate: isIndexed ? 'in-index' : 'not-in-index', reason, text, nextStep };
  }
  if (robots?.state !== 'disallowed') return undefined;
  const text = isIndexed
    ? `Still in the index, but will be removed at its next visit: ${describeRobotsRule(robots)}.`
    : `Not in the index: ${describeRobotsRule(robots)}.`;
  return {
    fate: isIndexed ? 'in-index' : 'not-in-index',
    reason: 'robots-disallowed',
    text,
    nextStep: findCodeEntry('robots-disallowed').remedy,
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
      return createRedirectHeadline(facts, state);
    case 'removed':
      return createGivenUpHeadline(facts, state);
    default:
      return createLeftOutHeadline(facts, state);
  }
}

/** If a schedule keeps the host closed beyond the due time, the next visit takes place when the host opens. */
function describeNextVisit({ host, now }: UrlFacts, { source, dueAt }: UrlState): string {
  const closedUntil = host?.closedUntil;
  if (source === undefined || closedUntil === undefined || closedUntil <= dueAt)
    return describeNextAttempt(source === undefined ? undefined : dueAt, now);
  return closedUntil >= NEVER
    ? 'Its schedule never allows a visit.'
    : `Its next visit is at ${formatTime(closedUntil)}, when its schedule allows it.`;
}

function createWaitingHeadline(facts: UrlFacts, { source, dueAt, hostKey }: UrlState): Headline {
  const { robots, host, now } = facts;
  const createHeadline = (reason: Reason, explanation: string, nextStep?: string): Headline => ({
    fate: 'on-its-way',
    reason,
    text: `Not in the index yet: it is waiting for its first visit${explanation}.`,
    nextStep,
  });
  if (host?.paused) return createHeadline('discovered', `, and ${hostKey} is paused`, 'Resume the host.');
  if (robots?.state === 'unreachable')
    return createHeadline(
      'robots-unreachable',
      `, and nothing is fetched from ${hostKey} until its robots.txt can be read (last response: ${robots.status})`,
      'Check the host; robots.txt is requested again every five minutes.',
    );
  if (host && host.backOffUntil > now)
    return createHeadline(
      'discovered',
      `, and no requests are sent to ${hostKey} ${describeUntil(host.backOffUntil)} because it failed or asked for a pause`,
      'It will be visited then; refresh it to try once immediately.',
    );
  if (host?.closedUntil !== undefined) {
    const restriction =
      host.closedUntil >= NEVER ? 'never crawled' : `not crawled before ${formatTime(host.closedUntil)}`;
    const suggestion = 'Nothing to do: its schedule (`cw:Schedule`) determines when it is crawled.';
    return createHeadline('discovered', `, and ${hostKey} is ${restriction} because of its schedule`, suggestion);
  }
  const queueText = source === undefined ? '' : ` in the queue ${getSourceName(source)}`;
  return createHeadline(
    'discovered',
    dueAt > now ? `${queueText}, but is not due yet. ${stripFullStop(describeNextAttempt(dueAt, now))}` : queueText,
  );
}

function createIndexedHeadline(facts: UrlFacts, state: UrlState): Headline {
  const { visits } = facts;
  const readingProblem = extractResponseDetail(visits.find(({ outcome }) => outcome === 'document')?.detail);
  if (state.reason === NEEDS_RENDERING) return createScriptRenderedHeadline(readingProblem, facts, state);
  if (isShortText(state.reason)) {
    const { meaning, remedy } = findCodeEntry(state.reason);
    const explanation = readingProblem ? ` (${stripFullStop(readingProblem.replace(`${state.reason}: `, ''))})` : '';
    const text = `In the index with less text than it shows: ${stripFullStop(meaning.replace(/^.*?: /, ''))}${explanation}. ${describeNextVisit(facts, state)}`;
    return { fate: 'in-index', reason: state.reason, text: text.trim(), nextStep: remedy };
  }
  const defect = readingProblem?.startsWith('render')
    ? 'It was read as sent, without running its scripts'
    : 'Its text is missing';
  const problemText = readingProblem ? ` ${defect} (${stripFullStop(readingProblem)}).` : '';
  const nextVisit = describeNextVisit(facts, state);
  return { fate: 'in-index', reason: state.reason, text: `In the index.${problemText} ${nextVisit}`.trim() };
}

function createScriptRenderedHeadline(detail: string | undefined, facts: UrlFacts, state: UrlState): Headline {
  const { reason } = state;
  const { meaning, remedy } = findCodeEntry(reason);
  const explanation = detail ? ` (${stripFullStop(detail.replace(`${NEEDS_RENDERING}: `, ''))})` : '';
  const nextVisit = describeNextVisit(facts, state);
  const text = `In the index without its content: ${stripFullStop(meaning.replace(/^.*?: /, ''))}${explanation}. ${nextVisit}`;
  return { fate: 'in-index', reason, text: text.trim(), nextStep: remedy };
}

function createErrorHeadline(facts: UrlFacts, state: UrlState): Headline {
  const { visits, isStart = false } = facts;
  const { reason, temporaryErrors } = state;
  const isIndexed = state.stamp !== undefined;
  const { meaning, remedy } = findCodeEntry(reason);
  const visitDetail = visits[0]?.outcome === reason ? visits[0].detail : undefined;
  // The HTTP status alone adds nothing to the reason.
  const detail =
    visitDetail && !/^the server (?:answered|responded with) \d+$/.test(visitDetail)
      ? ` (${stripFullStop(visitDetail)})`
      : '';
  const nextVisit = describeNextVisit(facts, state);
  const failureText = temporaryErrors > 1 ? `its last ${temporaryErrors} visits failed` : 'its last visit failed';
  const warning = isStart
    ? ' As a start URL, it is never given up.'
    : state.permanentError
      ? ' If it fails again, the URL is removed.'
      : '';
  const isTemporary = temporaryErrors > 0 && !state.permanentError;
  const fate = isIndexed ? 'in-index' : isTemporary ? 'on-its-way' : 'not-in-index';
  const text = `${isIndexed ? 'In the index, unchanged' : 'Not in the index'}: ${failureText} (${reason}). ${stripFullStop(meaning)}${detail}. ${nextVisit}${warning}`;
  const retry = ` It is tried again at once when the configuration changes, with \`crawlway refresh ${state.url}\`, or with *Refresh now* in the console.`;
  return { fate, reason, text: text.trim(), nextStep: isStart ? `${remedy}${retry}` : remedy };
}

/** For the status `removed`: the visits that led to it explain why. */
function createGivenUpHeadline({ visits }: UrlFacts, { reason }: UrlState): Headline {
  const { meaning, remedy } = findCodeEntry(reason);
  const [lastVisit] = visits;
  const explanation =
    lastVisit && isErrorCode(lastVisit.outcome)
      ? `it was given up after repeated errors, the last one at ${formatTime(lastVisit.at)}: ${lastVisit.outcome}: ${stripFullStop(findCodeEntry(lastVisit.outcome).meaning)}${lastVisit.detail ? ` (${stripFullStop(lastVisit.detail)})` : ''}. It is retried when a page that links to it is visited, whether or not that page has changed.`
      : meaning;
  return { fate: 'not-in-index', reason, text: `Not in the index: ${explanation}`, nextStep: remedy };
}

const lowerCaseFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

function createRedirectHeadline({ related }: UrlFacts, state: UrlState): Headline {
  const refusalReason = related?.refused;
  if (state.stamp !== undefined) {
    const place = related ? ` to ${related.url}` : '';
    const { meaning, remedy } = findCodeEntry('awaiting-redirect-target');
    return {
      fate: 'in-index',
      reason: state.reason,
      text: `In the index: it redirects${place}. ${meaning.replace(/^.*?\. /, '')}`,
      nextStep: remedy,
    };
  }
  const targetText = related ? ` to ${related.url}` : '';
  const targetState = related?.state?.stamp !== undefined ? ', which is in the index' : ', which is not in the index';
  const explanation = refusalReason
    ? `, which is refused (${refusalReason}: ${stripFullStop(findCodeEntry(refusalReason).meaning)})`
    : related
      ? targetState
      : '';
  return {
    fate: 'not-in-index',
    reason: state.reason,
    text: `Not in the index under this address: it redirects${targetText}${explanation}.`,
    nextStep: refusalReason
      ? `To have ${related.url} crawled: ${lowerCaseFirst(findCodeEntry(refusalReason).remedy)}`
      : related
        ? `Check ${related.url}, which is crawled instead.`
        : findCodeEntry('redirected').remedy,
  };
}

const INDEXING_ADVICE =
  'To have it indexed, change the rule with NoIndex that matches it (the policy below names it), or set `defaultIndex="true"`.';

/** For a URL that was read, or not even requested, and is not indexed: the last visit explains why. */
function createLeftOutHeadline(facts: UrlFacts, state: UrlState): Headline {
  const { related, visits, verdict } = facts;
  const { reason } = state;
  const { meaning, remedy } = findCodeEntry(reason);
  const isReadOnlyForLinks = reason === 'links-only' && !verdict.effects.index;
  const suggestion = isReadOnlyForLinks ? INDEXING_ADVICE : remedy;
  const nextStep = isErrorCode(reason) || suggestion === 'Nothing to do.' ? undefined : suggestion;
  const nextVisit = describeNextVisit(facts, state);
  const createHeadline = (explanation: string): Headline => ({
    fate: 'not-in-index',
    reason,
    text: `Not in the index: ${explanation}. ${nextVisit}`.trim(),
    nextStep,
  });
  if (reason === 'canonical-elsewhere' && related) {
    const canonicalState =
      related.state?.stamp === undefined ? 'which is not in the index yet' : 'which is in the index';
    return createHeadline(`the page names another URL as its canonical one: ${related.url}, ${canonicalState}`);
  }
  if (reason === 'exact-duplicate' && related) return createHeadline(`its text is that of ${related.url}`);
  if (reason === 'near-duplicate' && related)
    return createHeadline(`its text is nearly the same as that of ${related.url}`);
  if (verdict.accepted && (state.status === 'filtered' || state.status === 'elsewhere'))
    return {
      ...createHeadline('the configuration has just changed, and the URL is waiting to be judged again'),
      fate: 'on-its-way',
    };
  const detail = visits[0]?.outcome === reason ? extractResponseDetail(visits[0].detail) : undefined;
  return createHeadline(
    detail && detail !== `not indexed: ${reason}`
      ? `${stripFullStop(meaning)} (${stripFullStop(detail)})`
      : stripFullStop(meaning),
  );
}
