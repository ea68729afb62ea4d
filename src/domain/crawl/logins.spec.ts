import { expect, it } from 'vitest';
import { createLoginChooser, type LoginDefinition } from './logins.js';

const login = (name: string, url: string) => ({ name, url, type: 'basic' }) as unknown as LoginDefinition;
const LOGINS = [
  login('site', 'https://a.example/'),
  login('hr', 'https://a.example/hr/'),
  login('search', 'https://a.example/hr/?q='),
  login('port', 'https://a.example:8443/'),
  login('broken', 'a.example'),
];

it.each([
  ['https://a.example/x', undefined, 'site'],
  ['https://a.example/hr/x', undefined, 'hr'],
  ['https://a.example/hr', undefined, 'site'],
  ['https://a.example/HR/', undefined, 'site'],
  ['https://a.example/hr/?q=1', undefined, 'search'],
  ['https://a.example:8443/hr/', undefined, 'port'],
  ['http://a.example/', undefined, undefined],
  ['https://b.example/', undefined, undefined],
  ['a.example', undefined, undefined],
  ['https://a.example/hr/x', 'site', 'site'],
  ['https://a.example/x', 'hr', undefined],
  ['https://a.example/hr/x', 'none', undefined],
  ['https://a.example/hr/x', 'unknown', undefined],
])('%s with the option %s uses the login %s', (href, option, expected) => {
  expect(createLoginChooser(LOGINS)!(href, option)?.name).toBe(expected);
  expect(createLoginChooser(LOGINS.toReversed())!(href, option)?.name).toBe(expected);
});

it('without logins there is nothing to choose', () => expect(createLoginChooser([])).toBeUndefined());
