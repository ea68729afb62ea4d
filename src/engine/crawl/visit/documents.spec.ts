import { describe, expect, it } from 'vitest';
import { state } from '../../../../test/support/url-states.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { PageOutcome } from '../../ports/page-task.js';
import { Documents } from './documents.js';

/** Texts with as little in common as two hashes can have. */
const [TEXT, OTHER_TEXT, THIRD_TEXT] = [0n, 0x5555_5555_5555_5555n, 0x3333_3333_3333_3333n];
const VALIDATORS = { etag: '"2"', lastModified: 'today' };

/** A crawler with these pages, of which those with a stamp are in the index; each has an id, which it is known by. */
function crawlerOf(...known: Partial<UrlState>[]) {
  const pages = known.map((page) => {
    const url = page.url ?? `http://a.example/${page.id}`;
    return state({ ...page, url, hostKey: toCrawlUrl(url).host });
  });
  const world = {
    scope: 'domain' as 'domain' | 'crawler',
    detects: true,
    /** Pages that strangers may have made up. */
    madeUp: new Set<number>(),
    /** The quota whose limit has been reached. */
    full: undefined as string | undefined,
    admitted: [] as number[],
    ended: [] as [number, boolean][],
    failures: 0,
    /** The size of a page of the store's list. */
    lists: 0,
  };
  const store = {
    find: async (_crawler: string, url: string) => pages.find((page) => page.url === url),
    get: async (ids: readonly number[]) => pages.filter(({ id }) => ids.includes(id)),
    listTexts: async (_crawler: string, from: number, size: number) => {
      world.lists++;
      if (world.failures-- > 0) throw new Error('the store is busy');
      return pages
        .flatMap((page) => (page.id > from && page.stamp ? [{ ...page, stamp: page.stamp }] : []))
        .slice(0, size);
    },
  };
  let isLoaded = false;
  const strangers = {
    load: async () => {
      isLoaded = true;
    },
    getDomain: (url: string) => {
      if (!isLoaded) throw new Error('the domains are not loaded');
      return toCrawlUrl(url).host;
    },
    rank: async ({ url }: { url: string }) => (world.madeUp.has(pages.find((page) => page.url === url)!.id) ? 1 : 0),
  };
  const quotas = {
    admitDocument: (_crawler: string, id: number) => {
      world.admitted.push(id);
      return world.full;
    },
    noteVisitEnd: (_crawler: string, id: number, isSettled: boolean) => void world.ended.push([id, isSettled]),
  };
  const settings = () => ({ nearDuplicateDetector: world.detects, nearDuplicateScope: world.scope });
  const documents = new Documents('docs', store, settings, strangers, quotas);
  const find = (id: number) => pages.find((page) => page.id === id)!;
  const decide = (id: number, page: PageOutcome, original?: number) =>
    documents.decideOutcome(find(id), page, original === undefined ? undefined : find(original));
  return { documents, world, pages, find, decide };
}

const indexed = (id: number, simhash = TEXT, more: Partial<UrlState> = {}): Partial<UrlState> => ({
  ...{ id, status: 'indexed', reason: 'indexed', stamp: `s${id}`, simhash, title: `T${id}`, contentType: 'text/html' },
  ...more,
});
const read = (simhash: bigint | undefined, more: { canonical?: string; index?: boolean } = {}): PageOutcome => {
  const facts = { stamp: 'new', simhash, contentType: 'text/html', title: 'T', hasText: true, ...VALIDATORS };
  return { kind: 'document', index: true, reason: 'indexed', facts, ...more };
};
const UNCHANGED: PageOutcome = { kind: 'unchanged' };
const INDEXED = { index: true, reason: 'indexed' };
const duplicateOf = (id: number) => ({ index: false, reason: 'near-duplicate', related: `http://a.example/${id}` });

describe('a near duplicate', () => {
  it.each<[string, bigint, object]>([
    ['the text of an indexed document', TEXT, duplicateOf(1)],
    ['a text that differs from it a little', TEXT ^ 7n, duplicateOf(1)],
    ['a text of its own', OTHER_TEXT, INDEXED],
  ])('a new page with %s', async (_, simhash, decision) => {
    const { decide } = crawlerOf(indexed(1), { id: 2 });
    expect(await decide(2, read(simhash))).toMatchObject(decision);
  });

  it('of two documents in the index, the one found first stays, whether or not they have changed', async () => {
    const { decide } = crawlerOf(indexed(1), indexed(2));
    expect(await decide(1, read(TEXT))).toMatchObject(INDEXED);
    expect(await decide(1, UNCHANGED)).toEqual(UNCHANGED);
    expect(await decide(2, read(TEXT))).toMatchObject(duplicateOf(1));
    const facts = { stamp: 's2', simhash: TEXT, title: 'T2', contentType: 'text/html' };
    expect(await decide(2, UNCHANGED)).toMatchObject({ kind: 'document', ...duplicateOf(1), ...facts });
  });

  it('is not looked for when nothing has changed and the detector is off, nor without a text, nor for what is left out', async () => {
    const { decide, world } = crawlerOf(indexed(1), indexed(2), indexed(3, undefined, { simhash: undefined }));
    world.detects = false;
    expect(await decide(2, UNCHANGED)).toEqual(UNCHANGED);
    world.detects = true;
    expect(await decide(3, UNCHANGED)).toEqual(UNCHANGED);
    expect(await decide(2, read(undefined))).toMatchObject(INDEXED);
    expect(await decide(2, { ...read(TEXT, { index: false }), reason: 'noindex' } as PageOutcome)).toMatchObject({
      ...{ index: false, reason: 'noindex' },
    });
    expect(world.lists).toBe(0);
  });

  it('of another site keeps a new page out only if all sites are compared, and never an indexed one', async () => {
    const foreign = (id: number) => ({ ...indexed(id), url: `http://b.example/${id}` });
    const { decide, world } = crawlerOf(indexed(1), { id: 2, url: 'http://b.example/2' }, foreign(3));
    expect(await decide(2, read(TEXT))).toMatchObject({ ...duplicateOf(3), related: 'http://b.example/3' });
    const alone = crawlerOf(indexed(1), { id: 2, url: 'http://b.example/2' }, foreign(3));
    alone.documents.noteSettled(alone.find(3), null);
    expect(world.scope).toBe('domain');
    alone.pages.pop();
    expect(await alone.decide(2, read(TEXT))).toMatchObject(INDEXED);
    const all = crawlerOf(indexed(1), { id: 2, url: 'http://b.example/2' }, foreign(3));
    all.world.scope = 'crawler';
    all.pages.splice(2, 1);
    expect(await all.decide(2, read(TEXT))).toMatchObject(duplicateOf(1));
    const both = crawlerOf(indexed(1), foreign(3));
    both.world.scope = 'crawler';
    expect(await both.decide(3, read(TEXT))).toMatchObject(INDEXED);
  });

  it.each<[string, Partial<UrlState>, number[], object]>([
    ['redirects', { status: 'redirected' }, [], INDEXED],
    ['no longer leads anywhere', { reason: 'redirect-target-failed' }, [], INDEXED],
    ['is one that strangers may have made up', {}, [1], INDEXED],
    ['is well', {}, [], duplicateOf(1)],
    ['is made up, and so may be the new page', {}, [1, 2], duplicateOf(1)],
    [
      'is made up, but of another site',
      { url: 'http://b.example/1' },
      [1],
      { index: false, related: 'http://b.example/1' },
    ],
  ])('of a page that %s', async (_, original, madeUp, decision) => {
    const { decide, world } = crawlerOf(indexed(1, TEXT, original), { id: 2 });
    for (const id of madeUp) world.madeUp.add(id);
    world.scope = 'crawler';
    expect(await decide(2, read(TEXT))).toMatchObject(decision);
  });

  it('of a page that is entering the index is one already, unless that visit fails', async () => {
    const { decide, documents, find } = crawlerOf({ id: 1 }, { id: 2 }, { id: 3 });
    expect(await decide(1, read(TEXT))).toMatchObject(INDEXED);
    expect(await decide(2, read(TEXT))).toMatchObject(duplicateOf(1));
    documents.noteFailure(find(1));
    expect(await decide(2, read(TEXT))).toMatchObject(INDEXED);
    documents.noteSettled(find(2), TEXT);
    documents.noteFailure(find(2));
    expect(await decide(3, read(TEXT))).toMatchObject(duplicateOf(2));
  });

  it('what was known of a page still holds if its new text does not reach the index', async () => {
    const { decide, documents, find } = crawlerOf(indexed(1), { id: 2 }, { id: 3 });
    await decide(1, read(OTHER_TEXT));
    documents.noteSettled(find(1), undefined);
    expect(await decide(2, read(OTHER_TEXT))).toMatchObject(INDEXED);
    expect(await decide(3, read(TEXT))).toMatchObject(duplicateOf(1));
  });

  it('a page without text in the index any more has no duplicates', async () => {
    const { decide, documents, find } = crawlerOf(indexed(1), { id: 2 }, { id: 3 });
    await decide(3, read(OTHER_TEXT));
    documents.noteSettled(find(1), THIRD_TEXT);
    expect(await decide(2, read(THIRD_TEXT))).toMatchObject(duplicateOf(1));
    documents.noteSettled(find(1), null);
    expect(await decide(2, read(TEXT))).toMatchObject(INDEXED);
  });

  it('the index is read once, all of it, and again at the next page if that fails', async () => {
    const many = Array.from({ length: 5_001 }, (_, i) => indexed(i + 1, i === 5_000 ? TEXT : OTHER_TEXT));
    const { decide, world } = crawlerOf(...many, { id: 6_000 });
    world.failures = 1;
    await expect(decide(6_000, read(TEXT))).rejects.toThrow('the store is busy');
    expect(await decide(6_000, read(TEXT))).toMatchObject(duplicateOf(5_001));
    await decide(6_000, read(TEXT));
    expect(world.lists).toBe(3);
  });
});

describe('a page that names a canonical URL', () => {
  const CANONICAL = 'http://a.example/1';
  const WITHOUT = { etag: undefined, lastModified: undefined };

  it.each<[string, Partial<UrlState>, Partial<UrlState>, object]>([
    [
      'gives way to one in the index',
      indexed(1),
      {},
      { index: false, reason: 'canonical-elsewhere', related: CANONICAL, ...VALIDATORS },
    ],
    [
      'gives way, being new, to one that is to be visited',
      { id: 1 },
      {},
      { index: false, reason: 'canonical-elsewhere' },
    ],
    [
      'stays until that is visited, and may be duplicated',
      { id: 1 },
      indexed(2),
      { ...INDEXED, ...WITHOUT, simhash: undefined },
    ],
    [
      'stays if that is left out',
      { id: 1, status: 'visited', reason: 'noindex' },
      {},
      { ...INDEXED, ...WITHOUT, simhash: TEXT },
    ],
    ['stays if that is not known', { id: 9 }, {}, { ...INDEXED, ...WITHOUT, simhash: TEXT }],
  ])('%s', async (_, canonical, own, decision) => {
    const { decide } = crawlerOf(canonical, { id: 2, ...own });
    expect(await decide(2, read(TEXT, { canonical: CANONICAL }))).toMatchObject(decision);
  });

  it('that has to stay may be a duplicate of another page', async () => {
    const { decide } = crawlerOf({ id: 1, status: 'visited', reason: 'noindex' }, { id: 2 }, indexed(3));
    expect(await decide(2, read(TEXT, { canonical: CANONICAL }))).toMatchObject(duplicateOf(3));
  });

  it('that is to be left out anyway is left out for that reason', async () => {
    const { decide } = crawlerOf(indexed(1), { id: 2 });
    const page = { ...read(TEXT, { canonical: CANONICAL, index: false }), reason: 'noindex' } as PageOutcome;
    expect(await decide(2, page)).toMatchObject({ index: false, reason: 'noindex' });
  });

  it('that names it in turn: one of two stays while their visits are in flight', async () => {
    const { decide, documents, find } = crawlerOf(indexed(1, OTHER_TEXT), indexed(2));
    const naming = (id: number) => read(TEXT, { canonical: `http://a.example/${id}` });
    expect(await decide(1, naming(2))).toMatchObject({ reason: 'canonical-elsewhere' });
    expect(await decide(2, naming(1))).toMatchObject(INDEXED);
    documents.endVisit(find(1), true);
    expect(await decide(2, naming(1))).toMatchObject({ reason: 'canonical-elsewhere' });
    const both = crawlerOf(indexed(1, OTHER_TEXT), indexed(2));
    const decisions = await Promise.all([both.decide(1, naming(2)), both.decide(2, naming(1))]);
    expect(decisions.map((one) => 'index' in one && one.index)).toEqual([false, true]);
  });
});

describe('an exact twin of another document', () => {
  const twin = { index: false, reason: 'exact-duplicate', related: 'http://a.example/1' };

  it('gives way, changed or not, with what is known of it', async () => {
    const { decide } = crawlerOf(indexed(1), indexed(2, OTHER_TEXT, { etag: '"1"', lastModified: 'then' }), { id: 3 });
    const facts = {
      stamp: 's2',
      simhash: OTHER_TEXT,
      title: 'T2',
      contentType: 'text/html',
      etag: '"1"',
      lastModified: 'then',
    };
    expect(await decide(2, UNCHANGED, 1)).toMatchObject({ kind: 'document', ...twin, ...facts });
    expect(await decide(2, read(TEXT), 1)).toMatchObject({ ...twin, stamp: 'new' });
    expect(await decide(3, UNCHANGED, 1)).toMatchObject({ ...twin, stamp: '', title: '', contentType: '' });
  });

  it('that fails has failed', async () => {
    const { decide } = crawlerOf(indexed(1), indexed(2));
    const failure: PageOutcome = { kind: 'error', code: 'http-5xx', detail: '' };
    expect(await decide(2, failure, 1)).toEqual(failure);
  });
});

describe('a quota of documents', () => {
  it('that is full keeps new pages out; they are read again in full, and their texts are free for others', async () => {
    const { decide, world, documents, find } = crawlerOf({ id: 1 }, { id: 2 });
    world.full = 'small';
    expect(await decide(1, read(TEXT))).toMatchObject({
      ...{ index: false, reason: 'quota-documents', stamp: 'new', etag: undefined, lastModified: undefined },
    });
    world.full = undefined;
    expect(await decide(2, read(TEXT))).toMatchObject({ ...INDEXED, ...VALIDATORS });
    documents.endVisit(find(1), false);
    documents.endVisit(find(2), true);
    expect(world.ended).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('counts neither what is in the index nor what is left out', async () => {
    const { decide, world } = crawlerOf(indexed(1), { id: 2 }, { id: 3 });
    await decide(1, read(TEXT));
    await decide(2, read(TEXT));
    await decide(3, { kind: 'error', code: 'http-5xx', detail: '' });
    expect(world.admitted).toEqual([]);
    await decide(3, read(OTHER_TEXT));
    expect(world.admitted).toEqual([3]);
  });
});
