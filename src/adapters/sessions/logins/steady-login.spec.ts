import { expect, it } from 'vitest';
import type { LoginType } from '../../../domain/crawl/login-types.js';
import type { LoginDefinition, LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import { Secret } from '../../../domain/secret.js';
import { createLogin } from './create-login.js';

const URL = 'https://a.test/';
const base = { name: 'a', url: URL, check: URL, maxLoginsPerHour: 6, place: { file: '', line: 1, column: 1 } };
const password = new Secret('hush');

type Options = { [T in LoginType]: Omit<LoginDefinitionOf<T>, keyof typeof base> }[LoginType];

it.each<[string, Options, object]>([
  ['Basic in UTF-8', { type: 'basic', user: 'é', password }, { headers: { authorization: 'Basic w6k6aHVzaA==' } }],
  ['a bearer token', { type: 'bearer', token: password }, { headers: { authorization: 'Bearer hush' } }],
  ['a header', { type: 'header', header: 'X-Key', value: password }, { headers: { 'x-key': 'hush' } }],
  [
    'NTLM with a domain in the user name',
    { type: 'ntlm', user: 'CORP\\ada', password },
    { ntlm: { user: 'ada', domain: 'CORP', password: 'hush' } },
  ],
  [
    'NTLM with a domain of its own',
    { type: 'ntlm', user: 'CORP\\ada', domain: 'LAB', password },
    { ntlm: { user: 'CORP\\ada', domain: 'LAB', password: 'hush' } },
  ],
  [
    'NTLM without a domain',
    { type: 'ntlm', user: 'ada', password },
    { ntlm: { user: 'ada', domain: '', password: 'hush' } },
  ],
])('sends %s with every request', (_, options, session) => {
  expect(createLogin({ ...base, ...options } as LoginDefinition).getSession('https://a.test/')).toEqual(session);
});
