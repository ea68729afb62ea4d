import { expect, it } from 'vitest';
import { toCrawlUrl } from '../url/crawl-url.js';
import { isDirectoryListing, isSortLink } from './directory-listing.js';

it.each([
  ['Index of /', 'http://a.example/'],
  ['Index of /pub/docs', 'http://a.example/pub/docs/'],
  ['Index of /pub/two words/', 'http://a.example/pub/two%20words/?C=N;O=D'],
  ['Directory listing for /pub/', 'http://a.example/pub/'],
  ['Directory Listing For [/pub/]', 'http://a.example/pub/'],
  ['Directory: /pub/', 'http://a.example/pub/'],
  ['a.example - /pub/', 'http://a.example/pub/'],
  ['Index of /docs/', 'http://a.example/behind/a/proxy/docs/'],
  ['Index of /srv/docs/', 'http://a.example/docs/'],
])('%j is a listing at %s', (title, url) => expect(isDirectoryListing({ title }, toCrawlUrl(url))).toBe(true));

it.each([
  ['Index of /pub/docs', 'http://a.example/pub/other/'],
  ['Index of /', 'http://a.example/pub/'],
  ['Index of /pub', 'http://a.example/pub'],
  ['Index of authors', 'http://a.example/authors/'],
  ['a.example - /other/', 'http://a.example/pub/'],
  ['How to read Index of /pub/', 'http://a.example/pub/'],
  ['', 'http://a.example/'],
])('%j is none at %s', (title, url) => expect(isDirectoryListing({ title }, toCrawlUrl(url))).toBe(false));

it('knows the links that sort a listing', () => {
  expect(['?C=N;O=D', '?C=M&O=A', '?N=D', '?S=A'].every(isSortLink)).toBe(true);
  expect(['?C=X;O=D', '?page=2', 'file?C=N;O=D', '/pub/', '?N=DA'].some(isSortLink)).toBe(false);
});
