import { describe, expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { milliseconds } from '../../domain/time/units.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { CrawlContext } from './crawl-context.js';
import { findDirectives, findHomePageRedirect, findQuickRefresh, parseHeaderLinks } from './page-reading.js';

const links = (link: string, more: Record<string, string> = {}): string[] => {
  const timings = { header: milliseconds(0), total: milliseconds(0) };
  const body = new Uint8Array(0);
  return parseHeaderLinks({
    kind: 'response',
    status: 200,
    headers: { link, ...more },
    body,
    transferred: 0,
    address: '',
    timings,
  }).map(({ href, relation }) => `${relation} ${href}`);
};

describe('the Link header', () => {
  it.each([
    ['</a>; rel="next", </b>; rel=prev; title="x,y"', ['next /a', 'prev /b']],
    ['</a>; crossorigin; rel=next', ['next /a']],
    ["</a>; rel='next'", ['next /a']],
    ['</de>; rel="alternate"; hreflang="de"', ['alternate /de']],
    ['</a.pdf>; rel=alternate; type="application/pdf"', ['alternate /a.pdf']],
    ['</wp-json/wp/v2/posts/1>; rel="alternate"; title="JSON"; type="application/json"', []],
    ['</s.css>; rel=preload; as=style', []],
    ['</a>; rel=author; title="x; rel=prev"', []],
    ['</a>; title="x; rel=prev, </b>; rel=next"; rel=next', ['next /a']],
    ['</a>; title="say \\"rel=prev\\""; rel=next', ['next /a']],
    ['</a>; rel=next; anchor="https://other.example/"', []],
    ['</a>; rel="author next"; rel=prev', ['next /a']],
    ['</a>; rel=next\n</b>; rel=prev', ['next /a', 'prev /b']],
    ['nonsense, </b>; rel=prev', ['prev /b']],
  ])('%s', (header, expected) => expect(links(header)).toEqual(expected));

  it.each([
    ['5; url=/next', ['refresh /next']],
    ["0;URL='/next'", ['refresh /next']],
    ['30', []],
  ])('is read beside Refresh: %s', (refresh, expected) => expect(links('', { refresh })).toEqual(expected));

  it('of any form is read in linear time', () => {
    expect(links(`</a>;${' '.repeat(60_000)}`.repeat(3))).toEqual([]);
    expect(links(`</a>${'; a'.repeat(20_000)}`)).toEqual([]);
    expect(links('<'.repeat(60_000))).toEqual([]);
  });
});

it.each([
  ['obeyed', {}, {}, [false, false, false]],
  ['disregarded where a rule says so', { obeyRobots: false }, {}, [true, true, true]],
  ['disregarded by a crawler that obeys no page', {}, { rogue: true }, [true, true, true]],
  ['obeyed by such a crawler where a rule says so', { obeyRobots: true }, { rogue: true }, [false, false, false]],
])('the robots directives of a page are %s', (_, options, rules, expected) => {
  const definition = crawlerDefinition();
  const context = {
    definition: { ...definition, linkRules: { ...definition.linkRules, ...rules } },
    fetcher: { robotsAgent: 'crawlway' },
  } as unknown as CrawlContext;
  const response = { headers: { 'x-robots-tag': 'noarchive' } } as never;
  const metas = [{ agent: 'robots', directives: 'noindex, nofollow' }];
  const { index, follow, archive } = findDirectives(context, options, response, metas);
  expect([index, follow, archive]).toEqual(expected);
});

describe('a page that sends its visitors elsewhere by a refresh', () => {
  const HOME = 'https://old.example/';
  const read = (address: string, { href, delay }: { href: string; delay?: number }, header?: string) => ({
    url: toCrawlUrl(address),
    base: address,
    response: { headers: header === undefined ? {} : { refresh: header } } as never,
    content: { links: [{ kind: 'meta-refresh', href, nofollow: false, delay }] } as never,
  });
  const inCrawlerOf = (root: object): CrawlContext =>
    ({
      roots: new Map([[HOME, root]]),
      canonicalize: (href: string, base: string) => toCrawlUrl(new URL(href, base).href),
    }) as never;

  it.each([
    ['to another site, from the root of a site', HOME, { site: true }, 'https://new.example/', 'https://new.example/'],
    ['to another page of the site', HOME, { site: true }, '/start', undefined],
    ['from a root that is not a site', HOME, { site: false }, 'https://new.example/', undefined],
    ['from a page that is not a root', `${HOME}a`, { site: true }, 'https://new.example/', undefined],
  ])('moves the home page: %s', (_, address, root, href, expected) => {
    expect(findHomePageRedirect(inCrawlerOf(root), read(address, { href }))?.href).toBe(expected);
  });

  it.each([
    ['at once', { href: '/b', delay: 0 }, undefined, `${HOME}b`],
    ['once it can be read', { href: '/b', delay: 60 }, undefined, undefined],
    ['at an unknown time', { href: '/b' }, undefined, undefined],
    ['to itself', { href: '/a', delay: 0 }, undefined, undefined],
    ['to a mail program', { href: 'mailto:a@b.example', delay: 0 }, undefined, undefined],
    ['by a header that differs from its element', { href: '/b', delay: 0 }, '0; url=/c', `${HOME}c`],
  ])('is a redirect: %s', (_, link, header, expected) => {
    expect(findQuickRefresh(inCrawlerOf({}), read(`${HOME}a`, link, header))?.href).toBe(expected);
  });
});
