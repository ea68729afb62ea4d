import { describe, expect, it } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { discovered, newUrl, order, visit } from '../../../../test/support/frontier-samples.js';
import { onPostgres } from '../../../../test/support/postgres.js';
import { instant, milliseconds } from '../../../domain/time/units.js';
import type { FrontierStore } from '../../../engine/ports/frontier-store.js';
import { exportStore, importStore } from './transfer.js';

const [SQLITE, POSTGRES] = DATABASES as [(typeof DATABASES)[0], (typeof DATABASES)[0]];

async function fill(store: FrontierStore): Promise<void> {
  const urls = Array.from({ length: 700 }, (_, i) =>
    newUrl(`http://host-${i % 7}.example/${i}`, {
      crawler: i % 3 === 0 ? 'news' : 'docs',
      dueAt: instant(i),
      foundOn: 'http://a.example/',
      inheritedMetas: i % 5 === 0 ? [{ name: 'team', value: 'é' }] : [],
    }),
  );
  const states = await discovered(
    store,
    ...urls,
    newUrl('http://host-1.example/logged', { status: 'filtered', source: undefined }),
  );
  await store.settle(
    states.slice(0, 300).flatMap(({ id }, i) => [
      {
        id,
        changes: {
          status: 'indexed' as const,
          stamp: `s${i}`,
          source: 5 as const,
          dueAt: instant(5_000 + i),
          visits: 2,
          changes: 1,
          simhash: -(2n ** 62n) - BigInt(i),
          etag: '"x"',
          title: 'Über',
          lastVisitAt: instant(900),
          lastStatus: 200,
          permanentError: i % 2 === 0,
          temporaryErrors: i % 3,
          changeInterval: milliseconds(1_000 + i),
          changeUncertainty: 1 / (3 + i),
        },
        visit: visit(800, { status: undefined, outcome: 'timeout' }),
        orders: [order(i + 1, { uri: states[i]!.url, hostKey: states[i]!.hostKey })],
      },
      { id, visit: visit(900 + i) },
    ]),
  );
  await store.settle([{ id: states[400]!.id, changes: { source: null, status: 'error', reason: 'http-404' } }]);
  await store.saveHosts([
    {
      hostKey: 'host-1.example',
      nextRequestAt: instant(7),
      backOffUntil: instant(8),
      backOffStep: 3,
      paused: true,
      visitPrice: milliseconds(9),
    },
  ]);
  const { uri, hostKey } = { uri: states[1]!.url, hostKey: states[1]!.hostKey };
  const owed = { change: 'put off', crawler: 'docs', sink: 'slow', uri, hostKey, since: instant(4) } as const;
  await store.settle([{ id: states[1]!.id, owed: [{ ...owed, orderId: 2, askedAt: instant(5) }] }]);
  await store.putSetting('crawler/docs', 'running');
}

async function linesOf(store: FrontierStore, last?: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportStore(store, last)) lines.push(line);
  return lines;
}

/** The contents of a store, without its own ids. */
async function content(store: FrontierStore) {
  const urls = await store.list({}, 0, 10_000);
  const described = await Promise.all(
    urls.map(async ({ id, ...url }) => ({ ...url, visits: await store.listVisits(id, 50) })),
  );
  return {
    urls: described.sort((a, b) => (`${a.crawler} ${a.url}` < `${b.crawler} ${b.url}` ? -1 : 1)),
    orders: await store.listOrders({}, undefined, 10_000),
    hosts: await store.loadHosts(['host-1.example']),
    settings: [...(await store.listSettings(''))],
    counts: [await store.countByStatus('docs'), await store.countByStatus('news')],
  };
}

async function* given(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('moving a store', () => {
  it.each(
    onPostgres(
      ['SQLite', 'PostgreSQL', SQLITE, POSTGRES] as const,
      ['PostgreSQL', 'SQLite', POSTGRES, SQLITE] as const,
    ),
  )('from %s to %s loses nothing', async (_from, _to, from, to) => {
    const source = (await from.open()).store;
    const target = (await to.open()).store;
    await fill(source);
    const summary = await importStore(target, exportStore(source));
    expect(summary).toMatchObject({
      url: { count: 701 },
      order: { count: 300 },
      host: { count: 1 },
      setting: { count: 2 },
    });
    expect(await content(target)).toEqual(await content(source));
  });

  it.each(DATABASES)('to $name, new orders have higher ids than those that came with it', async ({ open }) => {
    const source = (await SQLITE.open()).store;
    const [{ store }, block] = [await open(), 2 ** 32];
    await fill(source);
    await source.saveOrders([order(7 * block + 5)]);
    const owed = { change: 'put off', crawler: 'docs', sink: 'down', hostKey: 'a.example', since: instant(4) } as const;
    await source.settle([{ id: 0, owed: [{ ...owed, uri: 'http://a.example/', orderId: 9 * block + 5 }] }]);
    await importStore(store, exportStore(source));
    const first = await store.getLastOrderId();
    expect(first).toBeGreaterThanOrEqual(9 * block + 5);
    await store.saveOrders([order(first + 1)]);
    expect(await store.getLastOrderId()).toBeGreaterThan(first);
  });

  it('resumes an interrupted export after its last whole line', async () => {
    const { store } = await SQLITE.open();
    await fill(store);
    const all = await linesOf(store);
    for (const length of [1, 2, 600, all.length - 1]) {
      expect(await linesOf(store, all[length - 1])).toEqual(all.slice(length));
    }
    expect(await linesOf(store, all.at(-1))).toEqual([]);
    await store.putSetting('crawler/docs', 'stopped');
    await expect(
      linesOf(
        store,
        all.find((line) => line.includes('crawler/docs')),
      ),
    ).rejects.toThrow('start the export again');
  });

  it('resumes an interrupted import, given the same lines', async () => {
    const source = (await SQLITE.open()).store;
    const target = (await SQLITE.open()).store;
    await fill(source);
    const lines = await linesOf(source);
    async function* interrupted() {
      yield* lines.slice(0, 600);
      throw new Error('the disk was pulled');
    }
    await expect(importStore(target, interrupted())).rejects.toThrow('pulled');
    expect(await target.count({})).toBe(498);
    await importStore(target, given(lines));
    expect(await content(target)).toEqual(await content(source));
  });

  it('reads an export in which fields have their former names', async () => {
    const source = (await SQLITE.open()).store;
    const target = (await SQLITE.open()).store;
    await fill(source);
    const lines = (await linesOf(source)).map((line) =>
      line.replace('"discoveredVia":', '"arrival":').replace('"changeUncertainty":', '"changeDoubt":'),
    );
    const fault = String(await importStore((await SQLITE.open()).store, given(lines)).catch((error: unknown) => error));
    const { summary } = JSON.parse(lines.at(-1)!);
    summary.url.digest = /are in the file \((\w+)\)/.exec(fault)![1];
    await importStore(target, given([...lines.slice(0, -1), JSON.stringify({ summary })]));
    expect(await content(target)).toEqual(await content(source));
  });

  it('refuses a store that is not empty, a file of another kind and one that is cut or altered', async () => {
    const source = (await SQLITE.open()).store;
    await fill(source);
    const lines = await linesOf(source);
    const into = async (changed: readonly string[]) => importStore((await SQLITE.open()).store, given(changed));
    await expect(importStore(source, given(lines))).rejects.toThrow('line 1 of the export: the store is not empty');
    await expect(into(['{"no":"header"}'])).rejects.toThrow('it is not the header of a "crawlway store 1" file');
    await expect(into([...lines.slice(0, 3), 'rubbish'])).rejects.toThrow('line 4 of the export');
    await expect(into(lines.slice(0, -1))).rejects.toThrow('ends without its summary');
    await expect(into(lines.filter((_, i) => i !== 5))).rejects.toThrow('701 url records were exported');
    await expect(into(lines.map((line) => line.replace('Über', 'Ueber')))).rejects.toThrow(
      'The import does not match the export',
    );
  });
});
