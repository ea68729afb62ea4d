import { expect, it } from 'vitest';
import { instant, milliseconds } from '../../../domain/time/units.js';
import { readConfiguration } from '../../config-xml/read.js';
import { FormSession } from './form-login.js';

const readLogin = (attributes: string) => {
  const { definition } = readConfiguration(XML.replace('password="right"', attributes), {
    file: 'x.xml',
    env: {},
    readFile: () => '',
  });
  return definition!.fetchers.flatMap(({ logins }) => logins)[0] as ConstructorParameters<typeof FormSession>[0];
};

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Logs in at a site that gives these answers in turn; also returns what it was asked for. */
async function logIn(attributes: string, answers: readonly Page[]) {
  const asked: string[] = [];
  const sent: string[] = [];
  const result = await new FormSession(readLogin(attributes)).login({
    fetch: async ({ url, body: sentBody }) => {
      if (sentBody) sent.push(Buffer.from(sentBody).toString('latin1'));
      const { status, headers, body } = answers[asked.push(url) - 1]!;
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
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
  return { result, asked, sent };
}

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
  const { result, asked } = await logIn('password="right"', answers);
  expect(result).toMatchObject({ kind: 'changed', detail: expect.stringContaining(fault) });
  expect(asked.filter((url) => !url.startsWith('https://a.example/'))).toEqual([]);
});

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const WRONG = '<p>Passwort ungültig</p>';

it.each<[string, string, Page, Page]>([
  [
    'that its header names',
    'u=robot&p=gr%FCn+%E4%DF',
    { status: 200, headers: { 'content-type': 'text/html; charset=ISO-8859-1' }, body: form('/in') },
    { status: 200, headers: { 'content-type': 'text/html; charset=ISO-8859-1' }, body: latin1(WRONG) },
  ],
  [
    'that its markup names',
    'u=robot&p=gr%FCn+%E4%DF',
    page(`<meta http-equiv=content-type content="text/html; charset=iso-8859-1">${form('/in')}`),
    { ...page(''), body: latin1(`<meta charset=latin1>${WRONG}`) },
  ],
  ['of a page without a label', 'u=robot&p=gr%FCn+%E4%DF', page(form('/in')), { ...page(''), body: latin1(WRONG) }],
  ['UTF-8, without a label', 'u=robot&p=gr%C3%BCn+%C3%A4%C3%9F', page(`<p>für</p>${form('/in')}`), page(WRONG)],
  [
    'that the form names',
    'u=robot&p=gr%C3%BCn+%C3%A4%C3%9F',
    page(`<meta charset=latin1>${form('/in').replace('<form', '<form accept-charset=utf-8')}`),
    page(WRONG),
  ],
  [
    'without the letters of the password, as in browsers',
    'u=robot&p=gr%26%23252%3Bn+%26%23228%3B%26%23223%3B',
    page(`<meta charset=koi8-r>${form('/in')}`),
    page(WRONG),
  ],
])('is sent in the encoding %s, and answers are read in theirs', async (_, expected, shown, answer) => {
  const { result, sent } = await logIn('password="grün äß" refusedText="ungültig"', [shown, answer]);
  expect(sent).toEqual([expected]);
  expect(result).toMatchObject({ kind: 'refused', detail: expect.stringContaining('is wrong') });
});
