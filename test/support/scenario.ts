/** Sites and crawls of one test, closed when it ends. */
import { expect, onTestFinished } from 'vitest';
import type { Identity } from './certificates.js';
import { CrawlWorld, type WorldOptions } from './crawl-world.js';
import { FakeSite } from './fake-site.js';

/** A site with its own address, and with a name if the crawl has it in `names`. */
export async function startSite(address = '127.0.0.1', name = address, identity?: Identity): Promise<FakeSite> {
  const site = await FakeSite.start(address, name, identity);
  onTestFinished(() => site.close());
  return site;
}

/** Starts a crawl and waits until it is idle. */
export async function crawl(options: WorldOptions): Promise<CrawlWorld> {
  const world = await start(options);
  await world.untilIdle();
  return world;
}

/** Starts a crawl. Errors in the log of the engine fail the test. */
export async function start(options: WorldOptions): Promise<CrawlWorld> {
  const world = await CrawlWorld.start(options);
  onTestFinished(async () => {
    await world.close();
    expect(world.errors).toEqual([]);
  });
  return world;
}

/** Links that were refused, by reason. */
export async function refusals(world: CrawlWorld, crawler = 'test'): Promise<Record<string, string[]>> {
  const byReason: Record<string, string[]> = {};
  for (const { reason, samples } of await world.engine.urls.listRefusedLinks(crawler)) {
    byReason[reason] = [...(byReason[reason] ?? []), ...samples.map((sample) => sample.url)].sort();
  }
  return byReason;
}
