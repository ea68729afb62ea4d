/** What the scripts of a page ask other sites for, in a real browser. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BrowserEngine } from '../../src/adapters/browser/browser-engine.js';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { HttpFetcher } from '../../src/adapters/http/http-fetcher.js';
import { loadRegistrableDomains } from '../../src/adapters/system/registrable-domain.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { QUIET, SANDBOX } from './rendering-world.js';

const KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let site: FakeSite;
let other: FakeSite;
let http: HttpFetcher;
let engine: BrowserEngine;

function open(renderer = ''): void {
  const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
    <cw:Renderer ${SANDBOX} timeLimitMS="150000" ${renderer}/>
    <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/30"/><cw:BotAuth key="\${KEY}" agent="https://bot.example/"/></cw:Fetcher></CrawlConfig>`;
  const { definition, problems } = readConfiguration(xml, {
    file: 'test',
    readFile: () => '',
    env: { KEY },
  });
  if (!definition) throw new Error(JSON.stringify(problems));
  http = new HttpFetcher(definition.fetchers);
  engine = new BrowserEngine(definition.renderer!, definition.fetchers, http, QUIET, loadRegistrableDomains);
}

/** Runs the script on a page; `address` is that from which the page came. */
async function run(script: string, address = '127.0.0.1', headers: Record<string, string> = {}) {
  const body = new TextEncoder().encode(
    `<title>Page</title><div id=root></div><script type=module>${script}; root.textContent = 'done'</script>`,
  );
  const page = { status: 200, headers: { 'content-type': 'text/html', ...headers }, address, body };
  const outcome = await engine.fetch({
    url: site.url('/'),
    fetcher: 'default',
    engine: 'browser',
    render: { page, obeysRobots: true, readyWhen: '#root:not(:empty)' },
  });
  if (outcome.kind === 'failure') throw new Error(outcome.detail);
  return outcome.rendering!.refused;
}

/** Sends as many requests as possible to a URL and waits for all of them. */
const flood = (url: string, options = ''): string =>
  `await Promise.all(Array.from({ length: 100 }, (_, i) => fetch('${url}?i=' + i, { mode: 'no-cors', ${options} }).catch(() => undefined)))`;

beforeEach(async () => {
  site = await FakeSite.start();
  other = await FakeSite.start('127.0.0.2');
  for (const one of [site, other]) one.elsewhere(() => ({ body: 'fine' }));
});

afterEach(async () => {
  await engine.close();
  await http.close();
  await site.close();
  await other.close();
});

const asked = (one: FakeSite, path: string): number =>
  one.requests.filter((request) => request.path.startsWith(path)).length;

describeUnless(noBrowser, 'a page whose scripts', () => {
  it('flood another site gets ten requests there at once, and no more at its next page', async () => {
    open();
    const refused = await run(`${flood(other.url('/data'))}; ${flood(site.url('/own'))}`);
    expect(asked(other, '/data')).toBe(10);
    expect(asked(site, '/own')).toBe(100);
    expect(refused).toMatchObject({ limit: 90 });
    await run(flood(other.url('/data')));
    expect(asked(other, '/data')).toBeLessThanOrEqual(20);
  });

  it('post to another site post nothing, unless the configuration names it', async () => {
    open();
    expect(await run(flood(other.url('/form'), "method: 'POST', body: 'spam'"))).toMatchObject({ 'other-origin': 100 });
    expect(asked(other, '/form')).toBe(0);
    await engine.close();
    await http.close();
    open('postHosts="127.0.0.2"');
    await run(
      `await fetch('${other.url('/form')}', { method: 'POST', mode: 'no-cors', body: 'question' }).catch(() => undefined)`,
    );
    expect(asked(other, '/form')).toBe(1);
  });

  it('ask another site are not signed as the crawler', async () => {
    open();
    await run(`await fetch('${other.url('/data')}', { mode: 'no-cors' }); await fetch('/own')`);
    const signatures = [other, site].map(
      (one) => one.requests.find(({ path }) => /data|own/.test(path))!.headers['signature'],
    );
    expect(signatures).toEqual([undefined, expect.any(String)]);
  });

  it('may not do what the policy of their page forbids them (CSP) do not do it here either', async () => {
    open();
    const ask = `await fetch('${other.url('/data')}', { mode: 'no-cors' }).catch(() => undefined); await fetch('/own')`;
    const policy = "script-src 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'";
    await run(ask, '127.0.0.1', { 'content-security-policy': policy });
    expect([asked(other, '/data'), asked(site, '/own')]).toEqual([0, 1]);
  });

  it('come from a public server reach no private address, although the fetcher may', async () => {
    open();
    const ask = `await fetch('${other.url('/data')}', { mode: 'no-cors' }).catch(() => undefined); await fetch('/own').catch(() => undefined)`;
    expect(await run(ask, '93.184.215.14')).toMatchObject({ address: 2 });
    expect([asked(other, '/'), asked(site, '/own')]).toEqual([0, 0]);
    expect(await run(ask)).toEqual({});
  });

  it('make another site ask for a rest do not keep the own pages of that site from their data', async () => {
    open();
    other.set('/limited', { status: 429, headers: { 'retry-after': '600' } });
    await run(
      `await fetch('${other.url('/limited')}', { mode: 'no-cors' }); await fetch('${other.url('/data')}', { mode: 'no-cors' }).catch(() => undefined)`,
    );
    expect(asked(other, '/data')).toBe(0);
    [site, other] = [other, site];
    await run("await fetch('/data')");
    expect(asked(site, '/data')).toBe(1);
  });
});
