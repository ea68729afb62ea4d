import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { IndexStore } from '../store/store.js';
import { Search } from './search.js';

describe('a query', () => {
  it('always has an answer, whatever is typed', () => {
    const store = new IndexStore(join(temporaryDirectory(), 'index.sqlite'));
    onTestFinished(() => store.close());
    store.add('docs', [{ uri: 'http://a/', stamp: '', metas: [{ name: 'title', value: 'words' }] }]);
    const search = new Search(store.database);
    const typed = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^["'*():^+ANDORNEtitle-]{1,20}$/),
    );
    fc.assert(
      fc.property(typed, (query) => void search.run({ query, start: 0, count: 10, filters: [] })),
      { numRuns: 100 },
    );
    expect(search.run({ query: 'title:words OR', start: 0, count: 10, filters: [] }).total).toBe(0);
    expect(search.run({ query: ' "words', start: 0, count: 10, filters: [] }).total).toBe(1);
  });
});
