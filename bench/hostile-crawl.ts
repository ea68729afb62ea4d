/**
 * Starts the real server for a crawl of healthy and hostile hosts that pushes to an index; used by the hostile
 * benchmarks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIndex } from '../demo-index/server.js';
import { MeasuredServer } from './measured-server.js';

export interface HostileCrawl {
  readonly roots: readonly string[];
  /** Site mode of all roots. */
  readonly site: boolean;
  /** Milliseconds between two requests to one host. 0: as fast as the machine can. */
  readonly throttleMs: number;
  /** How many times faster time passes for the server. */
  readonly pace: number;
  /** Additional attributes of the crawler and of its fetcher, and additional elements of the crawler. */
  readonly crawlerAttributes?: string;
  readonly fetcherAttributes?: string;
  readonly crawlerElements?: string;
}

const createConfiguration = (crawl: HostileCrawl, index: string): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="32" aggressive="${crawl.throttleMs === 0}" throttleTimeMS="${crawl.throttleMs}"
           defaultAccept="true" nearDuplicateDetector="false" ${crawl.crawlerAttributes ?? ''}>
    ${crawl.roots.map((url) => `<Root url="${url}" site="${crawl.site}"/>`).join('')}
    ${crawl.crawlerElements ?? ''}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default" ${crawl.fetcherAttributes ?? ''}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${index}" connector="test"/>
</CrawlConfig>`;

/** Starts the crawl in a new folder, which `end` deletes. */
export async function startCrawl(
  crawl: HostileCrawl,
): Promise<{ readonly server: MeasuredServer; readonly end: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-hostile-'));
  const index = await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });
  const server = await MeasuredServer.start(folder, createConfiguration(crawl, index.url), crawl.pace);
  const end = async (): Promise<void> => {
    await server.stop();
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, end };
}
