/**
 * Pages that redirect to themselves and yet may answer when they are asked once more: under the other spelling that the redirect
 * names, or with the cookies that it sets. The same visit goes on with that, after the pause of the host.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Verdict } from '../../domain/policy/verdict.js';
import type { PageResult } from '../ports/page-task.js';
import type { Session, SessionStore } from '../ports/session-store.js';
import type { Attempt } from './visit/attempt.js';
import type { KeptCookies } from './visit/visit-sessions.js';

/** What the next request of the visit is made with. */
export interface Retry {
  readonly variant?: string;
  readonly session?: Session;
  /** Requests that brought other cookies than the one before. */
  readonly rounds: number;
}

/** A site that sets another cookie with each answer would be asked permanently. */
const MOST_ROUNDS = 3;

export class Retries {
  private readonly retries = new WeakMap<UrlState, Retry>();

  constructor(private readonly sessions: SessionStore) {}

  of(state: UrlState): Retry | undefined {
    return this.retries.get(state);
  }

  /** Is the page to be asked for once more? `kept`: cookies of the host; undefined: they last as long as the visit. */
  async wants(attempt: Attempt, result: PageResult, { effects }: Verdict, kept?: KeptCookies): Promise<boolean> {
    if (result.outcome.kind !== 'error' || result.outcome.code !== 'redirect-loop') return false;
    const { state, url } = attempt;
    const { variant } = result;
    // A login looks after its cookies by itself.
    const setCookie = attempt.login ? undefined : result.setCookie;
    if (variant === undefined && setCookie === undefined) return false;
    const before = this.retries.get(state);
    let { session, rounds = 0 } = before ?? {};
    let again = false;
    if (setCookie !== undefined && rounds < MOST_ROUNDS) {
      session ??= kept?.jar ?? this.sessions.open(keyOf(state));
      again = await session.take(url.href, setCookie);
      // Another visit may have brought the same ones since this one was sent.
      if (kept) again = session.cookies(url.href) !== kept.sent;
      if (again) rounds++;
    }
    // Another spelling is taken once; the URL to fetch is the configuration's word.
    const other = effects.fetchUrl === undefined && before?.variant === undefined ? variant : undefined;
    if (!again && other === undefined) return false;
    this.retries.set(state, { variant: other ?? before?.variant, session, rounds });
    return true;
  }

  /** The visit has come to a result. */
  end(state: UrlState): void {
    if (this.retries.get(state)?.session) this.sessions.end(keyOf(state));
    this.retries.delete(state);
  }
}

const keyOf = ({ crawler, id }: UrlState): string => `visit ${crawler} ${id}`;
