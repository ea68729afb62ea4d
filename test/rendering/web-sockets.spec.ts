/** WebSockets of rendered pages, in a real browser. Left out where there is no Chromium. */
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { type SocketClient, SocketSite } from '../support/socket-site.js';
import { renderingWorld } from './rendering-world.js';

let site: FakeSite;
let world: CrawlWorld;

async function server(heard: (client: SocketClient, text: string) => void, address?: string): Promise<SocketSite> {
  const socketSite = await SocketSite.start(heard, address);
  onTestFinished(() => socketSite.close());
  return socketSite;
}

/** A page whose text is what its WebSocket brings. */
function page(url: string, more = ''): void {
  const body = `<div id=root></div><script>
    const show = (text) => { document.getElementById('root').textContent = text + ', which is all that this page has to say to its readers'; };
    document.cookie = 'visitor=7';
    const socket = new WebSocket('${url}');
    socket.onopen = () => socket.send('stock of oak');
    socket.onmessage = ({ data }) => { if (data.startsWith('Liveword')) show(data); };
    socket.onclose = () => document.getElementById('root').textContent || show('closed');
    ${more}
  </script>`;
  site.set('/', { headers: { 'content-type': 'text/html' }, body });
}

async function crawled(renderer: string): Promise<{ text: string; refused: Readonly<Record<string, number>> }> {
  const attributes = 'timeLimitMS="150000"';
  world = await renderingWorld({
    crawler: `<Root url="${site.url('/')}"/>`,
    renderer: `${attributes} ${renderer}`,
    attributes: 'render="always"',
  });
  await world.untilIdle();
  const [counted] = (await world.engine.getMetrics()).rendering;
  return { text: world.pushed().get(site.url('/'))?.text ?? '', refused: counted!.refused };
}

beforeEach(async () => {
  site = await FakeSite.start();
});

afterEach(async () => {
  await world.close();
  await site.close();
});

describeUnless(noBrowser, 'a page that wants a WebSocket', () => {
  it('may open one to a host that the configuration names, without cookies, until the page has been read', async () => {
    const live = await server((client, text) => text && client.send(`Liveword: 42 pieces for ${text}`));
    page(`ws://127.0.0.1:${live.port}/stock`);
    const { text, refused } = await crawled('webSocketHosts="127.0.0.1" readyWhen="#root:not(:empty)"');
    expect(text).toContain('Liveword: 42 pieces for stock of oak');
    expect(live.seen).toEqual([expect.objectContaining({ origin: site.origin, upgrade: 'websocket' })]);
    expect(live.seen[0]).not.toHaveProperty('cookie');
    expect(refused).toEqual({});
    await expect.poll(() => live.ended).toBe(1);
  });

  it('may not open one to other hosts', async () => {
    const live = await server((client) => client.send('Liveword'));
    page(`ws://127.0.0.1:${live.port}/stock`);
    const { text, refused } = await crawled('webSocketHosts="live.example"');
    expect(text).toContain('closed');
    expect(refused).toEqual({ kind: 1 });
    expect(live.seen).toEqual([]);
  });

  it('may not open one to an address that the fetcher may not use', async () => {
    const inside = await server((client) => client.send('Liveword'), '127.0.0.2');
    page(`ws://127.0.0.2:${inside.port}/stock`);
    const { text, refused } = await crawled('webSocketHosts="127.0.0.2"');
    expect(text).toContain('closed');
    expect(refused).toEqual({ address: 1 });
    expect(inside.seen).toEqual([]);
  });

  it('may not exceed the limits of other requests with it', async () => {
    const megabyte = 'x'.repeat(1 << 20);
    let sent = 0;
    const live = await server((client) => {
      const send = (): void => {
        if (live.ended > 0 || ++sent > 200) return;
        client.send(megabyte);
        setImmediate(send);
      };
      send();
    });
    page(`ws://127.0.0.1:${live.port}/flood`, 'setInterval(() => 0, 10)');
    const { text } = await crawled('webSocketHosts="127.0.0.1" readyWhen="#root:not(:empty)"');
    expect(text).toContain('closed');
    expect(live.ended).toBe(1);
  });

  it('may open eight at most', async () => {
    const live = await server(() => undefined);
    const more = `for (let n = 0; n < 20; n++) new WebSocket('ws://127.0.0.1:${live.port}/more');`;
    page(`ws://127.0.0.1:${live.port}/first`, more);
    const { refused } = await crawled('webSocketHosts="127.0.0.1"');
    expect(live.seen).toHaveLength(8);
    expect(refused).toEqual({ limit: 13 });
  });
});
