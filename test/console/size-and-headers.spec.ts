import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';
import { buildConsole } from './build-console.js';

const DIST = join(import.meta.dirname, '..', '..', 'console', 'dist');

describe('the size of the console', () => {
  beforeAll(buildConsole);

  it('is less than 200 KB compressed for the first view', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8');
    const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
    const chart = readdirSync(join(DIST, 'assets')).filter((name) => /^plot-.*\.(js|css)$/.test(name));
    const sizes = [...files, ...chart.map((name) => `assets/${name}`)].map((file) => compressed(join(DIST, file)));
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });

  it('includes no inline script or style', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)/);
  });
});

const compressed = (file: string): number => (statSync(`${file}.br`, { throwIfNoEntry: false }) ?? statSync(file)).size;

describeInBrowser('the first view', {}, (stage) => {
  it('loads neither an editor nor a file from another host', async () => {
    const { page, open, world } = stage();
    await world.caughtUp();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await open('/');
    await page.getByText('Documents in the index').first().waitFor();
    expect(asked.filter((url) => url.includes('code-mirror'))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(world.server.url))).toEqual([]);
  });

  it('shows where it is at once, and after some seconds that the server is slow', async () => {
    const { page, world } = stage();
    const slow = await page.context().newPage();
    await slow.clock.install();
    let answer = (): void => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await slow.route('**/api/v1/**', async (route) => {
      await isAnswered;
      await route.continue();
    });
    await slow.goto(`${world.server.url}/hosts`);
    await slow.getByRole('heading', { level: 1, name: 'Hosts' }).waitFor();
    await slow.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Coverage' }).waitFor();
    expect(await slow.getByRole('status').textContent()).toBe('Loading…');
    await slow.clock.fastForward(3000);
    await slow.getByText('Loading… The server is taking long to answer.').waitFor();
    answer();
    await slow.getByRole('table', { name: 'Hosts' }).waitFor();
    await slow.close();
  });
});
