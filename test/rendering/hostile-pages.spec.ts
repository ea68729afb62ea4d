/** Pages that mean harm, in a real browser. Left out where there is no Chromium. */
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, itUnless, noBrowser, notLinux } from '../support/left-out.js';
import { renderingWorld } from './rendering-world.js';

/** Longer than a busy machine takes for a page; one that ends in time ends long before. */
const PATIENT = 'timeLimitMS="150000"';

let site: FakeSite;
let world: CrawlWorld;

const html = (body: string) => ({ headers: { 'content-type': 'text/html' }, body });
const script = (body: string) => ({ headers: { 'content-type': 'text/javascript' }, body });
const roots = (...paths: string[]): string => paths.map((path) => `<Root url="${site.url(path)}"/>`).join('');

/** So often in all: after two failures a page is taken as it was sent. */
async function tried(times: number, path: string): Promise<void> {
  await world.untilIdle();
  for (let n = 1; n < times; n++) {
    await world.engine.maintenance.refresh('test', { url: site.url(path) });
    await world.untilIdle();
  }
}

beforeEach(async () => {
  site = await FakeSite.start();
});

afterEach(async () => {
  await world.close();
  await site.close();
});

describeUnless(noBrowser, 'a hostile page', () => {
  it('cannot send data out', async () => {
    const inside = await FakeSite.start('127.0.0.2');
    onTestFinished(() => inside.close());
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /secret' });
    site.set('/secret', html('secret of the frame'));
    site.set('/evil.js', script(hostileScript(inside.port)));
    site.set('/', html(EVIL));
    world = await renderingWorld({ crawler: roots('/'), renderer: PATIENT });
    await world.untilIdle();
    const text = world.pushed().get(site.url('/'))!.text;
    expect(text).toContain('the script ran');
    expect(text).not.toContain('LEAK');
    expect(inside.requests).toEqual([]);
    expect(site.fetched).not.toContain('/secret');
    const [counted] = (await world.engine.getMetrics()).rendering;
    expect(counted!.refused).toMatchObject({
      address: expect.any(Number),
      robots: expect.any(Number),
      kind: expect.any(Number),
    });
  });

  it('with an endless script is aborted, and the crawl goes on', async () => {
    site.set('/loop', html('<div id=root></div><script>for (;;);</script>'));
    site.page('/good', [], 'Goodword.');
    world = await renderingWorld({ crawler: roots('/loop', '/good'), renderer: 'timeLimitMS="1000"' });
    await tried(3, '/loop');
    // On a busy machine a second may be too short for any page, which is then taken as it was sent.
    await tried(3, '/good');
    expect(await world.state(site.url('/loop'))).toMatchObject({ status: 'indexed', reason: 'render-timeout' });
    expect(world.pushed().get(site.url('/good'))).toMatchObject({ text: expect.stringContaining('Goodword') });
  });

  itUnless(notLinux, 'that exhausts memory is aborted, and taken as sent', async () => {
    site.set('/', html(`<p>Sentword.</p><div id=root></div><script>${EATER}</script>`));
    world = await renderingWorld({
      attributes: 'render="always"',
      crawler: roots('/'),
      renderer: `${PATIENT} memoryLimitBytes="${512 * 1024 * 1024}" readyWhen=".never"`,
    });
    await tried(3, '/');
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'indexed', reason: 'render-memory' });
    expect(world.pushed().get(site.url('/'))).toMatchObject({ text: expect.stringContaining('Sentword') });
  });

  it('has no WebSocket, and is read without its data', async () => {
    const upgrades: string[] = [];
    site.set('/socket', (request) => {
      upgrades.push(request.url ?? '');
      return { status: 200 };
    });
    site.set('/', html(`<div id=root></div><script>${SOCKET}</script>`));
    world = await renderingWorld({ crawler: roots('/'), renderer: PATIENT });
    await world.untilIdle();
    expect(world.pushed().get(site.url('/'))!.text).toContain('the socket was closed');
    expect(upgrades).toEqual([]);
  });
});

/** Holds half a gigabyte more than it may, and goes on as long as it is let. */
const EATER = `
  const held = [];
  const eat = () => {
    if (held.length < 1000) held.push(new Uint8Array(1 << 20).fill(held.length + 1));
    setTimeout(eat, 5);
  };
  eat();
`;

const SOCKET = `
  const socket = new WebSocket('ws://' + location.host + '/socket');
  const show = (text) => { document.getElementById('root').textContent = text; };
  socket.onopen = () => { socket.onmessage = ({ data }) => show(data); };
  socket.onclose = () => show('the socket was closed, so that the page says something else than it would');
`;

const EVIL = '<html><title>Evil</title><div id=root></div><script src=/evil.js></script></html>';

/** The fetcher of the world may ask 127.0.0.1 alone. */
const hostileScript = (port: number): string => `
  const leak = (what) => document.body.append('LEAK ' + what);
  const inside = 'http://127.0.0.2:${port}/';
  for (const url of [inside, 'http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', 'http://[::1]:${port}/'])
    fetch(url, { mode: 'no-cors' }).then(() => leak(url), () => undefined);
  new Image().src = inside + 'image';
  navigator.sendBeacon(inside + 'beacon', 'x');
  try { new WebSocket('ws://127.0.0.2:${port}/socket').onopen = () => leak('socket'); } catch {}
  try { new EventSource(inside + 'events').onmessage = () => leak('events'); } catch {}
  for (let n = 0; n < 1000; n++) window.open(inside + 'window' + n);
  alert('hello'); confirm('sure?'); prompt('who?');
  const worker = new Worker(URL.createObjectURL(new Blob(['fetch(' + JSON.stringify(inside + 'worker') + ', { mode: "no-cors" }).then(() => postMessage(1)); for (;;);'])));
  worker.onmessage = () => leak('worker');
  document.body.insertAdjacentHTML('beforeend', '<iframe src="/secret"></iframe><iframe src="' + inside + 'frame"></iframe><a id=get download href="data:text/plain,x">the script ran</a><form id=form method=post target=_blank action="' + inside + 'form"></form><link rel=prefetch href="' + inside + 'prefetch"><link rel=preconnect href="' + inside + '">');
  document.getElementById('get').click();
  document.getElementById('form').submit();
  navigator.serviceWorker?.register('/evil.js').then((made) => made && leak('service worker'), () => undefined);
  Notification?.requestPermission?.();
`;
