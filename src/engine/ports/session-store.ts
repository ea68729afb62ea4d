/**
 * What sites give a visitor in order to recognize it: cookies, and the result of a login. The store belongs to the main
 * thread; what a request of the session needs travels with its page task, and what a response sets travels back with
 * the result, so that pages of a session may be fetched in any thread.
 */
export interface SessionStore {
  /**
   * The session with this key, created if there is none. The store may forget a session that has not been used for
   * long.
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
   * are ignored. True if the next request for the URL will have different cookies.
   */
  storeCookies(url: string, setCookie: string): Promise<boolean>;
}
