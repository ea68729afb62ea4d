/** A crawl whose pages a real browser renders, in one process. */

import { BrowserEngine } from '../../src/adapters/browser/browser-engine.js';
import { loadRegistrableDomains } from '../../src/adapters/system/registrable-domain.js';
import { CrawlWorld, type WorldOptions } from '../support/crawl-world.js';

export const SANDBOX = process.getuid?.() === 0 ? 'sandbox="false"' : '';
export const QUIET = { info: () => undefined, warn: () => undefined };

export interface RenderingWorldOptions extends Partial<WorldOptions> {
  readonly crawler: string;
  /** Attributes of Renderer. */
  readonly renderer?: string;
  /** Content of Fetcher; with one it may ask the addresses after 127.0.0.1, too. */
  readonly fetcher?: string;
}

export const renderingWorld = (options: RenderingWorldOptions): Promise<CrawlWorld> =>
  CrawlWorld.start({
    attributes: 'render="auto"',
    index: 'none',
    engines: ({ renderer, fetchers }, http) => [
      new BrowserEngine(renderer!, fetchers, http, QUIET, loadRegistrableDomains),
    ],
    ...options,
    more: `<cw:Renderer ${SANDBOX} ${options.renderer ?? ''}/><cw:Fetcher name="default"><cw:AllowAddress cidr="${options.fetcher ? '127.0.0.0/30' : '127.0.0.1/32'}"/>${options.fetcher ?? ''}</cw:Fetcher>`,
  });
