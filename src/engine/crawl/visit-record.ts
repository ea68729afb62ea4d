import type { VisitOutcome } from '../../domain/crawl/disposition.js';
import type { Visit } from '../ports/frontier-store.js';
import type { PageOutcome, PageResult } from '../ports/page-task.js';

/** What the history of a URL keeps of a visit. */
export function visitRecord(result: PageResult, outcome: VisitOutcome, changed: boolean, at: Visit['at']): Visit {
  const name = outcome.kind === 'error' ? outcome.code : outcome.kind === 'excluded' ? outcome.reason : outcome.kind;
  return {
    at,
    status: result.status,
    outcome: name,
    detail: outcome.kind === 'document' && !outcome.index ? `not indexed: ${outcome.reason}` : detailOf(result.outcome),
    duration: result.duration,
    bytes: result.bytes,
    changed,
  };
}

function detailOf(outcome: PageOutcome): string | undefined {
  if (outcome.kind === 'error' || outcome.kind === 'excluded') return outcome.detail;
  if (outcome.kind === 'redirect')
    return outcome.refused ? `to ${outcome.target} (${outcome.refused})` : `to ${outcome.target}`;
  return undefined;
}
