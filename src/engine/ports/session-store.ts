/**
 * Stores what sites use to recognize a visitor: cookies and the result of a login. The store belongs to the main
 * thread; a page task contains what its request needs of the session, and its result contains what the response sets,
 * so the pages of a session can be fetched in any thread.
 */
export interface SessionStore {
  /**
   * The session with this key, created if there is none. The store may forget a session that has not been used for a
   * long time.
   */
  open(key: string): Session;
  /** Like open; undefined if there is none. */
  find(key: string): Session | undefined;
  end(key: string): void;
}

export interface Session {
  /** The value of the Cookie header of a request for the URL (RFC 6265); undefined if there is none. */
  getCookies(url: string): string | undefined;
  /**
   * Stores the Set-Cookie fields of a response from the URL, separated by line feeds; cookies that the URL may not set
   * are ignored. Resolves to true if the next request for the URL will have different cookies.
   */
  storeCookies(url: string, setCookie: string): Promise<boolean>;
}
