import { expect, it } from 'vitest';
import { groupByName, PagePlugins } from './page-plugins.js';

it('a plug-in reads the media types that it names, and all of a family', () => {
  const plugins = new PagePlugins({} as never);
  const facts = { name: 'reader', hooks: ['extract'], mediaTypes: ['text/x-log', 'image/*'] };
  plugins.setFacts([facts, { name: 'other', hooks: [], mediaTypes: [] }] as never);
  const [extractor, none] = plugins.createExtractors();
  expect(none).toBeUndefined();
  expect(extractor!.mediaTypes).toEqual(['text/x-log', /^image\//]);
});

it('all values of a meta are handed to plug-ins, in their order', () => {
  const metas = ['a', 'b', 'c'].map((value) => ({ name: value === 'b' ? 'title' : 'tag', value }));
  expect(groupByName(metas)).toEqual({ tag: ['a', 'c'], title: ['b'] });
});
