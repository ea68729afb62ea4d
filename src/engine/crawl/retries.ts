/**
 * Pages that redirect to themselves but may respond normally to a different request: one with the URL variant that the
 * redirect names, or with the cookies that it sets. The same visit goes on with that request after the host's pause.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Verdict } from '../../domain/policy/verdict.js';
import type { PageResult } from '../ports/page-task.js';
import type { Session, SessionStore } from '../ports/session-store.js';
import type { Attempt } from './visit/attempt.js';
import type { KeptCookies } from './visit/visit-sessions.js';

/** What the visit's next request uses. */
export interface Retry {
  readonly variant?: string;
  readonly session?: Session;
  /** Number of consecutive requests that brought different cookies. */
  readonly rounds: number;
}

/** A site that sets a different cookie with each response would otherwise receive requests forever. */
const MOST_ROUNDS = 3;

export class Retries {
  private readonly retries = new WeakMap<UrlState, Retry>();

  constructor(private readonly sessions: SessionStore) {}

  findRetry(state: UrlState): Retry | undefined {
    return this.retries.get(state);
  }

  /**
   * Whether the page should be requested again.
   * @param kept the host's cookies; undefined if cookies last only as long as the visit
   */
  async shouldRetry(attempt: Attempt, result: PageResult, { effects }: Verdict, kept?: KeptCookies): Promise<boolean> {
    if (result.outcome.kind !== 'error' || result.outcome.code !== 'redirect-loop') return false;
    const { state, url } = attempt;
    const { variant } = result;
    // A login manages its cookies itself.
    const setCookie = attempt.login ? undefined : result.setCookie;
    if (variant === undefined && setCookie === undefined) return false;
    const before = this.retries.get(state);
    let { session, rounds = 0 } = before ?? {};
    let again = false;
    if (setCookie !== undefined && rounds < MOST_ROUNDS) {
      session ??= kept?.jar ?? this.sessions.open(keyOf(state));
      again = await session.storeCookies(url.href, setCookie);
      // Another visit may have brought the same cookies since this request was sent.
      if (kept) again = session.getCookies(url.href) !== kept.sent;
      if (again) rounds++;
    }
    // A variant is tried only once, and not if the configuration says which URL to fetch.
    const other = effects.fetchUrl === undefined && before?.variant === undefined ? variant : undefined;
    if (!again && other === undefined) return false;
    this.retries.set(state, { variant: other ?? before?.variant, session, rounds });
    return true;
  }

  /** To be called when the visit has reached a result. */
  endVisit(state: UrlState): void {
    if (this.retries.get(state)?.session) this.sessions.end(keyOf(state));
    this.retries.delete(state);
  }
}

const keyOf = ({ crawler, id }: UrlState): string => `visit ${crawler} ${id}`;
