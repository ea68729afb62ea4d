import { describe, expect, it } from 'vitest';
import { alwaysNeedsTree, type ContentDefinition, changesDocuments, needsTree } from './content-definition.js';
import { toTypedMeta } from './meta-types.js';
import { createDeliveredMetas } from './page-metas.js';

const metas = (...pairs: readonly (readonly [string, string])[]) => pairs.map(([name, value]) => ({ name, value }));

describe('the metas of a page that are delivered', () => {
  it.each([
    ['description', true],
    ['keywords', true],
    ['og:title', true],
    ['twitter:card', true],
    ['article:tag', true],
    ['dc.title', true],
    ['dcterms.title', true],
    ['og:', false],
    ['dc.', false],
    ['xog:title', false],
    ['dcx.title', false],
    ['descriptions', false],
    ['viewport', false],
    [`og:${'x'.repeat(97)}`, true],
    [`og:${'x'.repeat(98)}`, false],
  ])('%s: %s', (name, expected) => {
    expect(createDeliveredMetas(metas([name, 'v']))).toEqual(expected ? metas([name, 'v']) : []);
    expect(createDeliveredMetas(metas([name, '']))).toEqual([]);
  });

  it('are at most 100, with at most 8,000 characters each; structured data comes on top', () => {
    const many = Array.from({ length: 120 }, (_, i) => ({ name: `og:${i}`, value: 'x'.repeat(9_000) }));
    const delivered = createDeliveredMetas(many, metas(['jsonld.name', 'n']));
    expect(delivered.map(({ name }) => name)).toEqual([...many.slice(0, 100).map(({ name }) => name), 'jsonld.name']);
    expect(delivered[0]!.value).toHaveLength(8_000);
    expect(createDeliveredMetas(metas(['og:title', `${'x'.repeat(7_999)}🙂`]))[0]!.value).toMatch(/x\ufffd$/);
  });

  it('begin with the dates of the page, from the most reliable source that has one', () => {
    const dates = (...pairs: readonly (readonly [string, string])[]) =>
      createDeliveredMetas(metas(...pairs)).filter(({ name }) => name.startsWith('date_'));
    const published = (value: string) => ({ name: 'date_published', value: `${value}T00:00:00.000Z`, type: 'date' });
    const modified = (value: string) => ({ name: 'date_modified', value: `${value}T00:00:00.000Z`, type: 'date' });
    expect(dates(['date', '2026-01-02'], ['Article:Published_Time', '2026-01-01'])).toEqual([published('2026-01-01')]);
    expect(dates(['article:published_time', 'soon'], ['date', '2026-01-02'])).toEqual([published('2026-01-02')]);
    expect(dates(['last-modified', '2026-01-03'], ['date', '2026-01-02'])).toEqual([
      published('2026-01-02'),
      modified('2026-01-03'),
    ]);
    expect(createDeliveredMetas([], metas(['jsonld.datepublished', '2026-01-02']))[0]).toEqual(published('2026-01-02'));
    expect(createDeliveredMetas([])).toEqual([]);
  });

  const ranked = {
    date_published:
      'article:published_time jsonld.datepublished microdata.datepublished dcterms.issued dcterms.created dc.date.issued dc.date.created dcterms.date dc.date datepublished parsely-pub-date date',
    date_modified:
      'article:modified_time og:updated_time jsonld.datemodified microdata.datemodified dcterms.modified dc.date.modified datemodified last-modified',
  };
  it.each(
    Object.entries(ranked).flatMap(([name, sources]) =>
      sources.split(' ').map((source, index, all) => [name, source, all.slice(index + 1)] as const),
    ),
  )('%s is read from %s before any later source', (name, source, later) => {
    const others = later.map((one) => [one, '2026-02-02'] as const);
    const found = createDeliveredMetas(metas(...others, [source, '2026-01-01'])).find((meta) => meta.name === name);
    expect(found?.value).toBe('2026-01-01T00:00:00.000Z');
  });
});

it('the metas that the crawler adds have a type if they are dates or numbers', () => {
  for (const name of ['lastmodifieddate', 'crawl_time', 'date_created', 'date_modified', 'date_published'])
    expect(toTypedMeta(name, '2026-03-04T05:06:07.000Z').type).toBe('date');
  for (const name of ['file_size', 'http_status', 'page_count', 'row_count', 'sheet_count', 'slide_count'])
    expect(toTypedMeta(name, '7').type).toBe('number');
  expect(toTypedMeta('author', 'v')).toEqual({ name: 'author', value: 'v' });
});

describe('what a Content element needs', () => {
  const nothing: ContentDefinition = {
    include: [],
    exclude: [],
    markers: [],
    main: false,
    omitRepeated: false,
    metas: true,
    fields: [],
    headings: false,
    markdown: false,
    changeDetection: 'content',
    place: { file: 'c.xml', line: 1, column: 1 },
  };
  const field = (source: ContentDefinition['fields'][number]['source']): Partial<ContentDefinition> => ({
    fields: [{ name: 'f', source, type: 'text', multiple: false, place: nothing.place }],
  });

  it.each([
    ['nothing', {}, false, false, false],
    ['include', { include: ['main'] }, true, true, true],
    ['exclude', { exclude: ['nav'] }, true, true, true],
    ['markers', { markers: ['noindex'] }, true, false, true],
    ['main', { main: true }, true, true, true],
    ['headings', { headings: true }, true, true, true],
    ['markdown', { markdown: true }, true, true, true],
    ['chunks', { chunks: { size: 9, overlap: 0, unit: 'tokens' } }, true, true, true],
    ['split', { split: { selector: 'li', id: 'id' } }, true, true, true],
    ['a selected field', field({ kind: 'select', selector: 'h1' }), true, true, true],
    ['a field from metas', field({ kind: 'meta', name: 'author' }), false, false, true],
    ['no metas', { metas: false }, false, false, true],
  ] as const)('with %s', (_, parts, tree, everyPage, documents) => {
    const content = { ...nothing, ...(parts as Partial<ContentDefinition>) };
    expect([needsTree(content), alwaysNeedsTree(content), changesDocuments(content)]).toEqual([
      tree,
      everyPage,
      documents,
    ]);
  });

  it('without it, nothing changes', () => expect(changesDocuments(undefined)).toBe(false));
});
