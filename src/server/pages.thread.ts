/**
 * A thread that processes pages: assembles a page processor from the fetcher, the readers and the digest, and serves
 * it.
 */
import { hash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { HttpFetcher } from '../adapters/http/http-fetcher.js';
import { DocumentReader } from '../adapters/parsers/page-reader.js';
import { SystemClock } from '../adapters/system/system-clock.js';
import { lowerPriority } from '../adapters/system/thread-settings.js';
import type { PageThreadData } from '../adapters/threads/page-thread-protocol.js';
import { RemoteEngine } from '../adapters/threads/remote-engine.js';
import { RemotePlugins } from '../adapters/threads/remote-plugins.js';
import { servePages } from '../adapters/threads/serve-pages.js';
import { LocalPageProcessor } from '../engine/page/local-page-processor.js';

// Slightly lower priority than the main thread, which serves calls and distributes the work. With a much lower one,
// pages would wait while another core is idle (bench/README.md).
lowerPriority(2);

const browser = new RemoteEngine();
const plugins = new RemotePlugins();

servePages(
  parentPort!,
  new LocalPageProcessor({
    createEngines: (definitions) => [new HttpFetcher(definitions), browser],
    reader: new DocumentReader(),
    digest: (content) => hash('sha256', content, 'hex'),
    clock: new SystemClock(),
    pluginCaller: plugins,
  }),
  workerData as PageThreadData,
  browser,
  plugins,
);
