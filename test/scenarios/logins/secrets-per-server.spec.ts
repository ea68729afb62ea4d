import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../../src/adapters/config-xml/read.js';
import { lint } from '../../../src/domain/policy/linter.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const SECRETS = ['authorization', 'x-api-key', 'x-auth-token', 'cookie', 'x-gate'];
const NAMES = ['a', 'b', 'c', 'd'] as const;
type Name = (typeof NAMES)[number];

describe('several servers that link and redirect to each other', () => {
  const sites = {} as Record<Name, FakeSite>;
  let world: CrawlWorld;

  beforeEach(async () => {
    for (const [index, name] of NAMES.entries()) sites[name] = await FakeSite.start(`127.0.0.${index + 1}`);
    for (const [slot, name] of NAMES.entries()) {
      const site = sites[name];
      const others = NAMES.filter((other) => other !== name).map((other) => sites[other]);
      const ways = others.map((_, index) => `/to/${index}`);
      const links = [
        ...ways,
        '/own/x',
        '/private/x',
        ...others.flatMap((other) => [other.url('/'), other.url('/own/l'), other.url('/private/l')]),
      ];
      site.page('/', links);
      for (const path of ['/own/x', '/own/l', '/own/r', '/private/x', '/private/l', '/private/r', '/mapped'])
        site.page(path);
      for (const [index, other] of others.entries()) {
        const location = other.url((slot + index) % 2 === 0 ? '/own/r' : '/private/r');
        site.set(`/to/${index}`, { status: 302, headers: { location } });
      }
      site.set('/robots.txt', { body: `User-agent: *\nAllow: /\nSitemap: ${site.url('/sitemap.xml')}` });
      site.set('/sitemap.xml', {
        headers: { 'content-type': 'application/xml' },
        body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${site.url('/mapped')}</loc></url></urlset>`,
      });
    }
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    for (const name of NAMES) await sites[name].close();
  });

  /** Secrets that the server was sent, with the paths of the requests. */
  const seen = (name: Name): Record<string, string[]> => {
    const found: Record<string, Set<string>> = {};
    for (const { path, headers } of sites[name].requests) {
      for (const header of SECRETS) {
        const value = headers[header];
        if (value !== undefined) found[`${header}: ${value}`] = (found[`${header}: ${value}`] ?? new Set()).add(path);
      }
    }
    return Object.fromEntries(Object.entries(found).map(([secret, paths]) => [secret, [...paths].sort()]));
  };
  const pathsOf = (name: Name) => [...new Set(sites[name].requests.map(({ path }) => path))].sort();

  it('receive their own credentials and secret headers each, and unnamed ones receive none', async () => {
    const { a, b, c, d } = sites;
    const option = (name: string, value: string) => `<cw:option name="${name}" value="${value}"/>`;
    world = await CrawlWorld.start({
      attributes: 'ignoreRobotsTxt="false" crawlSitemaps="true"',
      crawler: `<Root url="${a.url('/')}" site="false"/><Root url="${b.url('/')}" site="false"/>
        <cw:Conditions>
          <cw:apply-for field="url" value="${c.url('/private/*')}">${option('credentials', 'ann:c-pass')}</cw:apply-for>
          <cw:apply-for field="path" value="/private/*">${option('header', 'X-Api-Key: roots-key')}</cw:apply-for>
          <cw:apply-for field="url" test="regex" value="^${a.origin.replaceAll('.', '\\.')}/">
            <cw:apply-for field="path" value="/own/*">${option('header', 'X-Auth-Token: a-token')}</cw:apply-for>
          </cw:apply-for>
          ${option('header', 'Accept-Language: de')}
        </cw:Conditions>`,
      more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>
        <cw:Header name="Cookie" value="team=1"/>
        <cw:Header name="X-Gate" value="b-gate" url="${b.url('/own/')}"/>
        <cw:Credential url="${d.url('/private/')}" user="dan" password="d-pass"/></cw:Fetcher>`,
    });
    await world.untilIdle();
    await world.engine.roots.submit('test', [{ url: d.url('/private/submitted') }]);
    await world.untilIdle();

    for (const name of NAMES)
      expect(pathsOf(name)).toEqual(expect.arrayContaining(['/own/l', '/private/l', '/private/r']));
    const privates = (name: Name) => pathsOf(name).filter((path) => path.startsWith('/private/'));
    const owns = (name: Name) => pathsOf(name).filter((path) => path.startsWith('/own/'));
    expect(seen('a')).toEqual({
      'cookie: team=1': pathsOf('a'),
      'x-api-key: roots-key': privates('a'),
      'x-auth-token: a-token': owns('a'),
    });
    expect(seen('b')).toEqual({
      'cookie: team=1': pathsOf('b'),
      'x-api-key: roots-key': privates('b'),
      'x-gate: b-gate': owns('b'),
    });
    expect(seen('c')).toEqual({ [`authorization: Basic ${btoa('ann:c-pass')}`]: privates('c') });
    expect(seen('d')).toEqual({ [`authorization: Basic ${btoa('dan:d-pass')}`]: privates('d') });
    for (const name of ['c', 'd'] as const)
      expect(pathsOf(name)).toEqual(expect.arrayContaining(['/robots.txt', '/sitemap.xml', '/mapped']));
    for (const name of NAMES)
      expect(sites[name].requests.find(({ path }) => path === '/own/l')?.headers['accept-language']).toBe('de');
  });
});

describe('linter warnings about secrets without a server', () => {
  const warnings = (roots: readonly string[], conditions: string, header = '') => {
    const xml = `<CrawlConfig><Crawler name="a" defaultAccept="true">${roots.map((url) => `<Root url="${url}"/>`).join('')}
      <cw:Conditions>${conditions}</cw:Conditions></Crawler><cw:Fetcher name="default">${header}</cw:Fetcher></CrawlConfig>`;
    const { definition, problems } = readConfiguration(xml, { file: 'f', env: {}, readFile: () => '' });
    if (!definition) throw new Error(JSON.stringify(problems));
    return lint(definition)
      .filter(({ code }) => code === 'credentials-unbound')
      .map(({ message }) => message);
  };
  const LOGIN = '<cw:option name="credentials" value="u:p"/>';
  const on = (field: string, value: string, type = 'wildcard') =>
    `<cw:apply-for field="${field}" test="${type}" value="${value}">${LOGIN}</cw:apply-for>`;
  const TWO = ['http://one.test/', 'http://two.test/'];

  it.each([
    LOGIN,
    on('path', '/private/*'),
    on('url', 'http://*.one.test/*'),
    on('url', 'one', 'regex'),
    on('url', 'http://one.test/*&#10;*/x', 'wildcard-set'),
    on('host', '*.test'),
    `<cw:apply-except-for field="url" value="http://one.test/*">${LOGIN}</cw:apply-except-for>`,
  ])('%s', (conditions) => {
    expect(warnings(TWO, conditions)).toEqual([expect.stringMatching(/URLs of more than one server.*sent only to/)]);
  });

  it.each([
    on('url', 'http://one.test/private/*'),
    on('url', '^https?://one\\.test/', 'regex'),
    on('url', 'http://one.test/*&#10;http://three.test/*', 'wildcard-set'),
    on('host', 'one.test'),
    `<cw:apply-for field="host" value="one.test">${on('path', '/x/*')}</cw:apply-for>`,
    '<cw:option name="header" value="Accept-Language: de"/>',
  ])('not of %s', (conditions) => expect(warnings(TWO, conditions)).toEqual([]));

  it('are not given when all roots are on one host, and include the headers of a fetcher', () => {
    expect(warnings(['http://one.test/', 'https://www.one.test/x'], on('path', '/private/*'))).toEqual([]);
    const header = '<cw:Header name="Authorization" value="Bearer x"/>';
    expect(warnings(['http://one.test/'], '', header)).toEqual([]);
    expect(warnings(TWO, '', header)).toEqual([
      expect.stringContaining('Header Authorization of Fetcher default has no url'),
    ]);
    expect(warnings(TWO, '', '<cw:Header name="Authorization" value="Bearer x" url="http://one.test/"/>')).toEqual([]);
  });
});
