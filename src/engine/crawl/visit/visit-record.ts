import type { VisitOutcome } from '../../../domain/crawl/state-changes.js';
import {
  appendBackOffDetail,
  appendCutLinksDetail,
  appendNotificationDetail,
  appendSessionDetail,
  appendTermsDetail,
  createNotIndexedDetail,
  createRedirectDetail,
  type NotificationProtocol,
} from '../../../domain/explain/visit-detail.js';
import { NEEDS_RENDERING } from '../../../domain/render/needs-rendering.js';
import { between, type Instant } from '../../../domain/time/units.js';
import type { Visit } from '../../ports/frontier-store.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';

interface VisitFacts {
  readonly changed: boolean;
  readonly restedUntil: Instant | undefined;
  /** The channel through which the site requested the visit, if it did. */
  readonly protocol: NotificationProtocol | undefined;
}

/** Creates a visit's entry in the URL history. */
export function createVisitRecord(
  result: PageResult,
  outcome: VisitOutcome,
  { changed, restedUntil, protocol }: VisitFacts,
  at: Visit['at'],
): Visit {
  const base =
    outcome.kind === 'document' && !outcome.index
      ? (findExclusionReason(result.outcome) ?? createNotIndexedDetail(outcome.reason, outcome.related))
      : findDetail(result.outcome);
  const cutLinks = result.outcome.kind === 'document' ? result.outcome.cutLinks : undefined;
  const terms = result.outcome.kind === 'document' ? result.outcome.terms : undefined;
  const withTerms = terms === undefined ? base : appendTermsDetail(base, terms);
  const withCutLinks = cutLinks ? appendCutLinksDetail(withTerms, cutLinks) : withTerms;
  const withSession = result.sent ? appendSessionDetail(withCutLinks, result.sent) : withCutLinks;
  const detail = protocol === undefined ? withSession : appendNotificationDetail(withSession, protocol);
  const outcomeName =
    outcome.kind === 'error' ? outcome.code : outcome.kind === 'excluded' ? outcome.reason : outcome.kind;
  return {
    at,
    status: result.status,
    outcome: outcomeName,
    detail: restedUntil === undefined ? detail : appendBackOffDetail(detail, between(at, restedUntil)),
    duration: result.duration,
    bytes: result.bytes,
    changed,
  };
}

const findExclusionReason = (outcome: PageOutcome): string | undefined =>
  outcome.kind === 'document' ? outcome.leftOut : undefined;

function findDetail(outcome: PageOutcome): string | undefined {
  if (outcome.kind === 'error' || outcome.kind === 'excluded') return outcome.detail;
  if (outcome.kind === 'redirect') return createRedirectDetail(outcome.target, outcome.refused);
  if (outcome.kind === 'document' && outcome.unread) return `${outcome.unread.refused}: ${outcome.unread.detail}`;
  if (outcome.kind === 'document' && outcome.renderFailure)
    return `${outcome.renderFailure.code}: ${outcome.renderFailure.detail}`;
  if (outcome.kind === 'document' && outcome.needsRendering) return `${NEEDS_RENDERING}: ${outcome.needsRendering}`;
  return undefined;
}
