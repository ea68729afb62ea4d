import type { CookieJar } from 'tough-cookie';
import { BoundedMap } from '../../domain/bounded-map.js';
import type { Session, SessionStore } from '../../engine/ports/session-store.js';

const MAX_SESSIONS = 10_000;
/** Limits for one response, no higher than what browsers accept from one host (RFC 6265bis, 5.6 and 6.1). */
const MAX_COOKIES_PER_RESPONSE = 50;
const MAX_COOKIE_LENGTH = 4_096;
/** Maximum number of cookies in one session, across all its hosts; beyond it, those that were sent longest ago are dropped. */
const MAX_COOKIES_PER_SESSION = 200;

/** Sessions in memory, each with its own cookie jar; the least recently used one is dropped. */
export class CookieSessions implements SessionStore {
  private readonly sessions = new BoundedMap<string, CookieSession>(MAX_SESSIONS);

  open(key: string): Session {
    const session = this.sessions.get(key) ?? new CookieSession();
    this.sessions.set(key, session);
    return session;
  }

  find(key: string): Session | undefined {
    return this.sessions.size > 0 && this.sessions.has(key) ? this.open(key) : undefined;
  }

  end(key: string): void {
    this.sessions.delete(key);
  }
}

export class CookieSession implements Session {
  private jar: CookieJar | undefined;

  getCookies(url: string): string | undefined {
    return this.jar?.getCookieStringSync(url) || undefined;
  }

  hasCookie(name: string, url: string): boolean {
    return this.jar?.getCookiesSync(url).some(({ key }) => key === name) ?? false;
  }

  findCookie(name: string, url: string): string | undefined {
    return this.jar?.getCookiesSync(url).find(({ key }) => key === name)?.value;
  }

  listNames(url: string): string[] {
    return this.jar?.getCookiesSync(url).map(({ key }) => key) ?? [];
  }

  async storeCookies(url: string, setCookie: string): Promise<boolean> {
    const jar = this.jar ?? (await createJar());
    // Another response may have created the jar in the meantime.
    this.jar ??= jar;
    const cookiesBefore = this.getCookies(url);
    for (const cookie of setCookie.split('\n', MAX_COOKIES_PER_RESPONSE)) {
      if (cookie.length <= MAX_COOKIE_LENGTH) this.jar.setCookieSync(cookie, url, { ignoreError: true });
    }
    await this.removeExcessCookies(this.jar);
    return this.getCookies(url) !== cookiesBefore;
  }

  /** Returns the whole jar as a string, which must be kept secret. */
  save(): string | undefined {
    return this.jar && JSON.stringify(this.jar.serializeSync());
  }

  async restore(text: string): Promise<void> {
    const { CookieJar } = await import('tough-cookie');
    this.jar = CookieJar.deserializeSync(text);
  }

  clear(): void {
    this.jar = undefined;
  }

  private async removeExcessCookies(jar: CookieJar): Promise<void> {
    const cookies = jar.serializeSync()?.cookies ?? [];
    if (cookies.length <= MAX_COOKIES_PER_SESSION) return;
    const byUse = cookies.toSorted((a, b) => Date.parse(String(a.lastAccessed)) - Date.parse(String(b.lastAccessed)));
    for (const { domain, path, key } of byUse.slice(0, cookies.length - MAX_COOKIES_PER_SESSION))
      await jar.store.removeCookie(String(domain ?? ''), String(path ?? '/'), String(key ?? ''));
  }
}

/** The library is loaded on demand: most crawls need neither it nor its list of public suffixes. */
async function createJar(): Promise<CookieJar> {
  const { CookieJar } = await import('tough-cookie');
  return new CookieJar();
}
