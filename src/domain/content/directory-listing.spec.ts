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
  ['Index of libs/docs', 'http://a.example/artifactory/libs/docs/'],
  ['Files within docs/', 'http://a.example/docs/'],
  ['docs - powered by h5ai v0.30.0 (https://larsjung.de/h5ai/)', 'http://a.example/docs/'],
])('%j is a listing at %s', (title, url) =>
  expect(isDirectoryListing({ title, text: 'a.txt', links: [] }, toCrawlUrl(url))).toBe(true),
);

it.each([
  ['Index of /pub/docs', 'http://a.example/pub/other/'],
  ['Index of /', 'http://a.example/pub/'],
  ['Index of /pub', 'http://a.example/pub'],
  ['Index of authors', 'http://a.example/authors/'],
  ['Index of A/V equipment', 'http://a.example/rooms/'],
  ['Powered by h5ai', 'http://a.example/docs/'],
  ['a.example - /other/', 'http://a.example/pub/'],
  ['How to read Index of /pub/', 'http://a.example/pub/'],
  ['', 'http://a.example/'],
])('%j is none at %s', (title, url) =>
  expect(isDirectoryListing({ title, text: '', links: [] }, toCrawlUrl(url))).toBe(false),
);

it.each([
  [true, 'Our files', ['?C=N;O=D', '?C=M;O=A', '?C=S;O=A', 'a.txt']],
  [true, 'docs', ['./?sort=namedirfirst&order=desc', './?sort=size&order=asc', './?sort=time&order=asc', './a.txt']],
  [false, 'Lamps', ['?sort=name&order=asc', '?sort=price&order=asc', '?sort=size&order=asc', 'a.txt']],
  [false, 'Lamps', ['?C=N;O=D', '?C=N;O=A', 'a.txt']],
])('is %j for a page %j with links %j', (expected, title, hrefs) => {
  const page = { title, text: 'a.txt', links: hrefs.map((href) => ({ href })) };
  expect(isDirectoryListing(page, toCrawlUrl('http://a.example/docs/'))).toBe(expected);
});

it.each([
  [true, 'a.txt\ntwo words.pdf\nmore/', ['a.txt', 'two%20words.pdf', 'more/']],
  [false, 'a.txt\ntwo words.pdf\nmore', ['a.txt', 'two%20words.pdf', 'more/']],
  [false, 'https://b.example/', ['https://b.example/']],
  [false, '', []],
])('is %j for a page without a title whose text is %j and whose links are %j', (expected, text, hrefs) => {
  const page = { title: '', text, links: hrefs.map((href) => ({ href })) };
  expect(isDirectoryListing(page, toCrawlUrl('http://a.example/docs/'))).toBe(expected);
});

it('knows the links that sort a listing', () => {
  expect(['?C=N;O=D', '?C=M&O=A', '?N=D', '?S=A', './?sort=size&order=asc', '?layout=grid'].every(isSortLink)).toBe(
    true,
  );
  expect(['?C=X;O=D', '?page=2', 'file?C=N;O=D', '/pub/', '?N=DA'].some(isSortLink)).toBe(false);
});
