/** `crawlway secrets`: from a file with passwords to one that can be shown to everybody, and on to a second machine. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { Program } from './program.js';

vi.setConfig({ testTimeout: 120_000 });

const XML = `<?xml version="1.0"?>
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">\r
  <!-- kept   as it is -->
  <Crawler name="docs"><Root url="http://127.0.0.1:1/"/><cw:Servers file="indexer.conf"/></Crawler>
  <cw:Sink name="main" type="papi" url="http://127.0.0.1:1/"\tlogin='push' password='it&apos;s hunter2' />
  <cw:Fetcher name="default"><cw:Header name="Authorization" value="Bearer hunter3"/></cw:Fetcher>
</CrawlConfig>
`;
const CONF = '# ours\r\nAuthBasic ada:hunter4\r\nServer http://127.0.0.1:1/\r\n';

interface Machine {
  readonly config: string;
  readonly conf: string;
  readonly data: string;
  readonly run: (args: readonly string[], input?: string) => Promise<{ code: number | null; output: string }>;
}

function machine(xml = XML, conf = CONF): Machine {
  const folder = temporaryDirectory();
  const [config, confFile, data] = ['CrawlConfig.xml', 'indexer.conf', 'data'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(config, xml);
  writeFileSync(confFile, conf);
  // No server is meant to respond there.
  const env = { CRAWLWAY_PORT: '1', CRAWLWAY_CONFIG: config, CRAWLWAY_DATA: data };
  return {
    config,
    conf: confFile,
    data,
    run: async (args, input) => {
      const program = new Program(args, { env, cwd: folder });
      if (input !== undefined) program.input(input);
      const { code, stdout, stderr } = await program.ended;
      return { code, output: stdout + stderr };
    },
  };
}

it('a file with secrets is imported, byte for byte the same elsewhere, and checked on a second machine', async () => {
  const first = machine();
  chmodSync(first.config, 0o640);
  const warned = await first.run(['check']);
  expect(warned).toEqual({
    code: 0,
    output: expect.stringMatching(/literal-secret 3 secrets .*crawlway secrets import/),
  });
  expect(warned.output).toContain('0 errors, 1 warning');

  const imported = await first.run(['secrets', 'import']);
  expect(imported.code, imported.output).toBe(0);
  expect(imported.output).toContain(`password of Sink main is now \${secret:sink-main-password}`);
  expect(imported.output).toContain('3 secrets stored');
  const [xml, conf] = [readFileSync(first.config, 'utf8'), readFileSync(first.conf, 'utf8')];
  expect(xml).toBe(
    XML.replace('it&apos;s hunter2', `\${secret:sink-main-password}`).replace(
      'Bearer hunter3',
      `\${secret:fetcher-default-header-authorization}`,
    ),
  );
  expect(conf).toBe(CONF.replace('ada:hunter4', `\${secret:indexer-conf-authbasic}`));
  expect(statSync(first.config).mode & 0o777).toBe(0o640);
  expect(await first.run(['check'])).toEqual({ code: 0, output: expect.stringContaining('0 errors, 0 warnings') });
  expect(await first.run(['secrets', 'import'])).toEqual({
    code: 0,
    output: expect.stringContaining('contains no secrets as plain text'),
  });

  const second = machine(xml, conf);
  const missing = await second.run(['check']);
  expect(missing.code).toBe(1);
  for (const name of ['sink-main-password', 'fetcher-default-header-authorization', 'indexer-conf-authbasic'])
    expect(missing.output).toMatch(
      new RegExp(
        `:\\d+:\\d+ unknown-secret there is no secret named ${name}: set it with crawlway secrets set ${name}`,
      ),
    );
  expect(existsSync(second.data)).toBe(false);
  expect((await second.run(['secrets', 'set', 'sink-main-password'], 'hunter2\n')).code).toBe(0);
  expect((await second.run(['secrets', 'set', 'fetcher-default-header-authorization'], 'Bearer x')).code).toBe(0);
  expect((await second.run(['secrets', 'set', 'indexer-conf-authbasic'], 'ada:y\r\n')).code).toBe(0);
  expect(await second.run(['check'])).toEqual({ code: 0, output: expect.stringContaining('0 errors, 0 warnings') });

  const outputs = [warned, imported, missing, await second.run(['secrets', 'list'])].map(({ output }) => output);
  expect(outputs.join()).not.toContain('hunter');
  expect(outputs.at(-1)).toMatch(/sink-main-password +20.*command line .*CrawlConfig\.xml:5:\d+/);
  expect(readFileSync(join(second.data, 'crawlway.sqlite'), 'latin1')).not.toContain('hunter');
});

it('an unused secret is removed, and one that is used is kept, with its place', async () => {
  const { run, config } = machine(XML.replace(/'it.*'/, `'\${secret:push}'`), CONF);
  for (const name of ['push', 'spare']) expect((await run(['secrets', 'set', name], 'x')).code).toBe(0);
  expect(await run(['secrets', 'remove', 'push'])).toEqual({
    code: 1,
    output: expect.stringContaining(`refers to the secret push (${config}:5:`),
  });
  expect((await run(['secrets', 'remove', 'spare'])).code).toBe(0);
  expect(await run(['secrets', 'remove', 'spare'])).toEqual({
    code: 1,
    output: expect.stringContaining('there is no secret named spare'),
  });
  const { output } = await run(['secrets', 'list', '--json']);
  expect(JSON.parse(output)).toMatchObject([
    { name: 'push', setBy: 'command line', uses: [{ file: config, line: 5 }] },
  ]);
});

it('what cannot be imported or stored is left as it is, with the reason', async () => {
  const { run, config, data } = machine(XML.replace('type="papi"', 'type="pappi"'));
  const before = readFileSync(config, 'utf8');
  expect(await run(['secrets', 'import'])).toEqual({ code: 1, output: expect.stringContaining('bad-value') });
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect(existsSync(data)).toBe(false);
  expect(await run(['secrets', 'set', 'a b'], 'x')).toEqual({
    code: 1,
    output: expect.stringContaining('is not a name'),
  });
  expect(await run(['secrets', 'set', 'a'], '\n')).toEqual({ code: 1, output: expect.stringContaining('a is empty') });
  expect(await run(['secrets', 'set', 'a'], 'hunter2'.repeat(20_000))).toEqual({
    code: 1,
    output: expect.stringMatching(/^(?!.*hunter).*larger than 65536 bytes/s),
  });
});

it('a running server is asked, and its database is not touched behind its back', async () => {
  const { run, data, config } = machine(XML.replace(/'it.*'/, `'\${secret:push}'`));
  expect((await run(['secrets', 'set', 'push'], 'first')).code).toBe(0);
  const server = new Program(['serve', '--config', config, '--data', data, '--port', '0', '--no-sample']);
  const [, url] = await server.said(/ready.*?(http:\/\/127\.0\.0\.1:\d+)/);
  expect(await run(['secrets', 'set', 'push', '--data', data], 'x')).toEqual({
    code: 1,
    output: expect.stringContaining('is running: specify its address with --server'),
  });
  expect((await run(['secrets', 'set', 'push', '--server', url!], 'second')).code).toBe(0);
  await server.said(/a secret of the configuration has changed/);
  expect((await run(['secrets', 'list', '--server', url!])).output).toMatch(/push +20\d\d-.* local /);
  expect((await run(['secrets', 'remove', 'push', '--server', url!])).output).toContain(
    'Remove these references first',
  );
  server.signal('SIGTERM');
  expect((await server.ended).code).toBe(0);

  writeFileSync(join(data, 'secret.key'), `${'0'.repeat(64)}\n`);
  const strange = await new Program(['serve', '--config', config, '--data', data, '--port', '0', '--no-sample']).ended;
  expect(strange.code).toBe(1);
  expect(strange.stderr).toMatch(/encrypted with a different key.*CRAWLWAY_ENCRYPTION_KEY.*secret\.key/s);
});
