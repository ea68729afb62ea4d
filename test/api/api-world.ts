/**
 * A whole server for a test: real sockets on both sides, real engine, real SQLite, orders into a file. The site is small and
 * on this machine, so that the crawl is over in a moment.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CrawlerDto } from '../../client/index.js';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';

export interface WorldOptions {
  /** As in CRAWLWAY_API_KEYS. */
  readonly keys?: string;
  /** Content of the Crawler element; `SITE` stands for the site's address. */
  readonly crawler?: string;
  readonly attributes?: string;
  /** More content of the Fetcher element. */
  readonly fetcher?: string;
  /** Further elements of CrawlConfig. */
  readonly more?: string;
  /** As in CRAWLWAY_DATABASE_URL; a file of its own when absent. */
  readonly database?: string;
  /** What a server grants when it is absent. */
  readonly callsPerMinute?: number;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files beside the configuration. */
  readonly files?: Readonly<Record<string, string>>;
  /** Sets the pages of the site before it is crawled. */
  readonly site?: (site: FakeSite) => void;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly { readonly detail: string; readonly pointer?: string; readonly line?: number }[];
  readonly [member: string]: unknown;
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

const RULES = `<Root url="SITE/" site="true"/>
    <Rules group="default"><Rule><Path value="/print/"/><NoFollow/></Rule></Rules>`;

export class ApiWorld {
  private constructor(
    readonly site: FakeSite,
    private running: RunningServer,
    private readonly begin: () => Promise<RunningServer>,
    readonly folder: string,
    private readonly options: WorldOptions,
    readonly logged: string[],
  ) {}

  static async start(options: WorldOptions = {}): Promise<ApiWorld> {
    const site = await FakeSite.start();
    site
      .page('/', ['/a.html', '/b.html', '/missing.html'])
      .page('/a.html', ['/c.html'])
      .page('/b.html')
      .page('/c.html');
    options.site?.(site);
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-api-'));
    mkdirSync(join(folder, 'config'));
    for (const [name, text] of Object.entries(options.files ?? {})) {
      mkdirSync(dirname(join(folder, 'config', name)), { recursive: true });
      writeFileSync(join(folder, 'config', name), text);
    }
    writeFileSync(join(folder, 'config', 'CrawlConfig.xml'), configuration(site, folder, options));
    const flags = { config: join(folder, 'config', 'CrawlConfig.xml'), data: join(folder, 'data'), port: '0' };
    const logged: string[] = [];
    const say = (message: string, particulars?: unknown): void =>
      void logged.push(`${message} ${JSON.stringify(particulars ?? {})}`);
    const log = { debug: () => {}, info: say, warn: say, error: say };
    const env = {
      CRAWLWAY_API_KEYS: options.keys,
      CRAWLWAY_DATABASE_URL: options.database,
      CRAWLWAY_FILE_SINKS: folder,
      ...options.env,
    };
    const granted = readServerOptions(flags, env);
    const { callsPerMinute = granted.callsPerMinute } = options;
    const begin = () => serve({ ...granted, callsPerMinute }, { log, withSample: false });
    return new ApiWorld(site, await begin(), begin, folder, options, logged);
  }

  get server(): RunningServer {
    return this.running;
  }

  /** The server ends, and begins again with what it has kept; its port is another one. */
  async restart(): Promise<void> {
    await this.running.close();
    this.running = await this.begin();
  }

  get configFile(): string {
    return join(this.folder, 'config', 'CrawlConfig.xml');
  }

  /** A configuration like the one that the server was started with, with another crawler in it. */
  configuration(options: Pick<WorldOptions, 'crawler' | 'attributes'> = {}): string {
    return configuration(this.site, this.folder, { ...this.options, ...options });
  }

  // Bodies are what the test makes of them: a wrong guess fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get<T = any>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send('GET', path, undefined, headers);
  }

  // biome-ignore lint/suspicious/noExplicitAny: see above
  async send<T = any>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const type = body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' };
    const response = await fetch(this.server.url + (path.startsWith('/') ? path : `/api/v1/${path}`), {
      method,
      headers: { ...type, ...headers },
      body: body === undefined ? undefined : isText ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /[/+]json$/.test(response.headers.get('content-type')?.split(';')[0] ?? '');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Sends XML, with the version in force unless another is given. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  async sendXml<T = any>(
    method: string,
    path: string,
    xml: string,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const version = headers['if-match'] ?? (await this.etag());
    return this.send(method, path, xml, { 'content-type': 'application/xml', ...headers, 'if-match': version });
  }

  async etag(): Promise<string> {
    return (await this.get('config')).headers.get('etag')!;
  }

  /** Until the crawler has read all there is and the sink has it; resolves with the crawler's view. */
  async caughtUp(documents?: number): Promise<CrawlerDto> {
    for (;;) {
      const { body } = await this.get<CrawlerDto>('crawlers/test');
      const ended = body.idle && body.pendingOrders === 0 && body.indexed > 0;
      if (ended && (documents === undefined || body.indexed === documents)) return body;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Orders that reached the sink, as `add /path` and `delete /path`. */
  get pushed(): string[] {
    const lines = readFileSync(join(this.folder, 'orders.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line)).map(({ kind, uri }) => `${kind} ${new URL(uri).pathname}`);
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.site.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configuration(
  site: FakeSite,
  folder: string,
  { crawler = RULES, attributes = '', fetcher = '', more = '' }: WorldOptions,
): string {
  return `<?xml version="1.0"?>
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false" ${attributes}>
    ${crawler.replaceAll('SITE', site.origin)}
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${fetcher}</cw:Fetcher>
  <cw:Sink name="main" type="file" url="${join(folder, 'orders.jsonl')}"/>${more}
</CrawlConfig>
`;
}
