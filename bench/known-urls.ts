import { openSqliteStore } from '../src/adapters/storage/sqlite-store.js';
import { instant } from '../src/domain/time/units.js';
import { urlKey } from '../src/domain/url/url-key.js';
import type { NewUrl } from '../src/engine/ports/frontier-store.js';

/** Known URLs of other hosts, none of them due: what a long crawl leaves in the store. */
export async function fillStore(file: string, known: number): Promise<void> {
  const store = await openSqliteStore(file);
  const BATCH = 10_000;
  for (let from = 0; from < known; from += BATCH) {
    await store.discover(Array.from({ length: Math.min(BATCH, known - from) }, (_, i) => knownUrl(from + i)));
  }
  await store.close();
}

function knownUrl(n: number): NewUrl {
  const hostKey = `known-${n % 1000}.example.com`;
  const url = `https://${hostKey}/section-${n % 97}/some/page-of-average-length-${n}.html`;
  const dueAt = instant(Date.now() + 30 * 86_400_000);
  return {
    crawler: 'bench',
    url,
    key: urlKey(url),
    hostKey,
    source: 5,
    status: 'waiting',
    reason: 'discovered',
    hops: 3,
    redirects: 0,
    arrival: 'link',
    dueAt,
  };
}
