/**
 * The URLs at which visitors log in, learned from the way in. On a site that consists of one script, only the query
 * tells the login page from the others.
 */
import { looksLikeLoginUrl } from '../../../domain/fetch/login-wall.js';

const MAX_PAGES = 20;
const MAX_DOCUMENTS = 20;

/** Parameters that say where a visitor goes after the login, or that are different each time. */
const PASSING_PARAMETER =
  /return|redirect|next|back|target|dest|goto|referr?er|continue|service|url|uri|^rd$|^ref$|state|nonce|code|token|csrf|session|samlre|relay|expires|time|rand|^[_t]$/i;

interface LoginPage {
  readonly place: string;
  /** All of these parameters must be in the URL; none if the path is enough. */
  readonly parameters: readonly (readonly [string, string])[];
}

export class LoginPages {
  private pages: readonly LoginPage[] = [];

  /**
   * @param prefix pages at exactly this URL are ordinary ones
   * @param start where the configuration says that the login begins
   */
  constructor(
    private readonly prefix: string,
    private readonly start: string,
  ) {
    this.learn([], []);
  }

  has(href: string): boolean {
    const url = URL.parse(href);
    if (!url) return false;
    const place = url.origin + url.pathname;
    return this.pages.some((page) => page.place === place && page.parameters.every((pair) => hasParameter(url, pair)));
  }

  /**
   * Takes over what a login has shown.
   * @param hops URLs where the login led
   * @param documents URLs of pages that were read with the session
   */
  learn(hops: readonly string[], documents: readonly string[]): void {
    const read = documents.slice(0, MAX_DOCUMENTS).flatMap((href) => URL.parse(href) ?? []);
    const candidates = [...new Set(hops.length === 0 ? [this.start] : hops)].filter((href) => !this.isPrefix(href));
    this.pages = candidates.flatMap((href) => toLoginPage(href, read) ?? []).slice(0, MAX_PAGES);
  }

  save(): readonly LoginPage[] {
    return this.pages;
  }

  restore(pages: readonly LoginPage[]): void {
    this.pages = pages.slice(0, MAX_PAGES);
  }

  private isPrefix(href: string): boolean {
    const [url, prefix] = [URL.parse(href), URL.parse(this.prefix)];
    if (!url || !prefix) return true;
    return url.origin === prefix.origin && url.pathname === prefix.pathname && url.search === prefix.search;
  }
}

/** Undefined if nothing in the URL tells the page from those that were read. */
function toLoginPage(href: string, documents: readonly URL[]): LoginPage | undefined {
  const url = URL.parse(href);
  if (!url) return undefined;
  const place = url.origin + url.pathname;
  const parameters = [...url.searchParams].filter(([name, value]) => isTelling(name, value));
  const neighbours = documents.filter((document) => document.origin + document.pathname === place);
  if (neighbours.length === 0) {
    if (looksLikeLoginUrl(place)) return { place, parameters: [] };
    return { place, parameters: parameters.filter(isLoginParameter) };
  }
  const telling = parameters.filter((pair) => !neighbours.some((document) => hasParameter(document, pair)));
  return telling.length === 0 ? undefined : { place, parameters: telling };
}

const isTelling = (name: string, value: string): boolean =>
  !PASSING_PARAMETER.test(name) && value.length <= 64 && !value.includes('/');

/** `do=login`, `title=Special:UserLogin`, `Login` without a value. */
const isLoginParameter = ([name, value]: readonly [string, string]): boolean =>
  /log-?_?[io]n|sign-?_?[io]n|anmeld|connexion|accedi|auth/i.test(`${value === '' ? name : value}`);

const hasParameter = (url: URL, [name, value]: readonly [string, string]): boolean =>
  url.searchParams.getAll(name).includes(value);
