/** Stores the time since which a crawler's pages are read again even if unchanged; it applies to all nodes. */
import { instant } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Settings } from '../ports/frontier-store.js';

const getSettingName = (crawler: Crawler): string => `policy-since/${crawler.name}`;

export async function storeRereading(crawler: Crawler, store: Settings): Promise<void> {
  await store.putSetting(getSettingName(crawler), String(crawler.policySince));
}

/** Adopts the time that another node may have stored; the time never goes back. */
export async function adoptStoredRereading(crawler: Crawler, store: Settings): Promise<void> {
  const stored = Number(await store.getSetting(getSettingName(crawler)));
  if (stored > crawler.policySince) crawler.rereadLinksSince(instant(stored));
}
