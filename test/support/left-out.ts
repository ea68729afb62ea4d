/** Tests of what a machine may lack are left out there. Their names say why, and `npm test` lists them at its end. */
import { describe, it } from 'vitest';
import { findBrowser } from '../../src/adapters/browser/find-browser.js';

/** What the tests need and this machine lacks, and how to get it; undefined: they run. */
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
/** For what is rendered, which looks for a browser as the program does. */
export const noBrowser: Missing = findBrowser({}) === undefined ? NO_CHROMIUM : undefined;
export const notLinux: Missing = process.platform === 'linux' ? undefined : 'it wants Linux';
