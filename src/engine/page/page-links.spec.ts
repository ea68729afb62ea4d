import { expect, it } from 'vitest';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import { followFeed } from './page-links.js';

it('the hub that a Link header names takes precedence over the hub of the feed', () => {
  const page = {
    context: { definition: { crawlSitemaps: true }, asksHubs: true },
    effects: { follow: true },
    url: toCrawlUrl('http://a/feed'),
  };
  const hubOf = (headers: Record<string, string>) =>
    followFeed(page as never, { entries: [], hub: 'http://hub/of-feed' } as never, { headers } as never, {} as never);
  expect(hubOf({})).toEqual({ hub: 'http://hub/of-feed', topic: 'http://a/feed' });
  expect(hubOf({ link: '<http://hub/of-header>; rel="hub", </topic>; rel=SELF' })).toEqual({
    hub: 'http://hub/of-header',
    topic: 'http://a/topic',
  });
});
