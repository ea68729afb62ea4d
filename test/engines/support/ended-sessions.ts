/** Crawls of sites whose sessions are ended on the server. */
import { expect } from 'vitest';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { visitAgain } from './protected-site.js';

interface Options {
  readonly root?: string;
  readonly user?: string;
  readonly rules?: string;
  /** Content of the Login. */
  readonly steps?: string;
  /** Further attributes of the Fetcher. */
  readonly fetcher?: string;
}

export const loginConfiguration = (
  origin: string,
  login: string,
  { root = '/', user = 'robot', rules = '', steps = '', fetcher = '' }: Options = {},
) => ({
  crawler: `<Root url="${origin}${root}"/>${rules}`,
  more: `<cw:Fetcher name="default" ${fetcher}><cw:AllowAddress cidr="127.0.0.0/8"/><cw:Login name="site" type="form" insecure="true" url="${origin}/" user="${user}" password="right" ${login}>${steps}</cw:Login></cw:Fetcher>`,
});

export const deletions = async (world: CrawlWorld) =>
  (await world.store.listOrders({ crawler: 'test' }, undefined, 100)).filter(({ kind }) => kind === 'delete');

/** Ends the sessions, visits everything, and compares what is in the index. */
export async function surviveTheEnd(world: CrawlWorld, endSessions: () => unknown): Promise<void> {
  const before = await world.indexed();
  expect(before.length).toBeGreaterThan(2);
  expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', logins: 1 }]);
  await endSessions();
  await visitAgain(world);
  expect(await world.indexed()).toEqual(before);
  expect(await deletions(world)).toEqual([]);
  for (const url of before) expect(await world.state(url)).toMatchObject({ status: 'indexed', reason: 'indexed' });
  expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', logins: 2 }]);
}
