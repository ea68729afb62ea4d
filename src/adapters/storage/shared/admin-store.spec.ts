import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_DATABASES } from '../../../../test/support/database.js';
import { instant } from '../../../domain/time/units.js';
import { AdminStore } from './admin-store.js';

describe.each(ADMIN_DATABASES)('the administration store on $name', ({ open }) => {
  async function opened(): Promise<AdminStore> {
    const store = new AdminStore(await open(), (error) => error);
    onTestFinished(() => store.close());
    return store;
  }

  const version = (n: number) => ({
    at: instant(1_700_000_000_000 + n),
    who: 'ada',
    digest: `d${n}`,
    xml: `<CrawlConfig n="${n}"/>`,
    files: new Map([['crawl.rules', `allow domain d${n}.example`]]),
  });
  const entry = (n: number) => ({
    at: instant(n),
    who: 'ada',
    what: 'startCrawler',
    target: '/crawlers/docs/start',
    outcome: 'done',
    before: '',
    after: `{"n":${n}}`,
  });

  it('numbers every configuration, newest first', async () => {
    const store = await opened();
    const first = await store.add(version(1));
    const second = await store.add(version(2));
    const { xml: _, files: __, ...header } = version(2);
    expect(second).toEqual({ version: first.version + 1, ...header });
    expect((await store.listVersions(undefined, 10)).map((each) => each.version)).toEqual([
      second.version,
      first.version,
    ]);
    expect(await store.listVersions(second.version, 10)).toEqual([first]);
    expect(await store.listVersions(Number.MAX_SAFE_INTEGER, 1)).toEqual([second]);
    expect(await store.listEntries(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
    expect(await store.findTexts(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    const { xml, files } = version(1);
    expect(await store.findTexts(first.version)).toEqual({ xml, files });
    expect(await store.findTexts(99)).toBeUndefined();
  });

  it('gives numbers to versions added at the same time', async () => {
    const store = await opened();
    const added = await Promise.all([1, 2, 3, 4, 5].map((n) => store.add(version(n))));
    expect(new Set(added.map((each) => each.version)).size).toBe(5);
    for (const each of added) {
      expect((await store.findTexts(each.version))?.xml).toBe(`<CrawlConfig n="${each.digest.slice(1)}"/>`);
    }
  });

  it('adds a version only to the one that it is meant to follow', async () => {
    const store = await opened();
    const added = await Promise.all([1, 2, 3].map((n) => store.add(version(n), 0)));
    expect(added.flatMap((each) => each?.version ?? [])).toEqual([1]);
    expect(await store.add(version(4), 2)).toBeUndefined();
    expect((await store.add(version(5), 1))?.version).toBe(2);
  });

  it('lists who did what, newest first and in pages', async () => {
    const store = await opened();
    for (const n of [1, 2, 3]) await store.append(entry(n));
    const [newest, ...rest] = await store.listEntries(undefined, 2);
    expect(newest).toEqual({ id: expect.any(Number), ...entry(3) });
    expect(await store.listEntries(rest[0]!.id, 10)).toEqual([{ id: expect.any(Number), ...entry(1) }]);
  });

  it('keeps what was done whatever the call named', async () => {
    const store = await opened();
    await store.append({ ...entry(1), target: '/crawlers/docs/start?a=\0', crawler: 'do\0cs' });
    expect(await store.listEntries(undefined, 2)).toMatchObject([{ target: '/crawlers/docs/start?a=\uFFFD' }]);
  });
});
