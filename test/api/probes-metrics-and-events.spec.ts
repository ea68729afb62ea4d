import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

describe('probes, metrics and events', () => {
  it('report a live and ready server', async () => {
    expect((await world.get('/health/live')).body.status).toBe('ok');
    expect((await world.get('/health/ready')).body).toEqual({ status: 'ok', reasons: [] });
  });

  it('include a 404 for a mistyped probe URL, never a page', async () => {
    for (const path of [
      '/health/ready/',
      '/health/live/',
      '/health',
      '/Health/ready',
      '//health/ready',
      '/metrics/',
      '/metrics/x',
      '/api',
      '/api/',
      '/docs/nothing',
    ]) {
      const { status, headers } = await world.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get('content-type')).toContain('application/problem+json');
    }
  });

  it('include metrics in the Prometheus format', async () => {
    const { text, headers } = await world.get('/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('crawlway_pages_total{crawler="test",outcome="document"} 4');
    expect(text).toContain('crawlway_documents{crawler="test"} 4');
    expect(text).toContain('crawlway_urls{crawler="test",status="error"} 1');
    expect(text).toContain('crawlway_sink_up{sink="main"} 1');
    expect(text).toMatch(/crawlway_fetch_duration_seconds_bucket\{le="\+Inf"\} [1-9]/);
    for (const line of text.split('\n').filter((each) => each !== '')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)*\})? (?:[\d.e+-]+|Nan))$/);
    }
  });

  it('count a page that is left out as excluded, whatever the reason, and never as an error', async () => {
    world.site.set('/picture', { headers: { 'content-type': 'image/png' }, body: 'no picture' });
    await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/picture') });
    await world.caughtUp();
    const { text } = await world.get('/metrics');
    expect(text).toContain('crawlway_pages_total{crawler="test",outcome="excluded"} 1');
    expect(text).not.toContain('mime-type-excluded');
  });

  it('count refused orders from zero, so that Prometheus sees the first one', async () => {
    const { text } = await world.get('/metrics');
    for (const kind of ['add', 'delete'])
      expect(text).toContain(`crawlway_orders_total{crawler="test",kind="${kind}",state="refused"} 0`);
  });

  it('stream events, and end the stream when the listener disconnects', async () => {
    const gone = new AbortController();
    const response = await fetch(`${world.server.url}/api/v1/events`, { signal: gone.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = response.body!.pipeThrough(new TextDecoderStream());
    world.site.page('/fresh.html');
    await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/fresh.html') });
    let text = '';
    for await (const chunk of events) {
      text += chunk;
      if (text.includes('event: order')) break;
    }
    gone.abort();
    const visit = /event: visit\ndata: (.+)\n/.exec(text)![1]!;
    expect(JSON.parse(visit)).toMatchObject({
      type: 'visit',
      crawler: 'test',
      url: world.site.url('/fresh.html'),
      status: 200,
    });
    expect(JSON.parse(visit).at).toMatch(/^\d{4}-.*Z$/);
  });

  it('end all streams when the server stops', async () => {
    const stopping = await ApiWorld.start();
    const listeners = await Promise.all([1, 2].map(() => fetch(`${stopping.server.url}/api/v1/events`)));
    const heard = listeners.map((listener) => listener.text());
    await stopping.stop();
    for (const text of await Promise.all(heard)) expect(text).toContain('retry: 2000\n\n');
  });

  it('come with a description at /docs that loads nothing from other hosts', async () => {
    const page = await world.get('/docs');
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/(?:src|href)=["']https?:/);
    for (const [, path] of page.text.matchAll(/(?:src|href)=["']\.\/([^"']+)["']/g)) {
      expect((await world.get(`/${path}`)).status, path).toBe(200);
    }
    expect((await world.get('/docs/openapi.json')).body.openapi).toBe('3.1.0');
  });

  it('come with a page at /', async () => {
    const { status, headers } = await world.get('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});
