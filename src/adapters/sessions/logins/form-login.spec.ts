import { expect, it } from 'vitest';
import { instant, milliseconds } from '../../../domain/time/units.js';
import { readConfiguration } from '../../config-xml/read.js';
import { FormSession } from './form-login.js';

const XML = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1"><cw:Fetcher name="default">
  <cw:Login name="site" type="form" url="https://a.example/" page="https://a.example/login" user="robot" password="right"/>
  </cw:Fetcher></CrawlConfig>`;
const form = (action: string) =>
  `<form method="post" action="${action}"><input name=u><input type=password name=p></form>`;
const page = (body: string) => ({ status: 200, headers: {}, body });
const redirect = (status: number, location: string) => ({ status, headers: { location }, body: '' });

it.each([
  ['a form of a page with TLS', [page(form('http://a.example/in'))], 'does not use TLS'],
  ['a redirect of the login page', [redirect(302, 'http://a.example/login')], 'does not use TLS'],
  [
    'a redirect that repeats the password',
    [page(form('/in')), redirect(307, 'http://a.example/in')],
    'does not use TLS',
  ],
  ['a redirect after the login', [page(form('/in')), redirect(303, 'http://a.example/')], 'does not use TLS'],
  ['a form to another server', [page(form('https://b.example/in'))], 'to another server'],
  [
    'a repeating redirect to another server',
    [page(form('/in')), redirect(308, 'https://b.example/')],
    'to another server',
  ],
])('nothing is sent without TLS, and no password elsewhere: %s', async (_, answers, fault) => {
  const { definition } = readConfiguration(XML, { file: 'x.xml', env: {}, readFile: () => '' });
  const login = definition!.fetchers.flatMap(({ logins }) => logins)[0]!;
  const asked: string[] = [];
  const result = await new FormSession(login as ConstructorParameters<typeof FormSession>[0]).login({
    fetch: async ({ url }) => {
      const { status, headers, body } = answers[asked.push(url) - 1]!;
      const bytes = new TextEncoder().encode(body);
      const timings = { header: milliseconds(0), total: milliseconds(0) };
      return {
        kind: 'response',
        status,
        headers,
        body: bytes,
        transferred: bytes.length,
        address: '192.0.2.1',
        timings,
      };
    },
    now: () => instant(0),
    report: () => undefined,
  });
  expect(result).toMatchObject({ kind: 'changed', detail: expect.stringContaining(fault) });
  expect(asked.filter((url) => !url.startsWith('https://a.example/'))).toEqual([]);
});
