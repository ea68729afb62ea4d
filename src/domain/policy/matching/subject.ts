/** A URL in the forms that matchers compare. The folded forms of its fields are computed once, on first use. */
import type { MatchField, MatchNorm } from '../../crawl/policy-definition.js';
import type { CrawlUrl } from '../../url/crawl-url.js';
import { fold } from './fold.js';

const FIELD_SLOTS: Readonly<Record<MatchField, number>> = {
  url: 0,
  scheme: 2,
  host: 4,
  path: 6,
  query: 8,
  fragment: 10,
};

export class Subject {
  private readonly forms: (string | undefined)[] = [];

  constructor(readonly url: CrawlUrl) {}

  getText(field: MatchField, norm: MatchNorm): string {
    const raw = field === 'url' ? this.url.href : this.url[field];
    // Scheme and host of a canonical URL are already lower-case ASCII.
    if (norm === 'none' || field === 'host' || field === 'scheme') return raw;
    // A canonical URL is ASCII: without an escape, there is no accent to fold.
    if (norm === 'norm' && raw.includes('%')) return this.getFoldedText(FIELD_SLOTS[field] + 1, raw, norm);
    return this.getFoldedText(FIELD_SLOTS[field], raw, 'lower');
  }

  private getFoldedText(slot: number, raw: string, norm: MatchNorm): string {
    const cached = this.forms[slot];
    if (cached !== undefined) return cached;
    const text = fold(raw, norm);
    this.forms[slot] = text;
    return text;
  }
}

export type Predicate = (subject: Subject) => boolean;
