/** Login pages of hostile sites: they repeat what they were sent, or are designed to be slow. */
import { expect, it, onTestFinished } from 'vitest';
import { type FakeAnswer, FakeSite } from '../../../../test/support/fake-site.js';
import { testFetcher } from '../../../../test/support/fetch-harness.js';
import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import { Secret } from '../../../domain/secret.js';
import { instant } from '../../../domain/time/units.js';
import { createLogin } from './create-login.js';

const PASSWORD = 'PlAn Ted+1';
const SPELLINGS = [
  'PlAn Ted+1',
  'plan ted+1',
  'PlAn%20Ted%2B1',
  'PlAn+Ted%2B1',
  Buffer.from(PASSWORD).toString('base64'),
];

const form = `<form action=/in method=get><input name=u><input type=password name=p></form>`;

/** Everything that is reported about one login attempt. */
async function told(site: FakeSite, definition: Partial<LoginDefinition>): Promise<string> {
  const fetcher = testFetcher();
  const base = {
    name: 'a',
    url: site.url('/'),
    check: site.url('/'),
    maxLoginsPerHour: 6,
    logoutUrls: [],
    place: { file: '', line: 1, column: 1 },
  };
  const method = createLogin({ ...base, ...definition } as LoginDefinition);
  const steps: unknown[] = [];
  const result = await method.login({
    fetch: (request) => fetcher.fetch({ ...request, fetcher: 'default' }),
    now: () => instant(0),
    report: (step) => steps.push(step),
  });
  return JSON.stringify({ steps, result });
}

async function site(): Promise<FakeSite> {
  const started = await FakeSite.start();
  onTestFinished(() => started.close());
  return started.set('/', { headers: { 'content-type': 'text/html' }, body: form });
}

const filled = (fake: FakeSite): Partial<LoginDefinition> => ({
  type: 'form',
  page: fake.url('/'),
  insecure: true,
  success: {},
  sendTo: [],
  steps: [
    {
      fields: [
        { name: 'u', value: new Secret('somebody') },
        { name: 'p', value: new Secret(PASSWORD) },
      ],
    },
    { fields: [{ name: 'code', value: new Secret('PlAn Ted+1') }] },
  ],
});

const spelled = expect.not.stringMatching(/plan[ +%].{0,3}ted|PlAnTed/i);

it.each(SPELLINGS)('form login: %s that is echoed in redirects, cookies and forms is not shown', async (spelling) => {
  const safe = encodeURI(spelling);
  const answers: FakeAnswer[] = [
    { status: 302, headers: { location: `/was/${safe}/here` } },
    { status: 302, headers: { location: 'ftp://nowhere/' } },
    { headers: { 'set-cookie': `${safe}=1`, 'content-type': 'text/html' }, body: 'no form' },
    { headers: { 'content-type': 'text/html' }, body: `<form name="${spelling}"><input name="${spelling}"></form>` },
    {
      headers: { 'content-type': 'text/html' },
      body: `<form action="http://x.invalid/${safe}" method=post><input name=code></form>`,
    },
  ];
  for (const answer of answers) {
    const fake = await site();
    fake.set('/in', answer);
    const text = await told(fake, filled(fake));
    expect(text).toContain('sent step 1 of 2');
    expect(text).not.toContain(spelling);
    expect(text).toEqual(spelled);
  }
});

it('a form sent by GET that redirects endlessly does not reveal its query', async () => {
  const fake = await site();
  fake.set('/in', { status: 302, headers: { location: '/in' } });
  const text = await told(fake, filled(fake));
  expect(text).toContain('redirects in a row');
  expect(text).toEqual(spelled);
});

it('OAuth 2.0: a secret that the token endpoint echoes as its error is not shown', async () => {
  const fake = await site();
  for (const spelling of SPELLINGS) {
    fake.set('/token', {
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error: `wrong: ${spelling}` }),
    });
    const text = await told(fake, {
      type: 'oauth2',
      tokenUrl: fake.url('/token'),
      clientId: 'me',
      clientSecret: new Secret(PASSWORD),
      clientAuthentication: 'body',
    });
    expect(text).toContain('wrong: ***');
  }
});

it.each([
  ['200,000 elements deep', '<div>'.repeat(200_000)],
  ['300 deep', '<b>'.repeat(300)],
  ['100,000 fields', `<form>${'<input name=x>'.repeat(100_000)}</form>`],
])('a login page of %s is refused', async (_, body) => {
  const fake = await site();
  fake.set('/', { headers: { 'content-type': 'text/html' }, body: body + form });
  expect(await told(fake, filled(fake))).toContain('has more than 20000 elements, or elements nested deeper than 256');
});

it('a login page of 1,000 elements is read', async () => {
  const fake = await site();
  fake.set('/', { headers: { 'content-type': 'text/html' }, body: `${'<div><p>x</p></div>'.repeat(500)}${form}` });
  expect(await told(fake, filled(fake))).toContain('sent step 1 of 2');
});
