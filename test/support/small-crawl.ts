import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startSite } from './scenario.js';
import { ServerProcess } from './server-process.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A server as a process of its own, with this environment, that crawls three pages and a link that leads nowhere. */
export async function smallCrawl(env: Readonly<Record<string, string>>) {
  const site = await startSite();
  site.page('/', ['/a', '/b', '/missing']).page('/a').page('/b');
  const folder = temporaryDirectory();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(
    config,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
      <Crawler name="test" aggressive="true" throttleTimeMS="0" crawlSitemaps="false">
        <Root url="${site.origin}/" site="true"/><cw:PushTo sink="main"/>
      </Crawler>
      <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
      <cw:Sink name="main" type="file" url="orders.jsonl"/>
    </CrawlConfig>`,
  );
  const server = new ServerProcess({ config, data: join(folder, 'data'), env });
  onTestFinished(() => void server.end());
  await server.ready();
  const caughtUp = async (): Promise<void> => {
    const ask = async () => (await (await fetch(`${server.url}/api/v1/crawlers/test`)).json()) as { indexed: number };
    await expect.poll(async () => (await ask()).indexed).toBe(3);
  };
  return { site, server, caughtUp };
}
