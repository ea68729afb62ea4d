/** The site that logins are tried on: three pages, each found on the one before. */
import { expect } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';

const page = (title: string, ...links: string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1>${links.map((link) => `<a href="${link}">${link}</a>`).join('')}`;

export const PAGES = { 'index.html': page('index', 'a.html'), 'a.html': page('a', 'b.html'), 'b.html': page('b') };
export const PATHS = ['/', '/a.html', '/b.html'];

export const indexedPaths = async (world: CrawlWorld): Promise<string[]> =>
  (await world.indexed()).map((url) => new URL(url).pathname);

/** Every page once more. */
export async function visitAgain(world: CrawlWorld): Promise<void> {
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
}

/** Long enough for all tries of a password that is wrong, and for many more. */
export async function aDayOfRefusals(world: CrawlWorld): Promise<void> {
  for (const time of [minutes(5), hours(1), hours(23)]) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(time);
  }
  expect(world.engine.logins.list()).toMatchObject([{ state: 'stopped', failure: 'refused', refused: 3 }]);
}

/** All pages are indexed and as they are now, and the login works. */
export async function allIsCurrent(world: CrawlWorld, origin: string): Promise<void> {
  expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', refused: 0 }]);
  expect(await indexedPaths(world)).toEqual(PATHS);
  for (const path of PATHS)
    expect(await world.state(`${origin}${path}`)).toMatchObject({ status: 'indexed', temporaryErrors: 0 });
}
