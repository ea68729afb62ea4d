/**
 * The thread that runs the browser; its requests go through a fetcher of this thread, which has the same definitions as
 * all fetchers.
 */
import { parentPort } from 'node:worker_threads';
import { BrowserEngine } from '../adapters/browser/browser-engine.js';
import { HttpFetcher } from '../adapters/http/http-fetcher.js';
import { loadRegistrableDomains } from '../adapters/system/registrable-domain.js';
import { lowerPriority } from '../adapters/system/thread-settings.js';
import { serveRenderer } from '../adapters/threads/serve-renderer.js';

// Lower priority than the threads that read pages, like that of the browser that it starts: plain pages come first.
lowerPriority(5);

serveRenderer(
  parentPort!,
  (renderer, fetchers, log, judgeScript) =>
    new BrowserEngine(renderer, fetchers, new HttpFetcher(fetchers), log, loadRegistrableDomains, judgeScript),
);
