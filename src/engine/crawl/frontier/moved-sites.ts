import { moveSite, moveSiteBack } from '../../../domain/policy/site-mode.js';
import type { CrawlUrl } from '../../../domain/url/crawl-url.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { Settings } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { Nodes } from '../../ports/nodes.js';
import type { PageProcessor } from '../../ports/page-processor.js';

export interface MoveServices {
  readonly store: Settings;
  readonly processor: PageProcessor;
  readonly nodes: Nodes;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Records that a site's home page redirects to another site, which is crawled instead, or, without a target, that the
 * home page has its own content again.
 */
export async function recordSiteMove(
  { store, processor, nodes, clock, log }: MoveServices,
  { roots, definition: { name: crawler } }: CrawlContext,
  root: string,
  target?: CrawlUrl,
): Promise<void> {
  const context = roots.get(root);
  if (!context) return;
  const movedContext = target ? moveSite(context, target) : moveSiteBack(context);
  roots.set(root, movedContext);
  processor.addRoot(crawler, movedContext);
  await store.putSetting(`moved-site/${crawler}/${root}`, target?.href);
  // Links of the site's pages may have been refused while the site had moved: the pages are read again.
  if (!target) await store.putSetting(`policy-since/${crawler}`, String(clock.now()));
  await nodes.notifyControlChanged();
  const change = target ? 'redirects to another site, which is crawled from now on' : 'has its own content again';
  log.info(`the home page of a site ${change}`, { crawler, root, site: target?.href ?? root });
}
