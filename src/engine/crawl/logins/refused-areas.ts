/**
 * The parts of a site that do not accept a login that works elsewhere. Each request there counts as a failed attempt at
 * the site, which may lock the account, so that after three refusals by a realm or folder no more are made. Its indexed pages
 * are still requested, until one of them is refused, too: an application may refuse some pages of a folder to a login that
 * it accepts.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { stripQuery } from '../../../domain/url/crawl-url.js';

const MAX_REFUSALS = 3;
const MAX_AREAS = 1_000;

export class RefusedAreas {
  /** Number of refusals by folder or realm. */
  private readonly refusals = new BoundedMap<string, number>(MAX_AREAS);
  private readonly realms = new BoundedMap<string, string>(MAX_AREAS);
  /** Areas that have refused an indexed page after they were closed. */
  private readonly closedToAll = new BoundedMap<string, true>(MAX_AREAS);

  /**
   * @param challenge the WWW-Authenticate header of the response
   * @param isIndexed whether the last visit of the page went well
   */
  note(url: string, challenge: string | undefined, isIndexed: boolean): void {
    const folder = getFolder(url);
    const realm = /\brealm\s*=\s*"([^"]{0,200})"/i.exec(challenge ?? '')?.[1];
    const area = realm === undefined ? folder : `${new URL(url).origin} ${realm}`;
    this.realms.set(folder, area);
    if (isIndexed && this.isFull(area)) this.closedToAll.set(area, true);
    this.refusals.set(area, (this.refusals.get(area) ?? 0) + 1);
  }

  isClosed(url: string, isIndexed: boolean): boolean {
    const area = this.realms.get(getFolder(url));
    if (area === undefined || !this.isFull(area)) return false;
    return !isIndexed || this.closedToAll.get(area) === true;
  }

  private isFull(area: string): boolean {
    return (this.refusals.get(area) ?? 0) >= MAX_REFUSALS;
  }

  clear(): void {
    this.refusals.clear();
    this.realms.clear();
    this.closedToAll.clear();
  }
}

function getFolder(url: string): string {
  const page = stripQuery(url);
  return page.slice(0, page.lastIndexOf('/') + 1);
}
