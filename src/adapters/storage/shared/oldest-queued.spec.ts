import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { newUrl } from '../../../../test/support/frontier-samples.js';
import { SOURCES, type SourceNumber } from '../../../domain/frontier/sources.js';
import { instant } from '../../../domain/time/units.js';

const link = fc.record({
  host: fc.integer({ min: 0, max: 6 }),
  source: fc.option(fc.integer({ min: 0, max: 5 }) as fc.Arbitrary<SourceNumber>, { nil: undefined }),
  dueAt: fc.integer({ min: 0, max: 50 }).map(instant),
});

it.each(DATABASES)('the oldest queued URL of each source is found on $name', async ({ open }) => {
  const { store } = await open();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(link, { maxLength: 30 }), async (links) => {
      const crawler = `run ${run++}`;
      const urls = links.map(({ host, source, dueAt }, i) =>
        newUrl(`http://h${host}.example/${i}`, {
          crawler,
          source,
          dueAt,
          status: source === undefined ? 'filtered' : 'waiting',
        }),
      );
      await store.discover(urls);
      const oldest = await store.findOldest(crawler);
      for (const number of SOURCES.keys()) {
        const times = links.filter(({ source }) => source === number).map(({ dueAt }) => dueAt);
        const found = oldest.get(number as SourceNumber);
        expect(found?.dueAt).toBe(times.length === 0 ? undefined : Math.min(...times));
        if (found)
          expect(urls.find(({ url }) => url === found.url)).toMatchObject({ source: number, dueAt: found.dueAt });
      }
    }),
    { numRuns: 20 },
  );
});
