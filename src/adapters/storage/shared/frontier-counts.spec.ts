import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { newUrl } from '../../../../test/support/frontier-samples.js';
import { URL_STATUSES, type UrlState } from '../../../domain/crawl/url-state.js';
import { SOURCES, type SourceNumber } from '../../../domain/frontier/sources.js';
import { instant } from '../../../domain/time/units.js';
import type { FrontierStore, NewUrl, UrlChanges } from '../../../engine/ports/frontier-store.js';

const HOSTS = ['a.example', 'b.example:8080', 'c.example'];
const CRAWLERS = ['docs', 'news'];

const source = fc.integer({ min: 0, max: 5 }) as fc.Arbitrary<SourceNumber>;
const dueAt = fc.integer({ min: 0, max: 20 }).map(instant);
const link: fc.Arbitrary<NewUrl> = fc
  .record({
    host: fc.constantFrom(...HOSTS),
    path: fc.integer({ min: 0, max: 5 }),
    crawler: fc.constantFrom(...CRAWLERS),
    source: fc.option(source, { nil: undefined }),
    dueAt,
  })
  .map(({ host, path, ...rest }) =>
    newUrl(`http://${host}/${path}`, { ...rest, status: rest.source === undefined ? 'filtered' : 'waiting' }),
  );
const changes: fc.Arbitrary<UrlChanges> = fc.record(
  {
    status: fc.constantFrom(...URL_STATUSES),
    source: fc.option(source, { nil: null }),
    dueAt,
    stamp: fc.option(fc.constant('digest'), { nil: null }),
    reason: fc.constantFrom('accepted', 'http-404'),
  },
  { requiredKeys: [] },
);
const settlement = fc.record({ pick: fc.nat(1_000), remove: fc.boolean(), changes });

type Step =
  | { readonly discover: NewUrl[] }
  | { readonly seed: NewUrl[] }
  | { readonly settle: { pick: number; remove: boolean; changes: UrlChanges }[] }
  | { readonly makeDue: number; readonly source: SourceNumber }
  | { readonly forget: UrlState['status'] };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ discover: fc.array(link, { maxLength: 8 }) }),
  fc.record({ seed: fc.array(link, { maxLength: 3 }) }),
  fc.record({ settle: fc.array(settlement, { maxLength: 6 }) }),
  fc.record({ makeDue: fc.nat(20), source }),
  fc.record({ forget: fc.constantFrom(...URL_STATUSES) }),
);

/** Runs one step on the store; settlements pick from the URLs that are stored at that moment. */
async function perform(store: FrontierStore, step: Step): Promise<void> {
  if ('discover' in step) await store.discover(step.discover);
  else if ('seed' in step) await store.seed(step.seed);
  else if ('makeDue' in step) await store.makeDue({ crawler: 'docs' }, instant(step.makeDue), step.source);
  else if ('forget' in step) await store.forget({ status: step.forget });
  else {
    const ids = (await store.list({}, 0, 1_000)).map(({ id }) => id);
    const picked = step.settle.map(({ pick, ...rest }) => ({ id: ids[pick % ids.length] ?? 1, ...rest }));
    await store.settle(picked);
  }
}

/** Computes what the counters must contain by going through all rows. */
function counted(rows: readonly UrlState[], crawler: string) {
  const own = rows.filter((row) => row.crawler === crawler);
  const queued = own.filter((row) => row.source !== undefined);
  const tally = (list: readonly UrlState[]) => ({
    urls: list.length,
    indexed: list.filter((row) => row.stamp !== undefined).length,
    errors: list.filter((row) => row.status === 'error').length,
    queued: list.filter((row) => row.source !== undefined).length,
  });
  const hosts = [...new Set(own.map((row) => row.hostKey))].sort();
  const dueTimes = (list: readonly UrlState[]) => list.map((row) => row.dueAt).sort((a, b) => a - b);
  return {
    counts: {
      byStatus: Object.fromEntries(
        URL_STATUSES.map((status) => [status, own.filter((row) => row.status === status).length]),
      ),
      bySource: SOURCES.map((_, number) => queued.filter((row) => row.source === number).length),
      indexed: tally(own).indexed,
      oldestDueAt: dueTimes(queued)[0],
    },
    hosts: hosts.map((hostKey) => ({ hostKey, ...tally(own.filter((row) => row.hostKey === hostKey)) })),
    backlogs: hosts.flatMap((hostKey) =>
      SOURCES.flatMap((_, number) => {
        const due = dueTimes(queued.filter((row) => row.hostKey === hostKey && row.source === number))[0];
        return due === undefined || due > 10 ? [] : [{ crawler, hostKey, source: number, dueAt: due }];
      }),
    ),
  };
}

describe.each(DATABASES)('counts on $name', ({ open }) => {
  it('equal the stored rows after any sequence of changes', async () => {
    const { store } = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const each of steps) await perform(store, each);
        const rows = await store.list({}, 0, 1_000);
        for (const crawler of CRAWLERS) {
          expect({
            counts: await store.countByStatus(crawler),
            hosts: await store.listHosts(crawler, undefined, 100),
            backlogs: (await store.listBacklogs(crawler, instant(10), undefined, 100)).backlogs,
          }).toEqual(counted(rows, crawler));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('discovery never changes a known URL, unless its status is removed, whatever came before', async () => {
    const { store } = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.array(link, { maxLength: 20 }), async (steps, links) => {
        for (const each of steps) await perform(store, each);
        const before = await store.list({}, 0, 1_000);
        const added = await store.discover(links);
        const after = await store.list({}, 0, 1_000);
        const addedIds = new Set(added.map(({ id }) => id));
        const isAdded = ({ id }: UrlState): boolean => addedIds.has(id);
        expect(after.filter((state) => !isAdded(state))).toEqual(before.filter((state) => !isAdded(state)));
        for (const state of before.filter(isAdded))
          expect(state).toMatchObject({ status: 'removed', source: undefined });
        const byId = (states: readonly UrlState[]) => [...states].sort((a, b) => a.id - b.id);
        expect(byId(after.filter(({ id }) => addedIds.has(id)))).toEqual(byId(added));
        const name = (url: { crawler: string; url: string }) => `${url.crawler} ${url.url}`;
        expect(new Set(after.map(name))).toEqual(new Set([...before, ...links].map(name)));
      }),
      { numRuns: 40 },
    );
  });
});
