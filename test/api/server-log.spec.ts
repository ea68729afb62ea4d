/** What a collector of logs and an operator get from the server as a process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FakeSite } from '../support/fake-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { Program } from './program.js';

vi.setConfig({ testTimeout: 120_000 });

const KEY = 'ada:admin:0123456789abcdef0123456789abcdef';

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

async function logOf(level: string): Promise<{ lines: Line[]; fetches: Record<string, unknown>[] }> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  site.page('/', ['/a.html']).page('/a.html');
  const folder = temporaryDirectory();
  const [config, fetchLog] = [join(folder, 'CrawlConfig.xml'), join(folder, 'fetches.jsonl')];
  writeFileSync(
    config,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
      <Crawler name="test" throttleTimeMS="0" crawlSitemaps="false"><Root url="${site.url('/')}"/><cw:PushTo sink="main"/></Crawler>
      <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
      <cw:Sink name="main" type="file" url="orders.jsonl"/></CrawlConfig>`,
  );
  const args = ['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0', '--fetch-log', fetchLog];
  const server = new Program(args, { env: { CRAWLWAY_LOG_LEVEL: level, CRAWLWAY_API_KEYS: KEY } });
  const url = (await server.said(/ready.*?(http:\/\/127\.0\.0\.1:\d+)/))[1]!;
  const wrong = await fetch(`${url}/api/v1/crawlers`, { headers: { authorization: 'Bearer wrong' } });
  expect(wrong.status).toBe(401);
  await server.said(/crawler test has visited everything/);
  server.signal('SIGTERM');
  const { code, stdout } = await server.ended;
  expect(code).toBe(0);
  const parse = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  // A page is logged when its visit has ended, which may be after those that its links began.
  const fetches = parse(readFileSync(fetchLog, 'utf8')).sort((a, b) => (a.url < b.url ? -1 : 1));
  return { lines: parse(stdout), fetches };
}

it('the log has JSON lines with level names and ISO times of what an operator needs to know', async () => {
  const { lines, fetches } = await logOf('info');
  for (const { level, time } of lines) {
    expect(['info', 'warn']).toContain(level);
    expect(new Date(String(time)).toISOString()).toBe(time);
  }
  const reported = lines.map(({ msg }) => msg);
  expect(reported.join('\n')).toMatch(/^crawler test has visited everything that is due/m);
  expect(reported).toContain('a call was refused');
  expect(reported.at(-2)).toMatch(/^SIGTERM received/);
  expect(reported.at(-1)).toBe('the server has stopped');
  expect(fetches).toMatchObject([
    { url: expect.stringMatching(/\/$/), status: 200, outcome: 'document' },
    { url: expect.stringMatching(/\/a\.html$/), status: 200, outcome: 'document' },
  ]);
});

it('the log has more lines at each finer level', async () => {
  const { lines } = await logOf('trace');
  const levels = new Set(lines.map(({ level }) => level));
  expect([...levels]).toEqual(expect.arrayContaining(['info', 'debug', 'trace']));
  expect(lines.filter(({ level, msg }) => level === 'debug' && msg === 'visited')).toHaveLength(2);
  expect(lines.filter(({ level, msg }) => level === 'trace' && msg === 'order').length).toBeGreaterThan(0);
});
