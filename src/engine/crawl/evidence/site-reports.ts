import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { NotificationProtocol } from '../../../domain/explain/visit-detail.js';

/** Maximum number of URLs that their site has reported as changed and that have not been visited since. */
const MAX_REPORTED = 100_000;

/** URLs that their site has reported as changed, with the channel that reported them; the next visit of each records it. */
export class SiteReports {
  private readonly protocols = new Map<UrlId, NotificationProtocol>();

  note(urls: readonly UrlState[], protocol: NotificationProtocol): void {
    for (const { id } of urls) if (this.protocols.size < MAX_REPORTED) this.protocols.set(id, protocol);
  }

  /** To be called when the URL has been visited. Returns the channel that reported it, if one did. */
  take({ id }: UrlState): NotificationProtocol | undefined {
    if (this.protocols.size === 0) return undefined;
    const protocol = this.protocols.get(id);
    this.protocols.delete(id);
    return protocol;
  }
}
