import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { checkConfigurations } from '../../src/cli/check.js';
import { ServerClient } from '../../src/cli/client.js';
import { printCompletion } from '../../src/cli/completion.js';
import { runDoctor } from '../../src/cli/doctor.js';
import { explain } from '../../src/cli/explain.js';
import { testSinks } from '../../src/cli/sinks.js';
import { showStatus } from '../../src/cli/status.js';
import { deleteUrls, listRefusedLinks, listRoots } from '../../src/cli/urls.js';
import { ApiWorld } from './api-world.js';
import { printed } from './printed.js';
import { Program } from './program.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
  vi.stubEnv('CRAWLWAY_FILE_SINKS', world.folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  return world.stop();
});
afterEach(() => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

it('with --json every result is one JSON document', async () => {
  const server = { server: world.server.url, json: true };
  const answers = {
    status: JSON.parse(await printed(() => showStatus(server))),
    roots: JSON.parse(await printed(() => listRoots(server))),
    refused: JSON.parse(await printed(() => listRefusedLinks(server))),
    explain: JSON.parse(await printed(() => explain(world.site.url('/a.html'), server))),
    check: JSON.parse(await printed(() => checkConfigurations([world.configFile], { json: true }))),
  };
  expect(answers).toMatchObject({
    status: { crawlers: [{ name: 'test', indexed: 4 }], sinks: [{ name: 'main', type: 'file' }] },
    roots: [{ url: `${world.site.origin}/`, origin: 'configuration', state: { status: 'indexed' } }],
    refused: [],
    explain: [{ crawler: 'test', headline: { fate: 'in-index' } }],
    check: [],
  });
  expect(await printed(() => listRoots({ server: world.server.url }))).toMatch(
    /^CRAWLER {2}STATUS.*\ntest +indexed .* configuration {2}http/,
  );
});

it('check and explain read a configuration whose secrets are not set here', async () => {
  const config = join(world.folder, 'secrets.xml');
  const sink = `<cw:Sink name="s" type="json" url="https://x.example/" secret="\${CRAWLWAY_SECRET_ELSEWHERE}"/>`;
  const crawler = '<Crawler name="narrow"><Root url="https://y.example/a.html"/><cw:PushTo sink="main"/></Crawler>';
  const unset = `\${CRAWLWAY_SECRET_ELSEWHERE}`;
  const others = `<cw:Webhook name="w" url="${unset}" secret="${unset}"/><cw:Fetcher name="f"><cw:BotAuth key="${unset}"
    agent="https://x.example/"/><cw:Login name="l" type="basic" url="https://y.example/" user="u" password="${unset}"/></cw:Fetcher>`;
  const read = (): string => readFileSync(world.configFile, 'utf8');
  const xml = read().replace('</CrawlConfig>', `${crawler}${others}${sink}</CrawlConfig>`);
  writeFileSync(config, xml);
  expect(await printed(() => explain(world.site.url('/a.html'), { config }))).toMatch(/accepts it/);
  const problems = JSON.parse(await printed(() => checkConfigurations([config], { json: true })));
  expect(problems.map(({ code }: { code: string }) => code)).toEqual(['outside-sites']);
  // What an address in a variable is good for is not known.
  writeFileSync(config, xml.replace('type="json" url="https://x.example/"', `type="kafka" topic="t" url="${unset}"`));
  expect(await printed(() => checkConfigurations([config]))).toBe('');
  expect(process.env['CRAWLWAY_SECRET_ELSEWHERE']).toBeUndefined();
});

it('without a server and a configuration, explain names both', async () => {
  const env = { CRAWLWAY_PORT: '1', CRAWLWAY_CONFIG: join(world.folder, 'none.xml') };
  const { stderr, code } = await new Program(['explain', 'https://y.example/'], { env }).ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(/no server is responding at .*:1, and there is no config/)]);
});

it('--crawler is required only where there is a choice', async () => {
  const several = createServer((request, response) => {
    const [, crawler, list] = /^\/api\/v1\/crawlers(?:\/(\w+)\/(\w+))?/.exec(request.url!)!;
    const root = { url: `http://${crawler}.example/`, origin: 'configuration' };
    const link = { reason: 'not-accepted', host: `${crawler}.example`, count: 2, samples: [] };
    const items = list === 'roots' ? [root] : list === 'refused' ? [link] : [{ name: 'one' }, { name: 'two' }];
    response.end(JSON.stringify({ items, next: null }));
  });
  await new Promise<void>((resolve) => several.listen(0, '127.0.0.1', resolve));
  const server = `http://127.0.0.1:${(several.address() as { port: number }).port}`;
  expect(await printed(() => listRoots({ server }))).toMatch(/one +rejected .*one\.example\/\ntwo +rejected/);
  expect(JSON.parse(await printed(() => listRefusedLinks({ server, json: true })))).toMatchObject([
    { crawler: 'one', count: 2 },
    { crawler: 'two', count: 2 },
  ]);
  await expect(deleteUrls('http://one.example/*', { server })).rejects.toThrow('choose one with --crawler (one, two)');
  several.close();
});

it('a pattern that matches nothing has a result, too', async () => {
  const server = { server: world.server.url, json: true };
  expect(JSON.parse(await printed(() => deleteUrls('http://nowhere.example/*', server)))).toEqual({
    crawler: 'test',
    deleted: 0,
  });
});

it('the documentation has a row for every command, and a wrong command prints three lines', async () => {
  const bash = (await new Program(['completion', 'bash']).ended).stdout;
  const commands = [...bash.matchAll(/"([a-z ]+)"\) candidates=/g)].map(([, path]) => path!);
  const page = readFileSync('docs/command-line.md', 'utf8');
  const groups = commands.filter((path) => commands.some((other) => other.startsWith(`${path} `)));
  expect(commands.length).toBeGreaterThan(25);
  expect(commands.filter((path) => !groups.includes(path) && !page.includes(`\`${path}`))).toEqual([]);
  const { stderr, code } = await new Program(['explian']).ended;
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    "error: unknown command 'explian'",
    '(Did you mean explain?)',
    expect.stringMatching(/^"crawlway --help"/),
  ]);
  for (const [args, said] of [
    [['help', 'explian'], /^error: unknown command 'explian'\n/],
    [['sinks', 'help', 'tset'], /^error: unknown command 'tset'\n/],
  ] as const) {
    const help = await new Program([...args]).ended;
    expect([help.code, help.stderr.trim()]).toEqual([1, expect.stringMatching(said)]);
  }
});

it('a sink is tested without an order, from the active configuration and from a draft', async () => {
  const before = world.pushed.length;
  expect(JSON.parse(await printed(() => testSinks('main', { config: world.configFile, json: true })))).toMatchObject([
    { name: 'main', ok: true, message: "The sink's folder is writable." },
  ]);
  // The sink creates its folder, as the server does with the data directory.
  const config = join(world.folder, 'new-folder.xml');
  writeFileSync(config, readFileSync(world.configFile, 'utf8').replace('/orders.jsonl', '/new/folder/orders.jsonl'));
  expect(JSON.parse(await printed(() => testSinks('main', { config, json: true })))).toMatchObject([{ ok: true }]);
  expect((await world.send('POST', 'sinks/main/test')).body).toMatchObject({ ok: true });
  expect((await world.send('POST', 'sinks/other/test')).status).toBe(404);

  const receiver = createServer((request, response) =>
    response.writeHead(request.headers.authorization ? 200 : 401).end('{}'),
  );
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as { port: number };
  const draft = (attributes: string) =>
    world
      .configuration()
      .replace(
        '</CrawlConfig>',
        `<cw:Sink name="new" type="opensearch" url="http://127.0.0.1:${port}" index="i" ${attributes}/></CrawlConfig>`,
      );
  const tried = async (attributes: string) =>
    (await world.send('POST', 'config/test-sink?sink=new', draft(attributes), { 'content-type': 'application/xml' }))
      .body;
  await world.send('PUT', 'secrets/new', { value: 'b' });
  expect(await tried(`login="a" password="\${secret:new}"`)).toMatchObject({ name: 'new', ok: true });
  expect(await tried('')).toMatchObject({ ok: false, message: expect.stringContaining('401') });
  receiver.close();
  expect(await tried('')).toMatchObject({ ok: false, message: expect.stringMatching(/refused|ECONNREFUSED/) });
  expect(world.pushed).toHaveLength(before);
});

it('doctor checks what a crawl needs, and fails when a check does', async () => {
  const found = async (config: string) =>
    JSON.parse(await printed(() => runDoctor({ config, data: join(world.folder, 'data'), json: true }))) as {
      what: string;
      state: string;
    }[];
  const states = Object.fromEntries((await found(world.configFile)).map(({ what, state }) => [what, state]));
  expect(states).toMatchObject({ Node: 'ok', configuration: 'ok', DNS: 'ok', 'sink main': 'ok', clock: 'ok' });
  expect(process.exitCode).toBe(0);
  const withOcr = join(world.folder, 'ocr.xml');
  const extractor = '<cw:Extractor type="documents" ocr="eng xyz"/></CrawlConfig>';
  writeFileSync(withOcr, readFileSync(world.configFile, 'utf8').replace('</CrawlConfig>', extractor));
  expect(await found(withOcr)).toContainEqual({
    what: 'OCR',
    state: 'warning',
    message: expect.stringContaining('run `npm install @tesseract.js-data/xyz`'),
  });
  const notAllowed = join(world.folder, 'private.xml');
  writeFileSync(notAllowed, readFileSync(world.configFile, 'utf8').replace('cidr="127.0.0.0/8"', 'cidr="10.0.0.0/8"'));
  expect(await found(notAllowed)).toContainEqual({
    what: 'DNS',
    state: 'failed',
    message: '127.0.0.1: 127.0.0.1 is not public, and no AllowAddress of the fetcher default allows it',
  });
  expect((await found(join(world.folder, 'none.xml')))[1]).toMatchObject({ what: 'configuration', state: 'failed' });
  expect(process.exitCode).toBe(1);
});

it('doctor does not fail before the first start because the bundled index is not running yet', async () => {
  const folder = join(world.folder, 'first');
  mkdirSync(folder);
  const config = join(folder, 'CrawlConfig.xml');
  // A port that was free a moment ago: a sample may be running on the usual one.
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  writeFileSync(config, readFileSync('CrawlConfig.xml.example', 'utf8').replaceAll('8742', `${port}`));
  writeFileSync(join(folder, 'sample.json'), JSON.stringify({ site: 8741, index: port }));
  const found = JSON.parse(await printed(() => runDoctor({ config, data: folder, json: true }))) as { what: string }[];
  expect(found).toContainEqual({
    what: 'sink main',
    state: 'warning',
    message: expect.stringContaining('crawlway serve starts it'),
  });
  expect(process.exitCode).toBe(0);
});

it('an unknown or missing key is reported with the variable that contains it', async () => {
  const server = createServer((_, response) => response.writeHead(401).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const call = (env: NodeJS.ProcessEnv) =>
    new ServerClient({ server: `http://127.0.0.1:${port}` }, env).listCrawlerNames();
  await expect(call({ CRAWLWAY_API_KEY: 'wrong' })).rejects.toThrow(/does not recognize the key in CRAWLWAY_API_KEY/);
  await expect(call({})).rejects.toThrow(/requires a key: set CRAWLWAY_API_KEY/);
  server.close();
});

it('shell completion has every command and option', async () => {
  const program = new Command('crawlway');
  program.command('sinks').command('test').option('--json');
  const bash = await printed(() => printCompletion(program, 'bash'));
  expect(bash).toContain('"sinks test") candidates="--json --help"');
  expect(await printed(() => printCompletion(program, 'zsh'))).toMatch(/^#compdef crawlway/);
  expect(await printed(() => printCompletion(program, 'fish'))).toContain('-a test');
});

it('the documentation is served at /help, and nothing outside of it', async () => {
  const page = await world.get('/help/');
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining("script-src 'self'"),
  ]);
  expect((await world.get('/help/how-to.html')).text).toContain('<h1 id="how-tos">');
  expect((await world.get('/help/nothing.html')).status).toBe(404);
  expect((await world.get('/help/..%2f..%2fpackage.json')).status).not.toBe(200);
});

it('the URLs that match a filter are exported as CSV and as JSON lines', async () => {
  const csv = await world.get('crawlers/test/urls/export?status=indexed');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, ...rows] = csv.text.trimEnd().split('\r\n');
  expect(head).toMatch(/^url,status,reason,/);
  expect(rows).toHaveLength(4);
  expect(rows).toContainEqual(expect.stringContaining(`${world.site.url('/a.html')},indexed,`));
  const lines = (await world.get('crawlers/test/urls/export?format=ndjson')).text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).status).sort()).toEqual(['error', ...Array(4).fill('indexed')]);
  expect((await world.get('crawlers/nobody/urls/export')).status).toBe(404);
});
