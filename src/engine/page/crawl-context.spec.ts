import { expect, it } from 'vitest';
import { crawlerDefinition, rootDefinition } from '../../../test/support/crawler-definition.js';
import { createRootContext, moveSite } from '../../domain/policy/site-mode.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import { compileContexts, findOwner, KnownRoots } from './crawl-context.js';

const made = (href: string, mode: { site?: boolean; entireSite?: boolean }) =>
  createRootContext(
    { url: href, site: false, entireSite: false, priority: 0, metas: [], followLinks: true, ...mode },
    toCrawlUrl(href),
  );

it('returns the root on whose site a URL is, whatever roots are added, moved and removed', () => {
  const roots = new KnownRoots();
  const on = (href: string): string | undefined => roots.findBySite(toCrawlUrl(href))?.url.href;
  const whole = made('http://a.example/', { site: true });
  for (const root of [
    made('http://a.example/page', {}),
    whole,
    made('http://b.example/docs/index.html', { entireSite: true }),
    made('http://b.example/docs', { site: true }),
  ])
    roots.set(root.url.href, root);
  expect(on('https://www.a.example/x')).toBe('http://a.example/');
  expect(on('http://b.example/docs/x')).toBe('http://b.example/docs/index.html');
  expect(on('http://b.example/docs-old')).toBe('http://b.example/docs');
  expect(on('http://b.example/')).toBeUndefined();
  expect(on('http://c.example/')).toBeUndefined();
  expect(roots.cover(toCrawlUrl('http://d.example/x'))).toBe(false);
  roots.set('http://d.example/', made('http://d.example/', { site: true }));
  expect(on('http://d.example/x')).toBe('http://d.example/');
  expect(roots.cover(toCrawlUrl('http://d.example/x'))).toBe(true);

  roots.set(whole.url.href, moveSite(whole, toCrawlUrl('http://c.example/')));
  expect([on('http://c.example/'), on('http://a.example/x')]).toEqual(['http://a.example/', undefined]);
  roots.delete('http://b.example/docs/index.html');
  expect(on('http://b.example/docs/x')).toBe('http://b.example/docs');
});

it('a URL belongs to the crawler of the same sink whose roots cover it, if those of its own do not', () => {
  const crawler = (name: string, sink: string) =>
    crawlerDefinition({ name, pushTo: [sink], roots: [rootDefinition(`http://${name}.example/`, { site: true })] });
  const crawlers = [crawler('hr', 'intranet'), crawler('it', 'intranet'), crawler('shop', 'web')];
  const contexts = compileContexts({ crawlers, fetchers: [{ name: crawlers[0]!.fetcher }], sinks: [] } as never);
  const ownerOf = (host: string) => findOwner(contexts.get('hr')!, toCrawlUrl(`http://${host}.example/`));
  expect(['hr', 'it', 'shop', 'blog'].map(ownerOf)).toEqual([undefined, 'it', undefined, undefined]);
  expect(contexts.get('shop')!.others).toEqual([]);
});
