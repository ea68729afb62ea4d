/**
 * Chains of redirects that lead back to a URL requested before a cookie was set: sites check in this way whether
 * visitors keep cookies. The URL is requested once more, with the cookie. Without a new cookie, the chain is a loop.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { PageResult } from '../../ports/page-task.js';
import type { Redirects } from '../evidence/redirects.js';
import type { Attempt } from './attempt.js';
import type { VisitSessions } from './visit-sessions.js';

/** A site that sets a different cookie with each response would otherwise receive requests forever. */
const MAX_ROUNDS = 3;
const MAX_URLS = 20_000;

interface RedirectedRequest {
  /** The cookies that the last request carried. */
  readonly sent: string | undefined;
  /** How often the URL was requested again because of new cookies. */
  rounds: number;
}

export class CookieChecks {
  private readonly redirected = new BoundedMap<string, RedirectedRequest>(MAX_URLS);

  constructor(
    private readonly sessions: Pick<VisitSessions, 'findJar' | 'findHostJar'>,
    private readonly redirects: Pick<Redirects, 'visitAgain'>,
  ) {}

  /**
   * To be called with each result once its cookies are stored.
   * @returns true if it leads back to a URL that is requested again because of new cookies
   */
  note(attempt: Attempt, { outcome }: PageResult): false | Promise<boolean> {
    if (outcome.kind === 'redirect') return this.noteRedirect(attempt, outcome.target);
    if (outcome.kind !== 'error' && this.redirected.size > 0) this.redirected.delete(attempt.state.url);
    return false;
  }

  private async noteRedirect(attempt: Attempt, target: string): Promise<boolean> {
    const { url } = attempt.state;
    const jar = this.sessions.findJar(attempt);
    if (!jar) return false;
    this.redirected.set(url, { sent: jar.sent, rounds: this.redirected.get(url)?.rounds ?? 0 });
    const request = this.redirected.get(target);
    if (!request || request.rounds >= MAX_ROUNDS || target === url) return false;
    const cookies = await this.findCookies(attempt, target);
    if (cookies === undefined || cookies === request.sent) return false;
    request.rounds++;
    await this.redirects.visitAgain(target);
    return true;
  }

  /** The cookies for the URL, among them those that this host has set for the whole domain. */
  private async findCookies(attempt: Attempt, href: string): Promise<string | undefined> {
    const ownJar = this.sessions.findHostJar(attempt.host.key);
    const targetHost = getHostKey(toCrawlUrl(href));
    const targetJar = this.sessions.findHostJar(targetHost);
    const shared = targetHost === attempt.host.key ? undefined : ownJar.getCookies(href);
    if (shared !== undefined) await targetJar.storeCookies(href, shared.replaceAll('; ', '\n'));
    return targetJar.getCookies(href);
  }
}
