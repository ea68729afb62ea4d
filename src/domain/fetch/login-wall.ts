import { before, hours, type Instant } from '../time/units.js';
import { stripQuery } from '../url/crawl-url.js';

/** What is remembered about a visit to a host. */
interface RecentVisit {
  readonly at: Instant;
  readonly from: string;
  /** Redirect target without query and fragment; undefined if the page did not redirect. */
  readonly target?: string;
  /** Of a page that redirects: whether it had a document. */
  readonly indexed?: boolean;
}

/**
 * Minimum number of pages redirected to one target that indicate a login wall: few if the target looks like a login
 * page, more otherwise.
 */
const MIN_PAGES = { login: 3, any: 5 };
const WINDOW = hours(1);

/** What other pages of a host have recently done, compared with a page that redirects to one URL. */
export interface RedirectEvidence {
  /** Number of other pages that were redirected to the same URL, without query. */
  readonly same: number;
  /** Number of other pages that were visited after the redirect was seen and not redirected there; old addresses do not count. */
  readonly others: number;
  /** Number of different URLs to which these were redirected. */
  readonly targets: number;
}

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

/** Maximum numbers of visits remembered per host, and of hosts remembered; the oldest ones are forgotten first. */
const MAX_VISITS = 32;
const MAX_HOSTS = 10_000;

const LOGIN_PATTERN =
  /(?:^|[^a-z])(?:log-?in|log-?on|sign-?in|sign-?on|sso|saml2?|oauth2?|openid|adfs|cas|auth|authenticate|authorize|idp|anmelden|connexion|accedi)(?:[^a-z]|$)/;

/** Whether a page, reached by a redirect alone, is where visitors log in. */
export const isLoginForm = (
  url: string,
  { title, body }: { readonly title: string; readonly body: Uint8Array },
): boolean => looksLikeLoginUrl(url) && (url.includes('?') || LOGIN_TITLE.test(title) || hasPasswordField(body));

const LOGIN_TITLE = /\b(?:log|sign)[ -]?(?:in|on)\b|anmeld|einloggen|connexion|iniciar sesión|accedi/i;

const hasPasswordField = (body: Uint8Array): boolean =>
  /type\s*=\s*["']?password\b/i.test(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'));

/** Whether the URL looks like that of a login page. */
export const looksLikeLoginUrl = (url: string): boolean =>
  LOGIN_PATTERN.test(
    stripQuery(url)
      .slice(url.indexOf('//') + 2)
      .toLowerCase(),
  );

/**
 * Distinguishes redirects of individual pages from a login wall: a host that sends most of its pages to one page
 * requires a login, and its documents still exist. Redirects are judged by the visits to the host within the last hour
 * and, for a page with a document, also by only the last few of them. Otherwise, the good visits of the hour before
 * would delay the detection until half as many documents are lost.
 */
export class LoginWalls {
  /** By host; the most recently visited host is at the end. */
  readonly #recentVisits = new Map<string, RecentVisit[]>();

  /** Judges a redirect by its target and by the visits before it. */
  judgeRedirect({ hostKey, from, target, indexed, now }: RedirectedVisit): 'normal' | 'wall' {
    const targetPage = stripQuery(target);
    const visits = this.#recordVisit(hostKey, { at: now, from, target: targetPage, indexed });
    // A redirect to the same page with fewer query parameters is no sign of a login.
    if (stripQuery(from) === targetPage) return 'normal';
    const minPages = looksLikeLoginUrl(targetPage) ? MIN_PAGES.login : MIN_PAGES.any;
    const latestVisits = visits.slice(1 - 2 * minPages);
    return isWall(visits, targetPage, minPages) || (indexed && isWall(latestVisits, targetPage, minPages))
      ? 'wall'
      : 'normal';
  }

  /** Call this when a page of the host did not redirect. The login page itself is ignored. */
  recordSuccess(hostKey: string, from: string, now: Instant): void {
    const isTarget = ({ target }: RecentVisit): boolean => target !== undefined && target === stripQuery(from);
    if (this.#recentVisits.get(hostKey)?.some(isTarget)) return;
    this.#recordVisit(hostKey, { at: now, from });
  }

  /**
   * What the visits to other pages of the host say about a redirect.
   * @param seen when the redirect was first seen, and since when other pages that are well show that the host is: it may move its
   *   pages for hours, or be ill now and then
   */
  findEvidence(
    { hostKey, from, target, now }: Omit<RedirectedVisit, 'indexed'>,
    seen: { readonly firstAt: Instant; readonly since: Instant },
  ): RedirectEvidence {
    const visits = this.#recentVisits.get(hostKey) ?? [];
    const targetPage = stripQuery(target);
    const same = new Set<string>();
    const others = new Set<string>();
    const targets = new Set<string>();
    for (const visit of visits) {
      if (visit.from === from || stripQuery(visit.from) === targetPage || visit.at <= before(now, WINDOW)) continue;
      const isMoved = visit.target !== undefined && visit.target !== stripQuery(visit.from);
      if (visit.target === targetPage) same.add(visit.from);
      // An old address does not show that its host is well: what it leads to may be redirected, too.
      else if (isMoved ? visit.indexed && visit.at >= seen.firstAt : visit.at >= seen.since) {
        others.add(visit.from);
        if (isMoved) targets.add(visit.target!);
      }
    }
    for (const url of same) others.delete(url);
    return { same: same.size, others: others.size, targets: targets.size };
  }

  #recordVisit(hostKey: string, visit: RecentVisit): readonly RecentVisit[] {
    const recentVisits = this.#recentVisits.get(hostKey) ?? [];
    recentVisits.push(visit);
    while (recentVisits.length > MAX_VISITS || recentVisits[0]!.at <= visit.at - WINDOW) recentVisits.shift();
    this.#recentVisits.delete(hostKey);
    this.#recentVisits.set(hostKey, recentVisits);
    for (const oldestHost of this.#recentVisits.keys()) {
      if (this.#recentVisits.size <= MAX_HOSTS) break;
      this.#recentVisits.delete(oldestHost);
    }
    return recentVisits;
  }
}

/** Whether most of the visits were redirected to the page, and from enough pages. */
function isWall(visits: readonly RecentVisit[], page: string, minPages: number): boolean {
  const redirected = visits.filter((visit) => visit.target === page && stripQuery(visit.from) !== page);
  const pageCount = new Set(redirected.map((visit) => visit.from)).size;
  return pageCount >= minPages && redirected.length * 2 > visits.length;
}
