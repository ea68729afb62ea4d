import { hours, type Instant } from '../time/units.js';
import { stripQuery } from '../url/crawl-url.js';

/** What is remembered about a visit to a host. */
interface RecentVisit {
  readonly at: Instant;
  readonly from: string;
  /** Redirect target without query and fragment; undefined if the page did not redirect. */
  readonly target?: string;
}

/**
 * Minimum number of pages redirected to one target that make a wall: few if the target looks like a login page, more
 * otherwise.
 */
const PAGES = { login: 3, any: 5 };
const WINDOW = hours(1);

/** A visit to a page that responded with a redirect. */
export interface RedirectedVisit {
  readonly hostKey: string;
  /** Canonical URLs. */
  readonly from: string;
  readonly target: string;
  /** Whether there is a document that would be lost. */
  readonly indexed: boolean;
  readonly now: Instant;
}

/** Maximum numbers of visits remembered per host, and of hosts remembered; beyond them, the oldest are forgotten. */
const MAX_VISITS = 32;
const MAX_HOSTS = 10_000;

const LOGIN =
  /(?:^|[^a-z])(?:log-?in|log-?on|sign-?in|sign-?on|sso|saml2?|oauth2?|openid|adfs|cas|auth|authenticate|authorize|idp|anmelden|connexion|accedi)(?:[^a-z]|$)/;

/** Does the URL look like a login page? */
export const looksLikeLogin = (url: string): boolean =>
  LOGIN.test(
    stripQuery(url)
      .slice(url.indexOf('//') + 2)
      .toLowerCase(),
  );

/**
 * Distinguishes redirects of individual pages from a login wall: a host that sends most of its pages to one page
 * requires a login, and its documents still exist. Judged by the visits to the host within the last hour and, for a
 * page with a document, also by the last few of them alone: an hour of good visits must not delay the detection until
 * half as many documents are lost.
 */
export class LoginWalls {
  /** By host; the most recently visited host is at the end. */
  readonly #recent = new Map<string, RecentVisit[]>();

  /** Judges a redirect by its target and by the visits before it. */
  judgeRedirect({ hostKey, from, target, indexed, now }: RedirectedVisit): 'normal' | 'wall' {
    const page = stripQuery(target);
    const visits = this.#recordVisit(hostKey, { at: now, from, target: page });
    // A redirect to the same page with fewer query parameters is no sign of a login.
    if (stripQuery(from) === page) return 'normal';
    const enough = looksLikeLogin(page) ? PAGES.login : PAGES.any;
    const lately = visits.slice(1 - 2 * enough);
    return isWall(visits, page, enough) || (indexed && isWall(lately, page, enough)) ? 'wall' : 'normal';
  }

  /** Call this when a page of the host did not redirect. For the wall page itself, that means nothing. */
  recordSuccess(hostKey: string, from: string, now: Instant): void {
    const page = stripQuery(from);
    if (this.#recent.get(hostKey)?.some((visit) => visit.target === page)) return;
    this.#recordVisit(hostKey, { at: now, from });
  }

  #recordVisit(hostKey: string, visit: RecentVisit): readonly RecentVisit[] {
    const known = this.#recent.get(hostKey) ?? [];
    const recent = known.filter(({ at }) => at > visit.at - WINDOW).slice(1 - MAX_VISITS);
    recent.push(visit);
    this.#recent.delete(hostKey);
    this.#recent.set(hostKey, recent);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MAX_HOSTS) break;
      this.#recent.delete(oldest);
    }
    return recent;
  }
}

/** Whether most of the visits were redirected to the page, and from enough pages. */
function isWall(visits: readonly RecentVisit[], page: string, enough: number): boolean {
  const walled = visits.filter((visit) => visit.target === page && stripQuery(visit.from) !== page);
  const pages = new Set(walled.map((visit) => visit.from)).size;
  return pages >= enough && walled.length * 2 > visits.length;
}
