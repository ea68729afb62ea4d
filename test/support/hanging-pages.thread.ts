/** A page thread whose reader hangs in a page that asks for it. */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { HttpFetcher } from '../../src/adapters/http/http-fetcher.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import type { PageThreadData } from '../../src/adapters/threads/page-thread-protocol.js';
import { servePages } from '../../src/adapters/threads/serve-pages.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';
import type { SyncExtractor } from '../../src/engine/ports/content-extractor.js';

const html = createPageReader().findExtractor('text/html') as SyncExtractor;

/** As blocking as a loop without end, but needs no processor, which other tests need. */
const waitForEver = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

/** Reads HTML as usual, except for pages that say what happens to the thread. */
const trapped: SyncExtractor = {
  ...html,
  extract: (...page) => {
    const text = Buffer.from(page[0]).toString('latin1');
    if (text.includes('never ends')) for (;;);
    if (text.includes('waits for ever')) waitForEver();
    if (text.includes('kills the thread')) process.exit(3);
    return html.extract(...page);
  },
};

/** Hangs in a URL that asks for it, while no page is being read. */
class TrappedFetcher extends HttpFetcher {
  override fetch(...request: Parameters<HttpFetcher['fetch']>): ReturnType<HttpFetcher['fetch']> {
    if (request[0].url.endsWith('/blocks')) waitForEver();
    return super.fetch(...request);
  }
}

servePages(
  parentPort!,
  new LocalPageProcessor({
    createEngines: (definitions) => [new TrappedFetcher(definitions)],
    reader: createPageReader([trapped]),
    clock: new SystemClock(),
    digest: (content) => createHash('sha256').update(content).digest('hex'),
  }),
  workerData as PageThreadData,
);
