/**
 * Visits URLs once more that were requested while they were in flight: their visit may have read the page before the
 * change because of which it was requested.
 */
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { Log } from '../ports/log.js';

/** The crawler whose URLs are requested. */
interface Owner {
  /** URLs that are being visited or decided. */
  readonly inFlight: ReadonlySet<UrlState>;
  /** Makes the URL due now. */
  requestVisit(url: UrlState): Promise<unknown>;
}

export class RequestedInFlight {
  private readonly ids = new Set<UrlId>();

  constructor(
    private readonly services: { readonly log: Log },
    private readonly owner: Owner,
  ) {}

  /** To be called before the URLs are made due in the store; those that are not in flight are ignored. */
  note(ids: Iterable<UrlId>): void {
    const idsInFlight = new Set(Array.from(this.owner.inFlight, ({ id }) => id));
    // The visits of the others have failed, so that they are still due.
    for (const id of this.ids) if (!idsInFlight.has(id)) this.ids.delete(id);
    for (const id of ids) if (idsInFlight.has(id)) this.ids.add(id);
  }

  /** To be called when the URL is no longer in flight. */
  noteEnded(url: UrlState): void {
    if (!this.ids.delete(url.id)) return;
    this.owner.requestVisit(url).catch((error: unknown) =>
      this.services.log.error('a requested visit of a URL was not made; request it again', {
        url: url.url,
        error: String(error),
      }),
    );
  }
}
