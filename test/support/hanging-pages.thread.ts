/** A page thread whose reader never comes back from a page that says so. */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { HttpFetcher } from '../../src/adapters/http/http-fetcher.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import type { PageThreadData } from '../../src/adapters/threads/page-thread-protocol.js';
import { servePages } from '../../src/adapters/threads/serve-pages.js';
import { LocalPageProcessor } from '../../src/engine/page/local-page-processor.js';

const reader = createPageReader();

servePages(
  parentPort!,
  new LocalPageProcessor({
    createFetcher: (definitions) => new HttpFetcher(definitions),
    reader: {
      ...reader,
      mediaType: (...page) => reader.mediaType(...page),
      readSitemap: (...page) => reader.readSitemap(...page),
      read: (...page) => {
        const text = Buffer.from(page[0]).toString('latin1');
        if (text.includes('never ends')) for (;;);
        if (text.includes('kills the thread')) process.exit(3);
        return reader.read(...page);
      },
    },
    digest: (bytes, text) => createHash('sha256').update(bytes).update(text).digest('hex'),
  }),
  workerData as PageThreadData,
);
