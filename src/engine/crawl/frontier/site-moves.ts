import { moveSite, moveSiteBack } from '../../../domain/policy/site-mode.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CrawlUrl } from '../../../domain/url/crawl-url.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { Nodes } from '../../ports/nodes.js';
import type { PageProcessor } from '../../ports/page-processor.js';

interface MoveServices {
  readonly store: Settings;
  readonly processor: Pick<PageProcessor, 'addRoot'>;
  readonly nodes: Pick<Nodes, 'notifyControlChanged'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Follows sites that have moved: their home page redirects to another site, which is crawled instead. */
export class SiteMoves {
  constructor(
    private readonly services: MoveServices,
    private readonly current: { readonly context: CrawlContext; policySince: Instant },
  ) {}

  /**
   * Records that the home page of a site redirects to another site, or, without a target, that it has its own content
   * again.
   */
  async record(root: string, target?: CrawlUrl): Promise<void> {
    const { store, processor, nodes, clock, log } = this.services;
    const {
      roots,
      definition: { name: crawler },
    } = this.current.context;
    const now = clock.now();
    if (!target) this.current.policySince = now;
    const context = roots.get(root);
    if (!context) return;
    const movedContext = target ? moveSite(context, target) : moveSiteBack(context);
    roots.set(root, movedContext);
    processor.addRoot(crawler, movedContext);
    await store.putSetting(`moved-site/${crawler}/${root}`, target?.href);
    // Links of the site's pages may have been refused while the site had moved: the pages are read again.
    if (!target) await store.putSetting(`policy-since/${crawler}`, String(now));
    await nodes.notifyControlChanged();
    const change = target ? 'redirects to another site, which is crawled from now on' : 'has its own content again';
    log.info(`the home page of a site ${change}`, { crawler, root, site: target?.href ?? root });
  }
}
