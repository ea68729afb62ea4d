/** The system's Chromium, driven by Playwright. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { describeUnless, NO_CHROMIUM } from '../support/left-out.js';
import { ARGUMENTS, CHROMIUM } from './chromium.js';
import { ConsoleWorld, type WorldOptions } from './console-world.js';

export interface Stage {
  readonly world: ConsoleWorld;
  readonly page: Page;
  /** Errors of the page and refusals of its Content-Security-Policy: there must be none. */
  readonly complaints: string[];
  /** Opens a screen and waits until it has loaded. */
  open(path: string): Promise<void>;
}

/** Tests in a browser; where there is none they are left out. */
export function describeInBrowser(name: string, options: WorldOptions, tests: (stage: () => Stage) => void): void {
  describeUnless(CHROMIUM ? undefined : NO_CHROMIUM, name, () => {
    let stage: Stage;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ stage, close } = await setUp(options));
    });
    afterAll(() => close?.());
    tests(() => stage);
  });
}

async function setUp(options: WorldOptions): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'crawlway-chromium-'));
  const [world, context] = await Promise.all([ConsoleWorld.start(options), launch(profile)]);
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  const open = async (path: string): Promise<void> => {
    await page.goto(world.server.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  };
  return {
    stage: { world, page, complaints, open },
    close: async () => {
      await context.close();
      await world.stop();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

const launch = (profile: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: ARGUMENTS,
    viewport: { width: 1280, height: 860 },
  });
