import { expect, it } from 'vitest';
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
