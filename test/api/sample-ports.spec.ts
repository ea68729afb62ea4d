import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { runningIndex } from '../support/push-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

vi.setConfig({ testTimeout: 120_000 });

/** Somebody else's program on a port of the sample; another one has it already when this machine runs a sample. */
async function takePort(port: number): Promise<string[]> {
  const requests: string[] = [];
  const other = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end('1');
  });
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.once('error', () => resolve()).listen(port, '127.0.0.1', resolve));
  return requests;
}

async function sample(folder: string, { data = 'data', samplePort }: { data?: string; samplePort?: string } = {}) {
  const config = join(folder, 'CrawlConfig.xml');
  const said: string[] = [];
  const note = (message: string): void => void said.push(message);
  const log = { debug: () => {}, info: note, warn: note, error: note };
  const server = await serve(readServerOptions({ config, data: join(folder, data), port: '0', samplePort }, {}), {
    log,
    withSample: true,
  });
  const close = vi.fn(() => server.close());
  onTestFinished(() => void (close.mock.calls.length === 0 && close()));
  return { server, said, close, config };
}

const sinkOf = async ({ url }: RunningServer) =>
  ((await (await fetch(`${url}/api/v1/sinks`)).json()) as { items: Record<string, unknown>[] }).items[0]!;

const indexed = async ({ url }: RunningServer): Promise<number> =>
  ((await (await fetch(`${url}/api/v1/crawlers/sample`)).json()) as { indexed: number }).indexed;

it('the sample never crawls or pushes to a port of another program, and keeps its new port', async () => {
  const folder = temporaryDirectory();
  copyFileSync('CrawlConfig.xml.example', join(folder, 'CrawlConfig.xml'));
  const foreign = await Promise.all([takePort(8741), takePort(8742)]);
  const first = await sample(folder);
  await expect.poll(() => indexed(first.server)).toBeGreaterThan(5);
  // Each is asked once whether it is the sample of a server with this configuration.
  expect(foreign.flat()).toEqual(['HEAD /', 'HEAD /']);
  expect(first.said.filter((line) => /is in use by another program/.test(line))).toHaveLength(2);

  const { searchPage, connector } = await sinkOf(first.server);
  const index = new URL(String(searchPage)).origin;
  expect(index).not.toBe('http://127.0.0.1:8742');
  expect(readFileSync(first.config, 'utf8')).toContain(`url="${index}"`);
  expect(connector).toMatch(/^crawlway-[0-9a-f]{6}$/);
  await expect
    .poll(async () => ((await (await fetch(`${index}/status`)).json()) as { documents: number }).documents)
    .toBeGreaterThan(5);
  await first.close();

  const second = await sample(folder);
  expect(await sinkOf(second.server)).toMatchObject({ searchPage, connector });
  expect(second.said.filter((line) => /is taken/.test(line))).toEqual([]);
});

it('a second server in the same folder exits without changing the files of the first one', async () => {
  const folder = temporaryDirectory();
  copyFileSync('CrawlConfig.xml.example', join(folder, 'CrawlConfig.xml'));
  const first = await sample(folder);
  const before = readFileSync(first.config, 'utf8');
  await expect(sample(folder)).rejects.toThrow('is in use by another server');
  expect(readFileSync(first.config, 'utf8')).toBe(before);
});

it('a second server with another data folder does not change the configuration that the first one has in force', async () => {
  const folder = temporaryDirectory();
  copyFileSync('CrawlConfig.xml.example', join(folder, 'CrawlConfig.xml'));
  const first = await sample(folder, { samplePort: '28741' });
  const before = readFileSync(first.config, 'utf8');
  expect(before).toContain('<Root url="http://127.0.0.1:28741/"/>');
  for (const samplePort of [undefined, '28751'])
    await expect(sample(folder, { data: 'other', samplePort })).rejects.toThrow(
      'port 28741 is that of the sample of another server, which has this configuration in force',
    );
  expect(readFileSync(first.config, 'utf8')).toBe(before);
});

it('a sample that was moved starts with a new data folder, too', async () => {
  const folder = temporaryDirectory();
  const moved = readFileSync('CrawlConfig.xml.example', 'utf8').replaceAll(
    /127\.0\.0\.1:874(?=[12])/g,
    '127.0.0.1:887',
  );
  writeFileSync(join(folder, 'CrawlConfig.xml'), moved);
  const { server, config } = await sample(folder);
  await expect.poll(() => indexed(server)).toBeGreaterThan(5);
  expect(readFileSync(config, 'utf8')).toBe(moved);
});

it("a sink that holds another server's documents under the same name is reported before anything is pushed", async () => {
  const site = await runningIndex(); // any site will do: its search page
  const index = await runningIndex();
  const origin = (running: { url: string }) => running.url;
  const form = new FormData();
  form.append('PAPI_0:uri', 'http://theirs.example/');
  form.append('PAPI_0:part_bytes:master', new Blob(['theirs'], { type: 'text/plain' }), 'a.txt');
  await fetch(`${index.url}/papi/4/connectors/shared/add_documents`, { method: 'POST', body: form });
  const folder = temporaryDirectory();
  writeFileSync(
    join(folder, 'CrawlConfig.xml'),
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
      <Crawler name="sample" throttleTimeMS="0"><Root url="${origin(site)}/"/><cw:PushTo sink="main"/></Crawler>
      <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
      <cw:Sink name="main" type="papi" url="${index.url}" connector="shared"/></CrawlConfig>`,
  );
  const { server, said } = await sample(folder);
  await expect.poll(() => indexed(server)).toBeGreaterThan(0);
  expect(await sinkOf(server)).toMatchObject({
    connector: 'shared',
    warning: expect.stringContaining('(1 of the 1 examined, such as http://theirs.example/)'),
  });
  expect(said).toContain("a sink holds documents that are not this server's");
});

it.each([true, false])(
  'a server whose port is taken leaves the configuration unchanged, and reports it once (sample: %s)',
  async (withSample) => {
    const folder = temporaryDirectory();
    const config = join(folder, 'CrawlConfig.xml');
    copyFileSync('CrawlConfig.xml.example', config);
    await Promise.all([takePort(8741), takePort(8742)]);
    const taken = createServer();
    onTestFinished(() => void taken.close());
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const said: string[] = [];
    const note = (message: string): void => void said.push(message);
    const log = { debug: () => {}, info: note, warn: note, error: note };
    const options = readServerOptions({ config, data: join(folder, 'data'), port: `${port}` }, {});
    await expect(serve(options, { log, withSample })).rejects.toThrow(
      /is in use by another program; choose a different one/,
    );
    expect(readFileSync(config, 'utf8')).toBe(readFileSync('CrawlConfig.xml.example', 'utf8'));
    expect(said.filter((line) => /8741|8742|EADDRINUSE/.test(line))).toEqual([]);
  },
);
