/**
 * Secrets are planted in every place where one may stand; then comes a day's work. No answer, no file below the data folder and no line of
 * the log has any of them, and each one that is for a server arrives there.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { FakeSite } from '../support/fake-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { Program } from './program.js';

vi.setConfig({ testTimeout: 180_000 });

/** Every secret has its number in its name; the name of its place is for whoever reads a failure. */
class Planted {
  readonly places: string[] = [];

  secret(place: string): string {
    this.places.push(place);
    return `PlAnT${String(this.places.length).padStart(3, '0')}eD`;
  }

  /** The places whose secrets the text shows, plain or as part of a Basic login. */
  foundIn(text: string): string[] {
    const texts = [text, decodeURIComponentLoosely(text), ...base64Texts(text)];
    const numbers = texts.flatMap((each) => [...each.matchAll(/PlAnT(\d{3})eD/g)].map(([, number]) => Number(number)));
    return [...new Set(numbers)].map((number) => this.places[number - 1] ?? `number ${number}`);
  }
}

const decodeURIComponentLoosely = (text: string): string =>
  text.replace(/%[0-7][\da-f]/gi, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)));

const base64Texts = (text: string): string[] =>
  [...text.matchAll(/[A-Za-z0-9+/]{16,512}={0,2}/g)].map(([word]) => Buffer.from(word, 'base64').toString('latin1'));

/**
 * A receiver that notes what it is sent, and repeats it in its answer when it refuses: every second call with 422, since a
 * sink that refuses every order is ill, and its orders wait.
 */
async function receiver(wanted: number) {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const text = JSON.stringify({ url: request.url, headers: request.headers });
    seen.push(text);
    const status = wanted === 422 && seen.length % 2 === 0 ? 200 : wanted;
    request.resume().on('end', () => response.writeHead(status).end(status === 200 ? '{}' : text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Receiver = Awaited<ReturnType<typeof receiver>>;
type Receivers = Readonly<Record<'good' | 'refusing' | 'failing', Receiver>>;

function configuration(site: FakeSite, to: Receivers, planted: Planted): string {
  const s = (place: string): string => planted.secret(place);
  const bare = site.origin.slice('http://'.length);
  return `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1" xmlns:my="urn:my">
  <!-- <cw:Sink name="x" password="${s('comment: password')}" apiKey='${s('comment: apiKey')}' secret="${s('comment: secret')}"/> -->
  <!-- <cw:Sink name="x" pass="${s('comment: pass')}"/> <cw:Header name="Authorization" value="${s('comment: Authorization')}"/> -->
  <!-- <cw:Proxy url="http://u:p@${s('comment: password with @')}@h/"/> -->
  <!-- <cw:Sink password="${s('comment: broken element')} -->
  <!-- password: ${s('comment: words')} -->
  <!-- http://${s('comment: token without colon')}@h/ -->
  <?note token="${s('processing instruction')}"?>
  <my:Thing apiToken="${s('unknown attribute')}" my:pwd="${s('unknown attribute with prefix')}"/>
  <my:password>${s('text of an unknown element')}</my:password>
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.origin}/" site="true"/>
    <cw:Servers file="indexer.conf" followOutside="true">
      <cw:Server url="${site.origin}/server/" authentication="user:${s('Server authentication')}"/>
      <cw:Parameters authentication="user:${s('Parameters authentication')}"/>
      <cw:Server url="${site.origin}/parameters/"/>
    </cw:Servers>
    <cw:Conditions>
      <cw:option name="header" value="X-Api-Key: ${s('option header')}"/>
      <cw:apply-for field="path" value="/option/*"><cw:option name="credentials" value="user:${s('option credentials')}"/></cw:apply-for>
      <cw:apply-for field="path" value="/proxied/*"><cw:option name="proxy" value="http://user:${s('option proxy')}@127.0.0.1:1"/></cw:apply-for>
    </cw:Conditions>
    <cw:PushTo sink="good"/><cw:PushTo sink="refusing"/>
  </Crawler>
  <Crawler name="other" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.origin}/other/" site="true"/>
    <cw:PushTo sink="failing"/><cw:PushTo sink="down"/><cw:PushTo sink="unauthorized"/><cw:PushTo sink="written"/>
  </Crawler>
  <Crawler name="proxied" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.origin}/through/" site="true"/>
    <cw:FetchWith fetcher="other"/>
    <cw:PushTo sink="written"/>
  </Crawler>
  <cw:Fetcher name="default">
    <cw:AllowAddress cidr="127.0.0.0/8"/>
    <cw:Credential url="http://${bare}/credential/" user="user" password="${s('Credential password')}"/>
    <cw:Credential url="http://${bare}/at/" user="user" password="p@${s('Credential password with @')}"/>
    <cw:Header name="Authorization" value="Bearer ${s('Header Authorization')}"/>
    <cw:Header name="Cookie" value="id=${s('Header Cookie')}"/>
    <cw:Header name="X-Auth" value="\${CRAWLWAY_SECRET_HEADER}"/>
  </cw:Fetcher>
  <cw:Fetcher name="other">
    <cw:AllowAddress cidr="127.0.0.0/8"/>
    <cw:Proxy url="http://user:p%40${s('Proxy password')}@127.0.0.1:1"/>
  </cw:Fetcher>
  <cw:Sink name="good" type="json" url="http://${to.good.host}/hook?key=${s('sink query key')}&amp;accessToken=${s('sink query')}"
    login="user" password="${s('sink password')}" secret="${s('sink secret')}" batchAgeMS="1"/>
  <cw:Sink name="refusing" type="json" url="http://${s('sink user of URL')}:p%40${s('sink password of URL')}@${to.refusing.host}/hook?${s('sink query without name')}"
    secret="\${CRAWLWAY_SECRET_SIGNATURE}" batchAgeMS="1"/>
  <cw:Sink name="failing" type="elasticsearch" index="i" url="http://${to.failing.host}" apiKey="${s('sink apiKey')}" batchAgeMS="1"/>
  <cw:Sink name="down" type="solr" index="i" url="http://user:${s('down sink password of URL')}@127.0.0.1:1" batchAgeMS="1"/>
  <cw:Sink name="unauthorized" type="papi" url="http://${to.failing.host}" login="user" password="\${CRAWLWAY_SECRET_PASSWORD}" batchAgeMS="1"/>
  <cw:Sink name="written" type="file" url="orders.jsonl"/>
</CrawlConfig>`;
}

const indexerConf = (site: FakeSite, planted: Planted): string => `AuthBasic user:${planted.secret('AuthBasic')}
Server ${site.origin}/conf/
# AuthBasic user:${planted.secret('AuthBasic in a comment')}
ProxyAuthBasic user:${planted.secret('ProxyAuthBasic')}
AuthBassic user:${planted.secret('misspelt AuthBasic')}
DBAddr mysql://user:${planted.secret('DBAddr')}@localhost/
HTTPHeader "X-Key: ${planted.secret('HTTPHeader')}"
# Server http://${planted.secret('URL of a commented-out Server')}@h/
`;

/** Edits of the file that are refused; each is quoted in an error, or might be. */
const mistakes = (xml: string, planted: Planted): string[] => {
  const s = (place: string): string => planted.secret(`wrong: ${place}`);
  const before = (element: string): string => xml.replace('</CrawlConfig>', `${element}</CrawlConfig>`);
  return [
    before(`<cw:Sink name="n" type="json" url="http://u:${s('port')}/x"/>`),
    before(`<cw:Proxi url="http://u:p@${s('misspelt element')}@h/"/>`),
    before(`<cw:Sink name="n" type="json" url="http://h/" pasword="${s('misspelt attribute')}"/>`),
    before(`<cw:Sink name="n" type="json" url="http://h/" password="a"${s('stray quote')}" x="1"/>`),
    before(`<cw:Sink name="n" type="json" url="http://h/" password=${s('no quotes')}/>`),
    before(`<cw:Sink name="n" type="json" url="http://h/" password="a" password="${s('twice')}"/>`),
    before(`<cw:Sink name="n" type="json" url="http://h/" password="${s('never closed')}/>`),
    before(`<cw:Fetcher name="n"><cw:Credential url="http://u:${s('credential URL')}@h/" user="u"/></cw:Fetcher>`),
    before(`<cw:Fetcher name="n"><cw:Proxy url="htp://u:${s('proxy scheme')}@h/"/></cw:Fetcher>`),
    before(`<cw:Fetcher name="n"><cw:Header name="X Y" value="${s('header name')}"/></cw:Fetcher>`),
    before(`<Crawler name="n"><Root url="http://u:${s('root')}@[h/"/></Crawler>`),
    before(
      `<Crawler name="n"><cw:Servers><cw:Server url="http://u:p@${s('server record')}@h/"/></cw:Servers></Crawler>`,
    ),
    before(
      `<Crawler name="n"><cw:Servers><cw:Server url="http://a/" alias="http://u:p@${s('alias')}@h/"/></cw:Servers></Crawler>`,
    ),
  ];
};

const wrongRules = (planted: Planted): string[] => [
  `Server http://u:p@${planted.secret('wrong rules: Server')}@h/\n`,
  `Server http://${planted.secret('wrong rules: token')}@h/ a b\n`,
  `Alias http://u:${planted.secret('wrong rules: Alias')}@h/\n`,
  `AuthBasic ${planted.secret('wrong rules: AuthBasic')}\nServer http://h/\n`,
];

const KEY_NAMES = { read: 'reader', operate: 'operator', admin: 'admin' } as const;

it('no secret leaves the server, except to its own destination', async () => {
  const planted = new Planted();
  const keys = {
    read: planted.secret('read key'),
    operate: planted.secret('operate key'),
    admin: planted.secret('admin key'),
  };
  const folder = temporaryDirectory();
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  const paths = ['/server/', '/parameters/', '/option/', '/proxied/', '/credential/', '/at/', '/conf/', '/plain'];
  for (const path of paths) site.page(path);
  site.page('/', paths).page('/other/');
  const to = { good: await receiver(200), refusing: await receiver(422), failing: await receiver(500) };
  const env = {
    CRAWLWAY_API_KEYS: Object.entries(KEY_NAMES)
      .map(([role, name]) => `${name}:${role}:${keys[role as keyof typeof keys]}`)
      .join(),
    CRAWLWAY_ENCRYPTION_KEY: `${planted.secret('encryption key')}${'x'.repeat(32)}`,
    CRAWLWAY_SECRET_HEADER: planted.secret('variable of a header'),
    CRAWLWAY_SECRET_SIGNATURE: planted.secret('variable of a signature'),
    CRAWLWAY_SECRET_PASSWORD: planted.secret('variable of a password'),
    CRAWLWAY_SECRET_UNUSED: planted.secret('variable that nobody names'),
    SOME_OTHER_SECRET: planted.secret('variable of another program'),
    CRAWLWAY_LOG_LEVEL: 'trace',
  };
  const config = join(folder, 'CrawlConfig.xml');
  const xml = configuration(site, to, planted);
  const rules = indexerConf(site, planted);
  writeFileSync(join(folder, 'indexer.conf'), rules);
  writeFileSync(config, xml);
  const data = join(folder, 'data');
  const server = new Program(['serve', '--config', config, '--data', data, '--port', '0'], { env });
  const [, url] = await server.said(/ready.*?(http:\/\/127\.0\.0\.1:\d+)/);

  const answers: { readonly call: string; readonly text: string }[] = [];
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type = typeof body === 'string' ? 'application/xml' : 'application/json';
    const answer = await fetch(`${url}${path.startsWith('/') ? path : `/api/v1/${path}`}`, {
      method,
      headers: { 'x-api-key': keys.admin, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    answers.push({ call: `${method} ${path}`, text: `${[...answer.headers].join('\n')}\n${text}` });
    return { status: answer.status, text, etag: answer.headers.get('etag') ?? '' };
  };

  // What happens meanwhile, as whoever listens hears it.
  const listening = new AbortController();
  const heard = fetch(`${url}/api/v1/events`, { headers: { 'x-api-key': keys.read }, signal: listening.signal }).then(
    async ({ body }) => {
      const pieces: string[] = [];
      await body!
        .pipeThrough(new TextDecoderStream())
        .pipeTo(new WritableStream({ write: (piece) => void pieces.push(piece) }))
        .catch(() => undefined);
      return pieces.join('');
    },
  );
  await call('POST', 'crawlers/test/start');
  const refused = async () => (await call('GET', 'orders?state=refused')).text.includes('"refused"');
  await expect.poll(refused).toBe(true);
  await expect.poll(() => to.failing.seen.length).toBeGreaterThan(1);
  const asked = (): number =>
    new Set(site.requests.map(({ path }) => path).filter((path) => paths.includes(path))).size;
  await expect.poll(asked).toBe(paths.length - 1);

  // Edits of the file that are refused, over the API and on disk.
  const { text: shown, etag } = await call('GET', 'config');
  const broken = mistakes(xml, planted);
  for (const text of broken) {
    const { text: problems } = await call('POST', 'config/check', text);
    expect(problems, text.slice(-250)).toContain('"valid":false');
    expect((await call('PUT', 'config', text, { 'if-match': etag })).status).toBe(422);
  }
  for (const text of wrongRules(planted)) {
    const draft = { files: { 'indexer.conf': text } };
    await call('POST', 'config/check', draft);
    expect((await call('PUT', 'config', draft, { 'if-match': etag })).status).toBe(422);
  }
  for (const [index, text] of [broken[0]!, broken[3]!, broken[5]!, ...broken.slice(-2)].entries()) {
    writeFileSync(config, text);
    server.signal('SIGHUP');
    await expect
      .poll(() => server.stdout.split('the changed configuration file has errors').length)
      .toBeGreaterThan(index + 1);
    await call('GET', 'config/state');
  }
  writeFileSync(config, xml);
  server.signal('SIGHUP');

  // Until now, all of them are in the file; from now on, in the store.
  const visitsBefore = site.requests.length;
  const commandEnv = { ...env, CRAWLWAY_API_KEY: keys.admin };
  const command = (...args: string[]) => new Program(args, { env: commandEnv }).ended;
  const imported = await command('secrets', 'import', config, '--server', url!);
  expect(imported.stderr).toMatch(/^\d\d secrets stored/);
  expect(readFileSync(config, 'utf8')).toBe(shown);
  const listed = await command('secrets', 'list', '--server', url!);
  expect((await call('PUT', 'secrets/spare', { value: planted.secret('secret in a call') })).status).toBe(200);
  expect((await call('PUT', 'secrets/sp are', { value: planted.secret('wrong secret in a call') })).status).toBe(422);

  // What an administrator does all day.
  const edited = shown.replace('throttleTimeMS="0"', 'throttleTimeMS="1"');
  await call('POST', 'config/preview', edited);
  const change = async () => {
    const { etag: current } = await call('GET', 'config');
    return (await call('PUT', 'config?confirm=true', edited, { 'if-match': current })).status;
  };
  await expect.poll(change).toBe(200);
  expect(readFileSync(config, 'utf8')).toBe(edited);
  expect((await call('POST', 'config/versions/1/restore?confirm=true', undefined)).status).toBe(200);
  expect(readFileSync(config, 'utf8')).toBe(shown);
  await call('POST', 'crawlers/test/refresh', { like: `${site.origin}/%` });
  const token = planted.secret('token in a call');
  const login = planted.secret('login in a call');
  await call('POST', 'crawlers/test/roots', { url: `http://user:${login}@127.0.0.1:1/` });
  await call('DELETE', `crawlers/test/roots?url=${encodeURIComponent(`http://user:p@${login}@h/`)}`);
  await call('DELETE', `crawlers/test/urls?like=http%3A%2F%2Fu%3A${login}%40h%2F%ff&token=${token}`);
  await call('POST', 'crawlers/test/refresh', { like: `http://user:${login}@h/%` });
  for (const path of ['/plain', '/proxied/', '/credential/']) {
    await call('GET', `crawlers/test/explain?url=${encodeURIComponent(site.url(path))}`);
    await call('GET', `crawlers/test/url?url=${encodeURIComponent(site.url(path))}`);
    await call('GET', `crawlers/test/page?url=${encodeURIComponent(site.url(path))}`);
    await call('GET', `config/crawlers/test/resolved?url=${encodeURIComponent(site.url(path))}`);
  }
  const description = load(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')) as {
    paths: Record<string, object>;
  };
  const reading = Object.entries(description.paths).filter(
    ([path, methods]) => 'get' in methods && !path.endsWith('/events'),
  );
  for (const key of [keys.read, keys.admin, `${keys.read}x`]) {
    for (const [path] of reading) {
      const filled = path
        .replace('{crawler}', 'test')
        .replace('{host}', encodeURIComponent(new URL(site.origin).host))
        .replace('{version}', '1')
        .replace('{index}', '0')
        .replace('{reason}', 'connection-refused');
      await call('GET', filled, undefined, { 'x-api-key': key });
    }
  }
  await call('GET', '/metrics');
  listening.abort();
  answers.push({ call: 'events', text: await heard });
  server.signal('SIGTERM');
  const { stdout, stderr, code } = await server.ended;
  expect(code).toBe(0);
  const exported = await new Program(['store', 'export', '-', '--data', data], { env }).ended;
  expect(exported.code).toBe(0);

  const found: Record<string, string[]> = {};
  const look = (where: string, text: string): void => {
    // A caller hears its own address back.
    const places = planted
      .foundIn(text)
      .filter(
        (place) =>
          !place.endsWith('in a call') || where === 'log' || where.startsWith('file') || where.includes('audit'),
      );
    if (places.length > 0) found[where] = [...new Set([...(found[where] ?? []), ...places])];
  };
  for (const { call: made, text } of answers) look(made, text);
  look('log', stdout + stderr);
  look('export', exported.stdout + exported.stderr);
  look('commands', imported.stdout + imported.stderr + listed.stdout + listed.stderr);
  look('configuration', shown + readFileSync(config, 'utf8') + readFileSync(join(folder, 'indexer.conf'), 'utf8'));
  for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) look(`file ${entry.name}`, readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  }
  expect(found).toEqual({});
  expect(planted.places.length).toBeGreaterThanOrEqual(60);

  // They do arrive, or there would be nothing to hide.
  const sent = (path: string): string => {
    const requests = site.requests.filter((request) => request.path === path);
    const ends = [requests.slice(0, 1), requests.slice(-1)].map((each) => each.map(({ headers }) => headers));
    // The last request was sent after the import.
    expect(site.requests.lastIndexOf(requests.at(-1)!)).toBeGreaterThanOrEqual(visitsBefore);
    const [first, last] = ends.map((each) => JSON.stringify(each)) as [string, string];
    expect(planted.foundIn(last).sort()).toEqual(planted.foundIn(first).sort());
    return last;
  };
  expect(planted.foundIn(sent('/credential/'))).toContain('Credential password');
  expect(planted.foundIn(sent('/at/'))).toContain('Credential password with @');
  expect(planted.foundIn(sent('/server/'))).toContain('Server authentication');
  expect(planted.foundIn(sent('/conf/'))).toContain('AuthBasic');
  expect(planted.foundIn(sent('/option/'))).toContain('option credentials');
  expect(planted.foundIn(sent('/plain'))).toEqual(
    expect.arrayContaining(['Header Authorization', 'variable of a header', 'option header']),
  );
  expect(planted.foundIn(to.good.seen.join())).toEqual(
    expect.arrayContaining(['sink query key', 'sink query', 'sink password']),
  );
  expect(planted.foundIn(to.refusing.seen.join())).toEqual(
    expect.arrayContaining(['sink password of URL', 'sink query without name']),
  );
  expect(planted.foundIn(to.failing.seen.join())).toEqual(
    expect.arrayContaining(['sink apiKey', 'variable of a password']),
  );
});
