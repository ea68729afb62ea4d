import { describe, expect, it } from 'vitest';
import { rootDefinition } from '../../../test/support/crawler-definition.js';
import type { ConditionRule, ConditionTest } from '../crawl/policy-definition.js';
import { findNamedServers, findRootServers, hasSecrets, NO_NAMED_SERVERS, omitSecrets } from './secret-scope.js';

const named = (
  test: Partial<ConditionTest>,
  kind: ConditionRule['kind'] = 'apply-for',
  outer: Parameters<typeof findNamedServers>[1] = NO_NAMED_SERVERS,
) =>
  findNamedServers({ kind, test: { type: 'wildcard', field: 'url', value: '', caseSensitive: false, ...test } }, outer);

describe('a condition names', () => {
  const both = (host: string) => [`http://${host}`, `https://${host}`];

  it.each([
    ['wildcard', 'url', 'http://a.example/*', ['http://a.example']],
    ['wildcard', 'url', 'HTTPS://A.example:8443', ['https://a.example:8443']],
    ['wildcard', 'url', ' http://a.example/ ', ['http://a.example']],
    ['wildcard', 'url', 'http://a.example*', []],
    ['wildcard', 'url', 'http://*.example/', []],
    ['wildcard', 'url', 'http://a.exam?le/', []],
    ['wildcard', 'url', '*http://a.example/', []],
    ['wildcard', 'url', 'http*://a.example/', []],
    ['wildcard', 'url', '/path', []],
    ['wildcard-set', 'url', 'http://a.example/*\nhttps://b.example/', ['http://a.example', 'https://b.example']],
    ['wildcard-set', 'host', 'a.example\nb.example', [...both('a.example'), ...both('b.example')]],
    ['wildcard', 'host', 'A.example', both('a.example')],
    ['wildcard', 'host', '*.example', []],
    ['wildcard', 'host', 'a?.example', []],
    ['wildcard', 'host', 'a.example:80', []],
    ['regex', 'host', '^a\\.example$', both('a.example')],
    ['regex', 'host', '^a.b-c$', both('a.b-c')],
    ['regex', 'host', 'a\\.example$', []],
    ['regex', 'host', '^a\\.example', []],
    ['regex', 'host', '^(a|b)$', []],
    ['regex', 'url', '^http://a\\.example/', ['http://a.example']],
    ['regex', 'url', '^https?://a\\.example/', both('a.example')],
    ['regex', 'url', '^https:\\/\\/a\\.example:8443\\/x', ['https://a.example:8443']],
    ['regex', 'url', '^http://a\\.example$', ['http://a.example']],
    ['regex', 'url', '^http://a\\.example', ['http://a.example']],
    ['regex', 'url', 'http://a\\.example/', []],
    ['regex', 'url', '^http://a\\.example.*', []],
    ['regex', 'url', '^http://(a|b)/', []],
    ['regex', 'path', '^/a\\.example/', []],
  ] as const)('%s of %s %j: the servers %j', (type, field, value, servers) => {
    expect([...named({ type, field, value }).servers]).toEqual(servers);
  });

  const outer = { servers: new Set(['http://outer']), matchesOthers: true };

  it('those of the condition around it if it names none itself, or applies except for a match', () => {
    expect(named({ value: '*/x' }, 'apply-for', outer)).toBe(outer);
    expect(named({ value: 'http://a/' }, 'apply-except-for', outer)).toBe(outer);
    expect(named({ value: 'http://a/' }, 'may-not-have', outer)).toBe(outer);
  });

  it('and tells whether it matches others, too', () => {
    const set = (value: string, around = outer) =>
      named({ type: 'wildcard-set', value }, 'apply-for', around).matchesOthers;
    expect(set('http://a/*\nhttp://b/*')).toBe(false);
    expect(set('http://a/*\n*/x')).toBe(true);
    expect(set('http://a/*\n*/x', { ...outer, matchesOthers: false })).toBe(false);
  });
});

it('the servers of roots are those of their sites', () => {
  const servers = findRootServers([
    rootDefinition('http://a.example/x'),
    rootDefinition('https://b.example/', { site: true }),
    rootDefinition('nonsense'),
    rootDefinition('http://c.example:81/docs/', { site: true }),
  ]);
  expect([...servers].sort()).toEqual([
    'http://a.example',
    'http://b.example',
    'http://c.example:81',
    'http://www.b.example',
    'https://b.example',
    'https://www.b.example',
  ]);
});

describe('secrets', () => {
  const credentials = {} as never;
  const secret = { Authorization: 'x', 'X-Api-Key': 'y', Cookie: 'z', 'X-Auth-Token': 't', Password: 'p' };
  const plain = { Accept: 'text/html', 'X-Client': 'c' };

  it.each([
    [{ credentials }, true],
    [{ headers: secret as never }, true],
    [{ headers: { ...plain, cookie: 'a' } as never }, true],
    [{ headers: plain as never }, false],
    [{ headers: {} }, false],
    [{}, false],
  ])('are in %j: %s', (options, expected) => expect(hasSecrets(options)).toBe(expected));

  it('are left out, and everything else is kept', () => {
    expect(omitSecrets({ credentials, maxHops: 3, headers: { ...secret, ...plain } as never })).toEqual({
      maxHops: 3,
      headers: plain,
    });
    expect(omitSecrets({ credentials, maxHops: 3 })).toEqual({ maxHops: 3 });
  });
});
