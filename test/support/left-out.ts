/** Tests that need something that the machine lacks are left out. Their names say why, and `npm test` lists them at its end. */
import { describe, it } from 'vitest';
import { findBrowser } from '../../src/adapters/browser/find-browser.js';

/** What the tests need and this machine lacks, and how to get it; undefined if they run. */
export type Missing = string | undefined;

export function describeUnless(missing: Missing, name: string, tests: () => void): void {
  if (missing === undefined) describe(name, tests);
  else describe.skip(named(name, missing), tests);
}

export function itUnless(missing: Missing, name: string, test: () => Promise<void> | void): void {
  if (missing === undefined) it(name, test);
  else it.skip(named(name, missing), test);
}

/** scripts/test.mjs looks for these words. */
const named = (name: string, missing: string): string => `${name} (left out: ${missing})`;

export const NO_CHROMIUM = 'Chromium is missing: apt-get install chromium, or name one in CHROMIUM';
/** For rendering, which looks for a browser like the program. */
export const noBrowser: Missing = findBrowser({}) === undefined ? NO_CHROMIUM : undefined;
export const notLinux: Missing = process.platform === 'linux' ? undefined : 'it wants Linux';
