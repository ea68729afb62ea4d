/**
 * The parts of a site that do not accept a login that works elsewhere. Each request there counts as a failed attempt at
 * the site, which may lock the account, so that after three refusals by a realm or folder no more are made.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { stripQuery } from '../../../domain/url/crawl-url.js';

const MAX_REFUSALS = 3;
const MAX_AREAS = 1_000;

export class RefusedAreas {
  /** Number of refusals by folder or realm. */
  private readonly refusals = new BoundedMap<string, number>(MAX_AREAS);
  private readonly realms = new BoundedMap<string, string>(MAX_AREAS);

  /** @param challenge the WWW-Authenticate header of the response */
  note(url: string, challenge: string | undefined): void {
    const folder = getFolder(url);
    const realm = /\brealm\s*=\s*"([^"]{0,200})"/i.exec(challenge ?? '')?.[1];
    const area = realm === undefined ? folder : `${new URL(url).origin} ${realm}`;
    this.realms.set(folder, area);
    this.refusals.set(area, (this.refusals.get(area) ?? 0) + 1);
  }

  isClosed(url: string): boolean {
    const area = this.realms.get(getFolder(url));
    return area !== undefined && (this.refusals.get(area) ?? 0) >= MAX_REFUSALS;
  }

  clear(): void {
    this.refusals.clear();
    this.realms.clear();
  }
}

function getFolder(url: string): string {
  const page = stripQuery(url);
  return page.slice(0, page.lastIndexOf('/') + 1);
}
