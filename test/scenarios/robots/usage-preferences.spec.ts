import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { days, hours } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const HTML = { 'content-type': 'text/html' };
const ROBOTS = `User-agent: other
Content-Usage: search=n
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /closed/ search=n
Content-Signal: search=yes, ai-train=no
Disallow: /never/`;

describe('usage preferences of a site', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const start = async (paths: readonly string[], more = ''): Promise<void> => {
    site.page('/', paths);
    world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>${more}`, index: 'none' });
    await world.untilIdle();
  };
  const meta = (path: string, html: string, headers: Record<string, string> = {}): void => {
    site.set(path, { headers: { ...HTML, ...headers }, body: `<title>t</title>${html}<p>Text of ${path}</p>` });
  };
  const reason = async (path: string): Promise<string> => (await world.state(site.url(path)))!.reason;
  const metas = (path: string): Record<string, string> => {
    const kept = /^(?:content|tdm|max_|no|unavailable)/;
    const all = world.pushed().get(site.url(path))?.metas ?? [];
    return Object.fromEntries(
      all.filter(({ name }) => kept.test(name) && name !== 'content_type').map((m) => [m.name, m.value]),
    );
  };
  const explained = async (path: string): Promise<string | undefined> =>
    (await world.engine.explanations.explain('test', site.url(path))).visits[0]?.detail;

  beforeEach(async () => {
    site = await FakeSite.start();
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('on the page and in its headers are delivered with the document, and those about search are obeyed', async () => {
    meta(
      '/meta',
      '<meta name="robots" content="nosnippet, max-snippet:50, noimageindex, noarchive"><meta name="tdm-reservation" content="1">',
    );
    meta('/header', '', { 'content-usage': 'train-ai=n', 'x-robots-tag': 'max-snippet: 20, otherbot: nosnippet' });
    meta('/no-search', '', { 'content-usage': 'search=n' });
    meta('/no-signal', '', { 'content-signal': 'search=no' });
    meta('/over', '<meta name="robots" content="unavailable_after: Thu, 25 Jun 2009 15:00:00 GMT">');
    site.set('/paid', { status: 402 });
    await start(['/meta', '/header', '/no-search', '/no-signal', '/over', '/paid']);
    expect(metas('/meta')).toEqual({
      nosnippet: 'true',
      max_snippet: '50',
      noimageindex: 'true',
      noarchive: 'true',
      tdm_reservation: '1',
    });
    expect(metas('/header')).toEqual({ content_usage: 'train-ai=n', max_snippet: '20' });
    expect(await Promise.all(['/no-search', '/no-signal', '/over', '/paid'].map(reason))).toEqual([
      'search-not-allowed',
      'search-not-allowed',
      'unavailable-after',
      'payment-required',
    ]);
    expect(await explained('/no-search')).toBe(
      'not indexed: search-not-allowed; the site says: content_usage: search=n',
    );
    expect(await explained('/meta')).toMatch(/max_snippet: 50.*; noarchive: true/);
    expect(await explained('/header')).toContain('the site says: content_usage: train-ai=n; max_snippet: 20');
  });

  it('in robots.txt apply to the agents of their group and to their path', async () => {
    site.set('/robots.txt', { body: ROBOTS });
    site.page('/open').page('/closed/page');
    await start(['/open', '/closed/page', '/never/page']);
    expect(metas('/open')).toEqual({ content_usage: 'train-ai=n', content_signal: 'search=yes, ai-train=no' });
    expect(await reason('/closed/page')).toBe('search-not-allowed');
    expect(await reason('/never/page')).toBe('robots-disallowed');
  });

  it('with an expiry keep the page indexed until then, although it responds that it has not changed', async () => {
    await start([]);
    const end = new Date(world.clock.now() + hours(20)).toISOString();
    const body = `<meta name="robots" content="unavailable_after: ${end}"><p>Text</p>`;
    site.set('/until', ({ headers }) =>
      headers['if-none-match'] ? { status: 304 } : { headers: { ...HTML, etag: '"1"' }, body },
    );
    await world.engine.roots.submit('test', [{ url: site.url('/until') }]);
    await world.pass(hours(19));
    expect(metas('/until')).toEqual({ unavailable_after: end });
    expect(await reason('/until')).toBe('indexed');
    await world.pass(hours(2));
    expect(await reason('/until')).toBe('unavailable-after');
    const [order] = await world.engine.orders.list({ uri: site.url('/until') }, undefined, 1);
    expect(order).toMatchObject({ kind: 'delete', reason: 'unavailable-after', state: 'acknowledged' });
  });

  it('are not obeyed when the operator says so', async () => {
    meta('/no-search', '', { 'content-usage': 'search=n' });
    await start(['/no-search'], '<cw:Conditions><cw:option name="obey-robots" value="no"/></cw:Conditions>');
    expect(await reason('/no-search')).toBe('indexed');
    await world.pass(days(1));
  });
});
