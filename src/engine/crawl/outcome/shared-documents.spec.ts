import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { SharedDocuments, type SharedDocumentsServices } from './shared-documents.js';

it.each([
  ['waiting', true],
  ['indexed', true],
  ['error', true],
  ['excluded', false],
  ['elsewhere', false],
  ['filtered', false],
  ['removed', false],
] as const)('whether a document belongs to another crawler that knows its URL as %s: %s', async (status, expected) => {
  const other = { name: 'b', context: { definition: { pushTo: ['main'] } } };
  const services = { store: { find: async () => ({ status }) }, crawlers: { list: () => [other] } };
  const shared = new SharedDocuments(services as unknown as SharedDocumentsServices);
  const url = { crawler: 'a', url: 'http://a.example/' } as UrlState;
  expect(await shared.belongsToAnother(url, ['main'])).toBe(expected);
});

it.each([
  ['accepts', {}, true],
  ['rejects', { accepted: false }, false],
  ['accepts, but does not index', { effects: { index: false } }, false],
  ['may exclude by the address of its host', { needsAddress: true }, false],
])('a document is left to a crawler whose policy %s its URL: %o: %s', async (_, verdict, expected) => {
  const verified: string[] = [];
  const other = {
    name: 'b',
    context: {
      definition: { name: 'b', pushTo: ['main'] },
      policy: { judge: () => ({ accepted: true, effects: { index: true }, needsAddress: false, ...verdict }) },
      roots: { findLikely: () => undefined },
    },
    applyCorrection: async ({ url }: UrlState) => verified.push(url) > 0,
  };
  const store = { discover: async (urls: readonly UrlState[]) => urls };
  const services = { store, clock: new ManualClock(), crawlers: { list: () => [other] } };
  const url = { crawler: 'a', url: 'http://a.example/' } as UrlState;
  await new SharedDocuments(services as unknown as SharedDocumentsServices).leaveToOthers(url, ['main']);
  expect(verified).toEqual(expected ? [url.url] : []);
});
