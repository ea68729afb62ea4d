import { describe, expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { compileAcl } from '../../domain/content/acl.js';
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import { UNKNOWN_STAMP, type UrlState } from '../../domain/crawl/url-state.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { KeptDocument } from '../ports/sink.js';
import { findIndexedDocument } from './indexed-document.js';

const url = 'https://a.example/pay';
const crawler = 'test';
const state = { crawler, url, stamp: '7' } as UrlState;
const document = { uri: url, stamp: '7', metas: [{ name: 'acl_allow', value: 'everyone' }] };
const kept = { crawler, document } as unknown as KeptDocument;

/** Returns the document found in the sink `well`, which holds `document`, under the given rules. */
function bringing(allow: string, found: KeptDocument | undefined = kept) {
  const acl = { default: [allow], rules: [] };
  const context = { readAcl: compileAcl(acl), definition: crawlerDefinition({ acl }) } as unknown as CrawlContext;
  const find = async (sink: string) => (sink === 'well' ? found : undefined);
  return (changes: Partial<UrlState> = {}, from: string | undefined = 'well') =>
    findIndexedDocument({ find }, from, { ...state, ...changes }, context);
}

describe('the document of a URL as a sink gives it back', () => {
  it('has the principals of the current rules', async () => {
    const found = await bringing('staff')();
    expect(found).toMatchObject({
      hasNewPrincipals: true,
      document: { metas: [{ name: 'acl_allow', value: 'staff' }] },
    });
    expect(await bringing('everyone')()).toEqual({ hasNewPrincipals: false, document });
  });

  it('has the field types of the configuration, which no sink returns', async () => {
    const fields = [
      { name: 'price', type: 'number' },
      { name: 'due', type: 'date' },
      { name: 'sku', type: 'text' },
    ].map((field) => ({ ...field, multiple: true, source: { kind: 'select', selector: 'b' } }));
    const price = { name: 'price', value: '12.5' };
    const due = { name: 'due', value: '2026-01-31T00:00:00.000Z' };
    const untyped = [
      { name: 'sku', value: '7' },
      { name: 'price', value: 'on request' },
      { name: 'file_size', value: '90', type: 'number' },
    ];
    const found = { crawler, document: { ...document, metas: [price, due, ...untyped] } } as unknown as KeptDocument;
    const definition = crawlerDefinition({ contents: [{ fields }] as unknown as ContentDefinition[] });
    const brought = await findIndexedDocument({ find: async () => found }, 'well', state, {
      definition,
    } as unknown as CrawlContext);
    expect(brought).toEqual({
      hasNewPrincipals: false,
      document: { ...document, metas: [{ ...price, type: 'number' }, { ...due, type: 'date' }, ...untyped] },
    });
  });

  it.each([
    ['is an older one', { stamp: '8' }],
    ['may not be the indexed one, after a crash', { stamp: UNKNOWN_STAMP }],
    ['was not indexed', { stamp: undefined }],
    ['is one of several of its page', { parts: [{ id: 'a' }] }],
  ])('is not used when it %s', async (_, changes) => {
    expect(await bringing('everyone')(changes as Partial<UrlState>)).toBeUndefined();
  });

  it('is not used when it belongs to another crawler or the sink has none', async () => {
    expect(await bringing('everyone', { ...kept, crawler: 'other' })()).toBeUndefined();
    expect(await bringing('everyone')({}, 'other')).toBeUndefined();
  });
});
