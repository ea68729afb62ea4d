import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { milliseconds } from '../../domain/time/units.js';
import { createCanonicalizer, DEFAULT_CANONICALIZATION } from '../../domain/url/canonicalize.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { ReadPage } from './page-facts.js';
import { renderPage } from './rendering.js';

const url = toCrawlUrl('http://a.example/x');
const timings = { header: milliseconds(1), total: milliseconds(2) };
const sent = { response: { status: 200, headers: {}, body: new Uint8Array(0), address: '' }, sent: true };

/** What becomes of a page that the browser answers so, as the link collector and the page's task say. */
async function render(answer: object, task: object = {}, refused?: string) {
  const page = {
    url,
    task: { url: url.href, redirects: 0, hops: 0, ...task },
    effects: { options: {} },
    mode: 'always',
    context: {
      definition: crawlerDefinition(),
      canonicalize: createCanonicalizer(DEFAULT_CANONICALIZATION),
      fetcher: { name: 'default', maxRedirects: 5 },
    },
  };
  const collector = { addUrl: () => refused };
  const tools = { fetcher: { fetch: async () => ({ timings, ...answer }) } };
  return renderPage(page as never, sent as unknown as ReadPage, collector as never, tools as never);
}

const moved = (movedTo: string) => ({ kind: 'response', status: 200, headers: {}, rendering: { movedTo } });

it('a page whose scripts move on to another URL is a redirect, unless the crawl may not follow it', async () => {
  const redirect = { kind: 'redirect', target: 'http://a.example/y', permanent: false };
  expect(await render(moved('http://a.example/y#top'))).toMatchObject({ outcome: redirect });
  expect(await render(moved('http://a.example/y'), {}, 'rule-ignored')).toMatchObject({ page: sent });
  expect(await render(moved('http://a.example/y'), { redirects: 5 })).toMatchObject({
    outcome: { code: 'redirect-limit' },
  });
});

it('a page whose scripts move on to its own URL is used as it was sent', async () => {
  for (const target of ['http://a.example/x', 'http://a.example/x#part', 'about:blank'])
    expect(await render(moved(target))).toMatchObject({ page: sent });
});

it('a page that the browser fails on is tried again twice, then used as it was sent', async () => {
  const failure = { kind: 'failure', code: 'render-timeout', detail: 'slow' };
  const failed = { outcome: { code: 'render-timeout' }, report: { failure: 'render-timeout' } };
  for (const renderFailures of [undefined, 1]) expect(await render(failure, { renderFailures })).toMatchObject(failed);
  const used = { page: { sent: true, renderFailure: { code: 'render-timeout' } } };
  expect(await render(failure, { renderFailures: 2 })).toMatchObject(used);
  expect(await render(failure, { inspect: true })).toMatchObject(used);
});

it('a page is used as it was sent while there is no browser, and whoever looks at it is told', async () => {
  const failure = { kind: 'failure', code: 'connection-refused', detail: 'gone' };
  expect(await render(failure)).toEqual({ page: sent });
  expect(await render(failure, { inspect: true })).toEqual({
    page: { ...sent, renderFailure: { code: 'renderer-unavailable', detail: 'gone' } },
  });
});
