/** One crawl of healthy and hostile hosts by the real server, with an index to push to; both benchmarks of hostile hosts run it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIndex } from '../demo-index/server.js';
import { MeasuredServer } from './measured-server.js';

export interface HostileCrawl {
  /** Each with its site mode. */
  readonly roots: readonly string[];
  readonly site: boolean;
  /** Milliseconds between two requests to one host; 0 asks as fast as the machine can. */
  readonly throttleMs: number;
  /** How many times faster time passes for the server. */
  readonly pace: number;
  /** Attributes of the crawler and of its fetcher, and elements of the crawler, beside the usual ones. */
  readonly crawler?: string;
  readonly fetcher?: string;
  readonly elements?: string;
}

const configuration = (crawl: HostileCrawl, index: string): string =>
  `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="32" aggressive="${crawl.throttleMs === 0}" throttleTimeMS="${crawl.throttleMs}"
           defaultAccept="true" nearDuplicateDetector="false" ${crawl.crawler ?? ''}>
    ${crawl.roots.map((url) => `<Root url="${url}" site="${crawl.site}"/>`).join('')}
    ${crawl.elements ?? ''}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default" ${crawl.fetcher ?? ''}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${index}" connector="test"/>
</CrawlConfig>`;

/** Everything of it lies in a folder of its own, which is gone after `end`. */
export async function startCrawl(
  crawl: HostileCrawl,
): Promise<{ readonly server: MeasuredServer; readonly end: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-hostile-'));
  const index = await startIndex({ file: join(folder, 'index.db'), port: 0, host: '127.0.0.1' });
  const server = await MeasuredServer.start(folder, configuration(crawl, index.url), crawl.pace);
  const end = async (): Promise<void> => {
    await server.stop();
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, end };
}
