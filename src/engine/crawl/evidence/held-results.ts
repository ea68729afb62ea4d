/** The results of visits whose pages the change guard does not believe. */
import {
  getHoldCause,
  type HostEvidence,
  identifyChange,
  type PageAnswer,
  type SuspiciousChange,
} from '../../../domain/crawl/change-guard.js';
import type { Duration } from '../../../domain/time/units.js';
import type { PageResult } from '../../ports/page-task.js';

export type ChangedAnswer = PageAnswer & { readonly change: SuspiciousChange };

export const isChanged = (answer: PageAnswer): answer is ChangedAnswer => answer.change !== undefined;

export interface Hold {
  /** False while other pages are still being asked. */
  readonly isConfirmed: boolean;
  /** Absent if nobody had to be asked. */
  readonly evidence?: HostEvidence;
  readonly retryAfter: Duration;
}

export function createErrorPageResult(result: PageResult): PageResult {
  const detail = 'the page is what the host sends for a URL that cannot exist, and other pages of the host are well';
  const outcome = { kind: 'error', code: 'soft-error', detail } as const;
  return { ...result, outcome, links: [], refused: [], words: undefined, hub: undefined };
}

/** The page's links are dropped, too: they may be those of a login form. */
export function createHeldResult(result: PageResult, { change }: ChangedAnswer, hold: Hold): PageResult {
  const { isConfirmed, retryAfter } = hold;
  const code = getHoldCause(change);
  const deletes = change.kind === 'directive' || (result.outcome.kind === 'document' && !result.outcome.index);
  const kind = deletes ? 'delete' : 'add';
  const held = isConfirmed ? ({ cause: code, kind, identity: identifyChange(change) } as const) : undefined;
  const detail = `${describeChange(change)}; ${describeEvidence(hold)}`;
  const outcome = { kind: 'error', code, detail, retryAfter, held } as const;
  return { ...result, outcome, links: [], refused: [], words: undefined, hub: undefined };
}

function describeChange(change: SuspiciousChange): string {
  if (change.kind === 'text')
    return change.sample.excerpt === ''
      ? 'the page has no text'
      : `the page says: ${JSON.stringify(change.sample.excerpt)}`;
  if (change.reason === 'robots-disallowed') return 'robots.txt forbids the page and most other documents of the host';
  return change.target === undefined
    ? `the page is not to be indexed (${change.reason})`
    : `the page names ${change.target} as its canonical URL`;
}

function describeEvidence({ isConfirmed, evidence }: Hold): string {
  if (!isConfirmed) return 'other pages of the host are asked before this is believed';
  if (!evidence) return 'it is held';
  const changed = evidence.others.filter(isChanged).length;
  const nonsense = typeof evidence.nonsense === 'object' ? ', and a page that cannot exist was sent with a text' : '';
  const failed = evidence.failed > 0 ? `, and ${evidence.failed} more fail` : '';
  return evidence.others.length === 0
    ? 'no other page of the host could be asked, so it is held'
    : `${changed} of ${evidence.others.length} other pages of the host have changed as well${failed}${nonsense}, so it is held`;
}
