import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInBrowser } from './browser.js';
import { buildConsole } from './build-console.js';

const DIST = join(import.meta.dirname, '..', '..', 'console', 'dist');

describe('the console is light', () => {
  beforeAll(buildConsole);

  it('needs less than 200 KB compressed for its first view', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8');
    const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
    const chart = readdirSync(join(DIST, 'assets')).filter((name) => /^plot-.*\.(js|css)$/.test(name));
    const sizes = [...files, ...chart.map((name) => `assets/${name}`)].map((file) => compressed(join(DIST, file)));
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });

  it('has no script or style in the page itself', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)/);
  });
});

const compressed = (file: string): number => (statSync(`${file}.br`, { throwIfNoEntry: false }) ?? statSync(file)).size;

describeInBrowser('the first view', {}, (stage) => {
  it('brings no editor along, and no file from elsewhere', async () => {
    const { page, open, world } = stage();
    await world.caughtUp();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await open('/');
    await page.getByText('Documents in the index').first().waitFor();
    expect(asked.filter((url) => url.includes('code-mirror'))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(world.server.url))).toEqual([]);
  });
});
