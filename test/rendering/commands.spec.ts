/** What commands say of pages that need their scripts, with a browser and without. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { renderingWorld } from './rendering-world.js';
import { publishShop, textOf } from './script-made-site.js';

const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

const run = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...crawlwayCommand(), ...args], (error, out, errors) =>
      resolve({ code: error ? Number(error.code) : 0, out, errors }),
    );
  });

let site: FakeSite;

beforeEach(async () => {
  site = await FakeSite.start();
  publishShop(site);
});

afterEach(() => site.close());

/** A crawler of the site whose browser is not there. */
function withoutBrowser(): string {
  const file = join(temporaryDirectory(), 'CrawlConfig.xml');
  writeFileSync(
    file,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="shop" render="auto"><Root url="${site.url('/')}"/><cw:PushTo sink="out"/></Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.1/32"/></cw:Fetcher>
  <cw:Renderer path="/nowhere/chromium"/>
  <cw:Sink name="out" type="json" url="http://127.0.0.1:9/"/>
</CrawlConfig>`,
  );
  return file;
}

describeUnless(noBrowser, 'crawlway render', () => {
  it('prints what only the scripts of a page add, and writes a screenshot', async () => {
    const picture = join(temporaryDirectory(), 'page.jpg');
    const { code, out } = await run('render', site.url('/product/1'), ...SANDBOX, '--picture', picture);
    expect(out).toMatch(/title\s+Shop\s+Product 1/);
    expect(out).toMatch(new RegExp(`^\\+ .*${textOf(1)}`, 'm'));
    expect(out).toContain(`links that only rendering finds:\n+ ${site.url('/')}`);
    expect(readFileSync(picture).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    expect(code).toBe(0);
  });
});

describe('without a browser', () => {
  it('crawlway check reports it with what to do; it is not an error', async () => {
    const { code, out } = await run('check', withoutBrowser());
    expect(out).toMatch(
      /no-browser .*\/nowhere\/chromium is not an executable file\. Install Chromium, or specify a browser/,
    );
    expect(code).toBe(0);
  });

  it('crawlway render reports it', async () => {
    const { code, out } = await run('render', site.url('/product/1'), '--config', withoutBrowser());
    expect(out).toMatch(/^not rendered: renderer-unavailable: .*\/nowhere\/chromium is not an executable file/);
    expect(code).toBe(2);
  });

  it('pages are crawled as sent, and reported', async () => {
    const world = await renderingWorld({
      crawler: `<Root url="${site.url('/product/1')}"/>`,
      renderer: 'path="/nowhere/chromium"',
    });
    await world.untilIdle();
    expect(await world.state(site.url('/product/1'))).toMatchObject({ status: 'indexed', reason: 'needs-rendering' });
    await world.close();
  });
});
