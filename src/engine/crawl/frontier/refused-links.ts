import { BoundedMap } from '../../../domain/bounded-map.js';
import { leavesNoRecord } from '../../../domain/crawl/exclusion.js';
import type { RefusedSample } from '../../../domain/explain/facts.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { Instant } from '../../../domain/time/units.js';
import { copyString } from '../../support/copied-string.js';

/** Refused links of one host that were never stored, counted by reason. */
export interface RefusedView {
  readonly reason: Reason;
  readonly hostKey: string;
  readonly count: number;
  readonly samples: readonly { readonly url: string; readonly from: string; readonly at: Instant }[];
}

const MAX_ENTRIES = 2_000;
const MAX_SAMPLES = 5;
/** Maximum number of characters of a URL or host that are kept for display. */
const MAX_SHOWN_LENGTH = 2_048;

interface Entry {
  readonly reason: Reason;
  readonly hostKey: string;
  count: number;
  samples: { url: string; from: string; at: Instant }[];
}

/**
 * Links that the policy refused and that were never stored, counted by reason and host with a few samples, within
 * limits, so that "why not?" has an answer for them, too. When the list is full, the least recently used entry is
 * dropped.
 */
export class RefusedLinks {
  private readonly entries = new BoundedMap<string, Entry>(MAX_ENTRIES);
  private newest: Entry | undefined;
  total = 0;

  add(link: { url: string; hostKey: string; reason: Reason; record?: boolean }, from: string, at: Instant): void {
    this.total++;
    const hostKey = shorten(link.hostKey);
    const entry = this.findEntry(link.reason, hostKey);
    entry.count++;
    if (entry.samples.length < MAX_SAMPLES && !leavesNoRecord(link)) {
      const url = shorten(link.url);
      if (!entry.samples.some((sample) => sample.url === url)) entry.samples.push({ url, from, at });
    }
  }

  /** Links to one host often follow each other: its entry is the newest already. */
  private findEntry(reason: Reason, hostKey: string): Entry {
    if (this.newest?.hostKey === hostKey && this.newest.reason === reason) return this.newest;
    const key = `${reason} ${hostKey}`;
    this.newest = this.entries.get(key) ?? { reason, hostKey, count: 0, samples: [] };
    this.entries.set(key, this.newest);
    return this.newest;
  }

  list(): RefusedView[] {
    return [...this.entries.values()]
      .sort((a, b) => b.count - a.count)
      .map((entry) => ({ ...entry, samples: [...entry.samples] }));
  }

  /** The samples kept for one URL, each with its reason. */
  findSamples(url: string): RefusedSample[] {
    const shortUrl = shorten(url);
    return [...this.entries.values()].flatMap(({ reason, samples }) =>
      samples.flatMap((sample) => (sample.url === shortUrl ? { from: sample.from, reason } : [])),
    );
  }
}

const shorten = (text: string): string =>
  text.length <= MAX_SHOWN_LENGTH ? text : `${copyString(text.slice(0, MAX_SHOWN_LENGTH))}…`;
