/** Pages that a browser renders, of a host with a `cw:Schedule`. Left out where there is no Chromium. */
import { expect, it, onTestFinished } from 'vitest';
import { hours, type Instant, instant } from '../../src/domain/time/units.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { ManualClock } from '../support/manual-clock.js';
import { renderingWorld } from './rendering-world.js';

const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));
const HTML = { 'content-type': 'text/html' };

describeUnless(noBrowser, 'pages that are rendered', () => {
  it('are rendered only in the windows of their host; pages that do not fit into one wait for the next', async () => {
    const clock = new ManualClock(NOON);
    const asked: { readonly path: string; readonly at: Instant }[] = [];
    const site = await FakeSite.start();
    onTestFinished(() => site.close());
    const note = (path: string, body: string): void => {
      site.set(path, () => {
        asked.push({ path, at: clock.now() });
        return { headers: path === '/made' ? { 'content-type': 'application/json' } : HTML, body };
      });
    };
    const script = `<main></main><script>fetch('/made').then((r) => r.json()).then((t) => (document.querySelector('main').innerHTML = t))</script>`;
    for (const path of ['/', '/1', '/2']) note(path, `<title>${path}</title>${script}`);
    note('/made', JSON.stringify('Made by a script. <a href="/1">1</a> <a href="/2">2</a>'));
    // Each page costs two pauses, since its script asks for more.
    const world = await renderingWorld({
      attributes:
        'render="always" aggressive="false" throttleTimeMS="20000" ignoreRobotsTxt="true" smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800"',
      crawler: `<cw:Schedule><cw:Window from="22:00" to="22:01"/></cw:Schedule><Root url="${site.url('/')}"/>`,
      clock,
    });
    onTestFinished(() => world.close());
    await world.pass(hours(9.5));
    expect(site.requests).toEqual([]);
    await world.pass(hours(25));
    const pages = asked.filter(({ path }) => path !== '/made');
    expect(pages.map(({ path }) => path)).toEqual(['/', '/1', '/2']);
    const dayAndMinute = (at: Instant): string => new Date(at).toISOString().slice(0, 16);
    expect(pages.map(({ at }) => dayAndMinute(at))).toEqual([
      '2026-06-01T22:00',
      '2026-06-01T22:00',
      '2026-06-02T22:00',
    ]);
    expect(asked.every(({ at }) => dayAndMinute(at).endsWith('T22:00'))).toBe(true);
    for (const { path } of pages)
      expect(world.pushed().get(site.url(path))).toMatchObject({ text: expect.stringContaining('Made by a script.') });
    expect(world.errors).toEqual([]);
  });
});
