/**
 * Pages that redirect to themselves but may respond normally to a different request: one with the URL variant that the
 * redirect names, or with the cookies that it sets. The same visit goes on with that request after the host's pause.
 */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { PageResult } from '../../ports/page-task.js';
import type { Session, SessionStore } from '../../ports/session-store.js';
import type { Attempt } from './attempt.js';
import type { KeptCookies } from './visit-sessions.js';

/** What the visit's next request uses. */
export interface Retry {
  readonly variant?: string;
  readonly session?: Session;
  /** Number of consecutive requests that brought different cookies. */
  readonly rounds: number;
}

/** A site that sets a different cookie with each response would otherwise receive requests forever. */
const MAX_ROUNDS = 3;

export class Retries {
  private readonly retries = new WeakMap<UrlState, Retry>();

  constructor(private readonly sessions: SessionStore) {}

  findRetry(state: UrlState): Retry | undefined {
    return this.retries.get(state);
  }

  /**
   * Decides whether the page should be requested again, and prepares that request.
   * @param keptCookies the host's cookies; undefined if cookies last only as long as the visit
   */
  async prepareRetry(attempt: Attempt, result: PageResult, keptCookies?: KeptCookies): Promise<boolean> {
    if (result.outcome.kind !== 'error' || result.outcome.code !== 'redirect-loop') return false;
    const { state, url, effects } = attempt;
    const { variant } = result;
    // A login manages its cookies itself.
    const setCookie = attempt.login ? undefined : result.setCookie;
    const previousRetry = this.retries.get(state);
    let { session, rounds = 0 } = previousRetry ?? {};
    let hasNewCookies = false;
    if (setCookie !== undefined && rounds < MAX_ROUNDS) {
      session ??= keptCookies?.jar ?? this.sessions.open(getKey(state));
      hasNewCookies = await session.storeCookies(url.href, setCookie);
      // Another visit may have brought the same cookies since this request was sent.
      if (keptCookies) hasNewCookies = session.getCookies(url.href) !== keptCookies.sent;
      if (hasNewCookies) rounds++;
    }
    // A variant is tried only once, and not if the configuration says which URL to fetch.
    const newVariant = effects.fetchUrl === undefined && previousRetry?.variant === undefined ? variant : undefined;
    if (!hasNewCookies && newVariant === undefined) return false;
    this.retries.set(state, { variant: newVariant ?? previousRetry?.variant, session, rounds });
    return true;
  }

  /** To be called when the visit has reached a result. */
  endVisit(state: UrlState): void {
    if (this.retries.get(state)?.session) this.sessions.end(getKey(state));
    this.retries.delete(state);
  }
}

const getKey = ({ crawler, id }: UrlState): string => `visit ${crawler} ${id}`;
