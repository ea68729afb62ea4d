/**
 * Reports how many of the URLs known to a crawler have been crawled and indexed, which are left out and why, and how
 * old the indexed documents are. A survey reads all stored URLs step by step, so the result is kept for a minute and
 * concurrent requests share it.
 */
import { after, before, type Duration, days, hours, type Instant, seconds } from '../../domain/time/units.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Clock } from '../ports/clock.js';
import type { SurveyStep, UrlCatalog } from '../ports/frontier-store.js';
import type { SurveyView } from '../views/url-views.js';

const RESULT_LIFETIME = seconds(60);
const AGES: readonly Duration[] = [hours(1), hours(6), days(1), days(3), days(7), days(14), days(30), days(90)];

type Reason = SurveyStep['reasons'][number];

interface SurveyServices {
  readonly store: Pick<UrlCatalog, 'survey'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly crawlers: Pick<Crawlers, 'get'>;
}

export class Surveys {
  private readonly latest = new Map<string, { readonly until: Instant; readonly view: Promise<SurveyView> }>();

  constructor(private readonly services: SurveyServices) {}

  /** The result may be up to a minute old. */
  async get(name: string): Promise<SurveyView> {
    const { context } = this.services.crawlers.get(name);
    const now = this.services.clock.now();
    const { smart, maximumAge } = context.definition.refresh;
    const limit = smart ? maximumAge : undefined;
    const key = `${name} ${limit}`;
    const cached = this.latest.get(key);
    if (cached && cached.until > now) return cached.view;
    for (const [cachedKey, { until }] of this.latest) if (until <= now) this.latest.delete(cachedKey);
    const view = this.survey(name, now, limit);
    this.latest.set(key, { until: after(now, RESULT_LIFETIME), view });
    view.catch(() => this.latest.delete(key));
    return view;
  }

  /** One age class begins at the maximum age, so that the number of overdue documents is exact. */
  private async survey(crawler: string, now: Instant, maximumAge: Duration | undefined): Promise<SurveyView> {
    const bounds = [...new Set(maximumAge === undefined ? AGES : [...AGES, maximumAge])].sort((a, b) => a - b);
    const since = bounds.map((age) => before(now, age));
    const reasons = new Map<string, Reason>();
    const ages = new Array<number>(bounds.length + 1).fill(0);
    for (let position: number | undefined = 0; position !== undefined; ) {
      const step: SurveyStep = await this.services.store.survey(crawler, since, position);
      for (const row of step.reasons) addReason(reasons, row);
      for (const [i, documents] of step.ages.entries()) ages[i]! += documents;
      position = step.next;
    }
    const classes = ages.map((documents, i) => ({ upTo: bounds[i], documents }));
    return { at: now, reasons: [...reasons.values()].sort((a, b) => b.urls - a.urls), ages: classes, maximumAge };
  }
}

function addReason(reasons: Map<string, Reason>, row: Reason): void {
  const key = `${row.status} ${row.reason}`;
  const existing = reasons.get(key);
  reasons.set(
    key,
    existing ? { ...row, urls: existing.urls + row.urls, indexed: existing.indexed + row.indexed } : row,
  );
}
