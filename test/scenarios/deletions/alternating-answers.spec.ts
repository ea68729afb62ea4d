/** Hosts that answer one way and then another, such as nodes of which only some have the new version of a site. */
import { expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import { createPage, getPaths, readStamps, write } from '../../support/guarded-sites.js';
import { crawl, startSite } from '../../support/scenario.js';

const PATHS = ['/', ...getPaths(15)];
/** More than its own visits and a few looks at its host explain; without a limit, it was up to 1,200. */
const MAX_REQUESTS_PER_DAY = 60 * PATHS.length;

async function crawlSite() {
  const site = await startSite();
  const create = (version: string, path: string) =>
    createPage(`${version} ${path}`, write(`${version} ${path}`), '', path === '/' ? PATHS : []);
  for (const path of PATHS) site.set(path, create('old', path));
  const attributes = 'throttleTimeMS="1000" aggressive="false"';
  const world = await crawl({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
  await world.pass(days(2));
  return { site, create, world };
}

it('a site of which some nodes have the new version is not asked without end, and what stays is delivered', async () => {
  const { site, create, world } = await crawlSite();
  const stamps = await readStamps(world);
  let requests = 0;
  const isOld = () => ++requests % 2 === 0;
  for (const path of PATHS) site.set(path, () => create(isOld() ? 'old' : 'new', path));
  site.otherwise(() => ({ status: 404, body: `${isOld()}` }));
  site.forgetRequests();
  await world.pass(days(1));
  expect(site.requests.length).toBeLessThan(MAX_REQUESTS_PER_DAY);
  for (const path of PATHS) site.set(path, create('new', path));
  await world.pass(days(2));
  const current = await readStamps(world);
  expect(current.size).toBe(PATHS.length);
  expect([...stamps].filter(([url, stamp]) => current.get(url) === stamp)).toEqual([]);
});

it('pages that are redirected to one language and then to another are not requested without end', async () => {
  const { site, create, world } = await crawlSite();
  let requests = 0;
  for (const path of PATHS) {
    for (const language of ['/de', '/en']) site.set(language + path, create(language, path));
    site.set(path, () => ({ status: 302, headers: { location: (++requests % 2 === 0 ? '/de' : '/en') + path } }));
  }
  site.forgetRequests();
  await world.pass(days(1));
  expect(site.requests.length).toBeLessThan(MAX_REQUESTS_PER_DAY);
});
