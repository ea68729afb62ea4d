import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Program } from '../api/program.js';
import { FakeSite } from '../support/fake-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** `more`: elements of the crawler. */
export const configuration = (site: FakeSite, more = ''): string => `<CrawlConfig
  xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.origin}/" site="true"/>${more}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="orders.jsonl"/>
</CrawlConfig>`;

/** Three pages and a link that leads nowhere. */
export async function smallSite(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  return site.page('/', ['/a.html', '/b.html', '/missing.html']).page('/a.html').page('/b.html');
}

/** A server that crawls such a site. */
export async function serving(env: Record<string, string> = {}) {
  const folder = temporaryDirectory();
  const site = await smallSite();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(config, configuration(site));
  const server = new Program(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0'], { env });
  const url = (await server.said(/ready.*?(http:\/\/127\.0\.0\.1:\d+)/))[1]!;
  return { folder, site, config, server, url };
}
