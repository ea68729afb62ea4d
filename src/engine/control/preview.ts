/** Counts what applying a configuration would change for the stored URLs. Nothing is changed. */
import { type PredictedEffect, predictEffects } from '../../domain/crawl/re-evaluation.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Reason } from '../../domain/policy/reasons.js';
import type { Verdict } from '../../domain/policy/verdict.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { PreviewCounts, PreviewGroup, PreviewReport } from '../views/crawler-views.js';
import { listStoredUrls, type Rejudging } from './rejudging.js';

const MAX_SAMPLES = 20;
const MAX_HOSTS = 1_000;
/** If a larger share of a crawler's documents would be deleted, applying the change requires confirmation. */
const CONFIRMATION_THRESHOLD = 0.1;

/**
 * Yields a report after each page of URLs; the last one is done.
 * @param current names of the crawlers in force
 */
export async function* previewChanges(
  contexts: ReadonlyMap<string, CrawlContext>,
  current: Iterable<string>,
  store: Pick<FrontierStore, 'count' | 'countByStatus' | 'list'>,
  rejudging: Pick<Rejudging, 'judge'>,
): AsyncIterable<PreviewReport> {
  const counts = await Promise.all([...contexts.keys()].map((crawler) => store.count({ crawler })));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const counters = new Map([...contexts.keys()].map((name) => [name, new PreviewCounter(name)]));
  const removed = await countRemoved(
    [...current].filter((name) => !contexts.has(name)),
    store,
  );
  let judged = 0;
  const createReport = (done: boolean): PreviewReport => {
    const crawlers = [...counters.values()].map((counter) => counter.toView());
    const largeDeletions = crawlers.filter(
      (view) => view.documentsDeleted.count > CONFIRMATION_THRESHOLD * view.indexed,
    );
    return { crawlers, removed, judged, total, done, needsConfirmation: largeDeletions.map((view) => view.crawler) };
  };
  for (const [name, context] of contexts) {
    for await (const states of listStoredUrls(store, name)) {
      for (const state of states) counters.get(name)!.add(state, (await rejudging.judge(context, state)).verdict);
      judged += states.length;
      yield createReport(false);
    }
  }
  yield createReport(true);
}

async function countRemoved(
  names: readonly string[],
  store: Pick<FrontierStore, 'countByStatus'>,
): Promise<PreviewReport['removed']> {
  const counts = await Promise.all(names.map((name) => store.countByStatus(name)));
  return counts.map(({ byStatus, indexed }, i) => {
    const urls = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
    return { crawler: names[i]!, urls, indexed };
  });
}

class PreviewCounter {
  private indexed = 0;
  private readonly groups = {
    newlyAccepted: new Group(),
    excluded: new Group(),
    keptElsewhere: new Group(),
    documentsDeleted: new Group(),
    changedSource: new Group(),
  };

  constructor(private readonly crawler: string) {}

  add(state: UrlState, verdict: Verdict): void {
    if (state.status !== 'removed' && state.stamp !== undefined) this.indexed++;
    for (const [effect, reason] of Object.entries(predictEffects(state, verdict)))
      this.groups[effect as PredictedEffect].add(state, reason);
  }

  toView(): PreviewCounts {
    const { newlyAccepted, excluded, keptElsewhere, documentsDeleted, changedSource } = this.groups;
    return {
      crawler: this.crawler,
      indexed: this.indexed,
      newlyAccepted: newlyAccepted.toView(),
      excluded: excluded.toView(),
      keptElsewhere: keptElsewhere.toView(),
      documentsDeleted: documentsDeleted.toView(),
      changedSource: changedSource.toView(),
    };
  }
}

class Group {
  private count = 0;
  private readonly byHost = new Map<string, number>();
  private readonly samples: { url: string; reason: Reason }[] = [];

  add(state: UrlState, reason: Reason): void {
    this.count++;
    if (this.byHost.has(state.hostKey) || this.byHost.size < MAX_HOSTS) {
      this.byHost.set(state.hostKey, (this.byHost.get(state.hostKey) ?? 0) + 1);
    }
    if (this.samples.length < MAX_SAMPLES) this.samples.push({ url: state.url, reason });
  }

  toView(): PreviewGroup {
    return { count: this.count, byHost: Object.fromEntries(this.byHost), samples: [...this.samples] };
  }
}
