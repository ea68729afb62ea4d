/** The changes of the index as feeds: Atom (RFC 4287) and JSON Feed 1.1. */
import { XMLBuilder } from 'fast-xml-parser';
import type { ChangesView } from '../../engine/control/index-changes.js';
import { toIsoTime } from '../http/time.js';
import { toPrintable } from '../printable.js';

const VERBS = { new: 'New', changed: 'Changed', gone: 'Gone' } as const;

interface FeedEntry {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly at: string;
  readonly summary: string;
  readonly tags: readonly string[];
  /** The console's comparison of the texts; only for changed documents. */
  readonly comparison?: string;
}

/** @param address where the feed is, as the reader requested it */
export function toJsonFeed(changes: ChangesView, address: string): string {
  const items = toEntries(changes, address).map(({ id, url, title, at, summary, tags, comparison }) => ({
    ...{ id, url, title, date_published: at, content_text: summary, tags },
    ...(comparison === undefined ? {} : { external_url: comparison }),
  }));
  const feed = { version: 'https://jsonfeed.org/version/1.1', title: toTitle(changes), feed_url: address, items };
  return JSON.stringify(feed, undefined, 2);
}

export function toAtomFeed(changes: ChangesView, address: string): string {
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', format: true });
  const entries = toEntries(changes, address);
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'utf-8' },
    feed: {
      '@xmlns': 'http://www.w3.org/2005/Atom',
      id: address,
      title: toTitle(changes),
      updated: entries[0]?.at ?? toIsoTime(changes.since),
      author: { name: 'Crawlway' },
      link: { '@rel': 'self', '@href': address },
      entry: entries.map(({ id, url, title, at, summary, tags, comparison }) => ({
        ...{ id, title, updated: at, summary },
        link: [
          { '@href': url },
          ...(comparison === undefined ? [] : [{ '@rel': 'related', '@title': 'Difference', '@href': comparison }]),
        ],
        category: tags.map((term) => ({ '@term': term })),
      })),
    },
  });
}

const toTitle = ({ counts }: ChangesView): string =>
  `Changes of the index: ${counts.new} new, ${counts.changed} changed, ${counts.gone} gone`;

function toEntries({ documents }: ChangesView, address: string): FeedEntry[] {
  return documents.map(({ id, crawler, uri, change, reason, decidedAt, title }) => ({
    id: `${new URL('/', address).href}orders/${id}`,
    url: toPrintable(uri),
    title: `${VERBS[change]}: ${toPrintable(title || uri)}`,
    at: toIsoTime(decidedAt),
    summary: `${VERBS[change]} in ${crawler} (${reason}): ${toPrintable(uri)}`,
    tags: [change, crawler, reason],
    ...(change === 'changed' ? { comparison: toComparison(crawler, uri, address) } : {}),
  }));
}

const toComparison = (crawler: string, url: string, address: string): string =>
  new URL(`/changes?${new URLSearchParams({ crawler, compare: url }).toString()}`, address).href;
