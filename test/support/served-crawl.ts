/** Serves and crawls a given configuration unchanged, except that only local sites are requested, without a crawl delay. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { OrderRecord } from '../../src/adapters/push/order-record.js';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Values of the secrets that configurations of the documentation name. */
export const SECRETS = { CRAWLWAY_SECRET_ES: 'key-of-the-index', CRAWLWAY_SECRET_PASSWORD: 'right' };

export class ServedCrawl {
  private constructor(
    /** Holds `config` and `data`. */
    readonly folder: string,
    readonly server: RunningServer,
  ) {}

  /** @param files beside the configuration, by name */
  static async start(xml: string, files: Iterable<readonly [string, string]> = []): Promise<ServedCrawl> {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'config'));
    const config = join(folder, 'config', 'CrawlConfig.xml');
    writeFileSync(config, onThisMachine(xml));
    for (const [name, text] of files) writeFileSync(join(folder, 'config', name), text);
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
    const options = readServerOptions({ config, data: join(folder, 'data'), port: '0' }, SECRETS);
    const restore = setVariables(SECRETS);
    const server = await serve(options, { log, withSample: false });
    onTestFinished(async () => {
      await server.close();
      restore();
    });
    return new ServedCrawl(folder, server);
  }

  get port(): string {
    return new URL(this.server.url).port;
  }

  /** Until everything is read and the sinks have it. */
  async caughtUp(): Promise<this> {
    const [crawler] = this.server.engine.definition.crawlers;
    for (;;) {
      const view = await this.server.engine.getCrawler(crawler!.name);
      if (view.idle && view.pendingOrders === 0 && view.counts.indexed > 0) return this;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** What its sink of type `file` was told. */
  orders(): OrderRecord[] {
    const data = join(this.folder, 'data');
    return readdirSync(data)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(join(data, name), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line) as OrderRecord);
  }

  /** Paths of the documents that its sink of type `file` was given. */
  documents(): string[] {
    return [...new Set(this.orders().map(({ uri }) => new URL(uri).pathname + new URL(uri).search))].sort();
  }
}

function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/** Sites of this machine: allowed, asked without a pause, and without TLS. */
function onThisMachine(xml: string): string {
  const quick = xml
    .replace(/ throttleTimeMS="\d+"/g, '')
    .replace(/<Crawler /g, '<Crawler aggressive="true" throttleTimeMS="0" ')
    .replaceAll('<cw:Login ', '<cw:Login insecure="true" ')
    .replaceAll('cidr="10.0.0.0/8"', 'cidr="127.0.0.0/8"');
  if (quick.includes('127.0.0.0/8')) return quick;
  const allow = '<cw:AllowAddress cidr="127.0.0.0/8"/>';
  const fetcher = /(<cw:Fetcher name="default"[^>]*?)(\/?)>/;
  if (fetcher.test(quick))
    return quick.replace(fetcher, (_all, head: string, empty: string) =>
      empty ? `${head}>${allow}</cw:Fetcher>` : `${head}>${allow}`,
    );
  return quick.replace('</CrawlConfig>', `<cw:Fetcher name="default">${allow}</cw:Fetcher></CrawlConfig>`);
}
