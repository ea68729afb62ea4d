import { describe, expect, test } from 'vitest';
import {
  atom,
  candidate,
  crawlerDefinition,
  rootDefinition,
  ruleDefinition,
} from '../../../test/support/crawler-definition.js';
import type { CrawlerDefinition, RootDefinition } from '../crawl/definition.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { compilePolicy } from './crawl-policy.js';
import {
  computeSitePrefixes,
  createRemovedRoot,
  createRootContext,
  findLikelyRoot,
  isOnSite,
  isSiteMove,
  moveSite,
} from './site-mode.js';
import type { Candidate, RootContext } from './verdict.js';

const policy = compilePolicy(crawlerDefinition(), undefined);

const context = (url: string, parts: Partial<RootDefinition>): RootContext =>
  createRootContext(rootDefinition(url, parts), toCrawlUrl(url));

const reason = (root: RootContext, url: string, parts: Partial<Candidate> = {}) =>
  policy.judge(candidate(url, { root, ...parts })).reason;

describe('what a root in site mode accepts', () => {
  const closed = (rules: CrawlerDefinition['rules'] = []) =>
    compilePolicy(crawlerDefinition({ defaultAccept: false, rules }), undefined);
  const verdict = (url: string, root: RootContext, parts: Partial<Candidate> = {}) =>
    closed().judge(candidate(url, { root, ...parts }));

  test("the site's own URLs need no rule: they are accepted, indexed and followed", () => {
    const root = context('http://foo.com/', { site: true });
    const accepted = { accepted: true, effects: { index: true, follow: true } };
    expect(verdict('http://foo.com/', root, { discoveredVia: 'root', hops: 0 })).toMatchObject(accepted);
    for (const discoveredVia of ['link', 'redirect', 'sitemap', 'stored'] as const) {
      expect(verdict('https://www.foo.com/a', root, { discoveredVia }), discoveredVia).toMatchObject(accepted);
    }
    const docs = context('http://foo.com/docs/start.html', { entireSite: true });
    expect(verdict('http://foo.com/docs/a', docs).accepted).toBe(true);
  });

  test('other URLs need one, and so do URLs of a root without site mode or of a removed root', () => {
    const root = context('http://foo.com/', { site: false });
    expect(verdict('http://foo.com/a', root).reason).toBe('not-accepted');
    expect(verdict('http://foo.com/', root, { discoveredVia: 'root', hops: 0 }).reason).toBe('not-accepted');
    expect(
      verdict('http://foo.com/a', createRemovedRoot(toCrawlUrl('http://foo.com/')), { discoveredVia: 'stored' }).reason,
    ).toBe('not-accepted');
  });

  test('links of a removed root are not followed, those of the pages behind it are', () => {
    const open = compilePolicy(crawlerDefinition(), undefined);
    const root = createRemovedRoot(toCrawlUrl('http://foo.com/'));
    const follows = (hops: number) =>
      open.judge(candidate('http://foo.com/', { root, hops, discoveredVia: 'stored' })).effects.follow;
    expect([follows(0), follows(1)]).toEqual([false, true]);
  });

  test('a rule has the last word', () => {
    const root = context('http://foo.com/', { site: true });
    const path = (text: string) => atom('path', 'prefix', text);
    const policy = closed([
      ruleDefinition(1, path('/tmp'), { accept: false }),
      ruleDefinition(2, path('/list'), { index: false }),
    ]);
    expect(policy.judge(candidate('http://foo.com/tmp/a', { root })).reason).toBe('rule-ignored');
    expect(policy.judge(candidate('http://foo.com/list', { root }))).toMatchObject({
      accepted: true,
      effects: { index: false, follow: true },
    });
  });
});

describe('site mode of a root', () => {
  test('http://foo.com/bar means the URLs that begin with it', () => {
    const root = context('http://foo.com/bar', { site: true });
    expect(reason(root, 'http://foo.com/bar/page')).toBe('accepted');
    expect(reason(root, 'http://foo.com/bar?q=1')).toBe('accepted');
    expect(reason(root, 'http://foo.com/other')).toBe('outside-site');
    expect(reason(root, 'https://foo.com/bar/page')).toBe('outside-site');
  });

  test('http://foo.com means foo.com and www.foo.com, by http and https', () => {
    expect(computeSitePrefixes('http://foo.com/')).toEqual([
      'http://foo.com/',
      'http://www.foo.com/',
      'https://foo.com/',
      'https://www.foo.com/',
    ]);
    const root = context('http://foo.com/', { site: true });
    expect(reason(root, 'https://www.foo.com/deep/page')).toBe('accepted');
    expect(reason(root, 'http://bar.foo.com/')).toBe('outside-site');
    expect(reason(root, 'http://foo.com.evil.example/')).toBe('outside-site');
    expect(reason(root, 'http://foo.com:8080/')).toBe('outside-site');
  });

  test('the detail of a rejection names the root and what a URL has to begin with', () => {
    const root = context('http://foo.com/bar/', { site: true });
    const detailOf = (of: RootContext) => policy.judge(candidate('http://foo.com/', { root: of })).detail;
    const rest = ': it does not begin with http://foo.com/bar/';
    expect(detailOf(root)).toBe(`not on the site of root http://foo.com/bar/${rest}`);
    expect(detailOf({ ...root, removed: true })).toBe(
      `not on the site of root http://foo.com/bar/ (removed, but its limits remain)${rest}`,
    );
  });

  test('a port counts for the scheme that it is written with, and an IP address has no www form', () => {
    expect(computeSitePrefixes('http://127.0.0.1:8080/')).toEqual(['http://127.0.0.1:8080/']);
    expect(computeSitePrefixes('https://[::1]/')).toEqual(['http://[::1]/', 'https://[::1]/']);
  });

  test('the same holds for redirects, sitemaps and stored URLs; other roots are free', () => {
    const root = context('http://foo.com/', { site: true });
    for (const discoveredVia of ['redirect', 'sitemap', 'stored'] as const) {
      expect(reason(root, 'http://bar.com/', { discoveredVia })).toBe('outside-site');
    }
    expect(reason(context('http://foo.com/', {}), 'http://bar.com/')).toBe('accepted');
    expect(policy.judge(candidate('http://bar.com/')).accepted).toBe(true);
  });

  test('when the home page redirects to another site, that site becomes the one crawled', () => {
    const root = context('http://foo.com/', { site: true });
    const home = candidate('https://www.bar.com/en/index.html', {
      root,
      discoveredVia: 'redirect',
      hops: 0,
      from: root.url,
    });
    expect(isSiteMove(home)).toBe(true);
    expect(policy.judge(home).accepted).toBe(true);
    const moved = moveSite(root, home.url);
    expect(reason(moved, 'https://www.bar.com/de/')).toBe('accepted');
    expect(reason(moved, 'http://foo.com/page')).toBe('outside-site');
    expect(isSiteMove({ ...home, root: moved })).toBe(false);
  });

  test('a root below the home page moves with its directory', () => {
    const root = context('http://foo.com/docs/', { site: true });
    expect(moveSite(root, toCrawlUrl('https://bar.com/en/index.html')).sitePrefixes).toEqual(['https://bar.com/en/']);
    expect(moveSite(root, toCrawlUrl('https://bar.com/en')).sitePrefixes).toEqual(['https://bar.com/en']);
  });

  test("other pages' redirects off the site are not followed", () => {
    const root = context('http://foo.com/', { site: true });
    const other = candidate('http://bar.com/', { root, discoveredVia: 'redirect', hops: 1 });
    expect(isSiteMove(other)).toBe(false);
    expect(policy.judge(other).reason).toBe('outside-site');
  });
});

describe('Index Entire Site', () => {
  test('"limits followed links to the same directory or a subdirectory of the initial document"', () => {
    const root = context('http://foo.com/docs/start.html', { entireSite: true });
    expect(reason(root, 'http://foo.com/docs/next.html')).toBe('accepted');
    expect(reason(root, 'http://foo.com/docs/deep/page.html')).toBe('accepted');
    expect(reason(root, 'https://foo.com/docs/next.html')).toBe('accepted');
    expect(reason(root, 'http://foo.com/other.html')).toBe('outside-directory');
    expect(reason(root, 'http://bar.com/docs/next.html')).toBe('outside-directory');
  });

  test('"is more restrictive than the Follow Offsite Links setting": both settings must be met', () => {
    const root = context('http://foo.com/docs/', { entireSite: true, site: true });
    expect(reason(root, 'http://foo.com/docs/x')).toBe('accepted');
    expect(reason(root, 'http://foo.com/')).toBe('outside-site');
  });
});

describe('what URLs inherit from their root', () => {
  test('every URL below a root inherits its metas once', () => {
    const metas = [{ name: 'team', value: 'search', scope: 'links' as const }];
    const root = context('http://foo.com/', { metas });
    const { effects } = policy.judge(candidate('http://foo.com/x', { root }));
    expect(effects.metas).toEqual([{ name: 'team', value: 'search', scope: 'document' }]);
  });

  test('nothing below a root is followed when following is off', () => {
    const root = context('http://foo.com/', { followLinks: false });
    expect(policy.judge(candidate('http://foo.com/', { root, discoveredVia: 'root', hops: 0 })).effects).toMatchObject({
      index: true,
      follow: false,
    });
  });
});

describe('the root from which a URL is likely to be found', () => {
  const site = context('http://a.example/', { site: true });
  const directory = context('http://a.example/docs/', { entireSite: true });
  const free = context('http://b.example/', {});
  const freeAtPort = context('http://b.example:81/', {});
  const likely = (roots: readonly RootContext[], url: string) => findLikelyRoot(roots, toCrawlUrl(url))?.url.href;

  test.each([
    ['the one whose site contains it', [free, site], 'http://a.example/x', 'http://a.example/'],
    ['the one on its server without site mode', [site, freeAtPort, free], 'http://b.example/x', 'http://b.example/'],
    ['the port counts', [site, free, freeAtPort], 'http://b.example:81/x', 'http://b.example:81/'],
    ['any without site mode', [site, free], 'http://c.example/', 'http://b.example/'],
    [
      'one on its server, though it would not accept it',
      [context('http://c.example/', { site: true }), directory],
      'http://a.example/x',
      'http://a.example/docs/',
    ],
    ['any at all', [site], 'http://c.example/', 'http://a.example/'],
    ['none', [], 'http://c.example/', undefined],
  ])('%s', (_, roots, url, expected) => expect(likely(roots, url)).toBe(expected));

  test.each([
    [site, 'https://www.a.example/x', true],
    [site, 'http://b.example/', false],
    [directory, 'https://a.example/docs/x', true],
    [directory, 'http://a.example/other/', false],
    [context('http://a.example/docs/', { site: true, entireSite: true }), 'http://a.example/docs/x', true],
    [context('http://a.example/docs/', { site: true, entireSite: true }), 'https://a.example/docs/x', false],
    [free, 'http://b.example/', false],
  ])('%# contains %s: %s', (root, url, expected) => expect(isOnSite(root, toCrawlUrl(url))).toBe(expected));
});
