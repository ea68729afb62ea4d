import { describe, expect, it } from 'vitest';
import { formatGrant } from '../security/api-keys.js';
import { findGrants, readOidcOptions } from './oidc-options.js';

const env = {
  CRAWLWAY_OIDC_ISSUER: 'https://id.example.com/realms/staff',
  CRAWLWAY_OIDC_CLIENT_ID: 'crawlway',
  CRAWLWAY_OIDC_ROLES: 'cn=admins:admin, ops:operate',
};

describe('the sign-in', () => {
  it('is configured by the environment, with the role for each claim value', () => {
    const options = readOidcOptions(env)!;
    expect(options).toMatchObject({ clientId: 'crawlway', label: 'id.example.com', roleClaim: 'groups' });
    expect([...options.roles]).toEqual([
      ['cn=admins', [{ role: 'admin' }]],
      ['ops', [{ role: 'operate' }]],
    ]);
    expect(readOidcOptions({})).toBeUndefined();
  });

  it.each([
    ['an issuer without TLS', { CRAWLWAY_OIDC_ISSUER: 'http://id.example.com/' }, 'https'],
    ['no client', { CRAWLWAY_OIDC_CLIENT_ID: '' }, 'CRAWLWAY_OIDC_CLIENT_ID'],
    ['no roles', { CRAWLWAY_OIDC_ROLES: '' }, 'who may do what'],
    ['a role for no value', { CRAWLWAY_OIDC_ROLES: ':admin' }, ':admin is not value:role'],
    ['a role that there is not', { CRAWLWAY_OIDC_ROLES: 'a:root' }, 'one of the roles read, operate, admin'],
  ])('is refused with %s', (_, change, message) => {
    expect(() => readOidcOptions({ ...env, ...change })).toThrow(message);
  });

  it('gives the roles found in lists, strings and nested objects, and none by default', () => {
    const role = (claims: object, more: Record<string, string> = {}) =>
      findGrants(claims as never, readOidcOptions({ ...env, ...more })!)
        .map(formatGrant)
        .join(' ');
    expect(role({ groups: ['ops', 'cn=admins', 'others'] })).toBe('operate admin');
    expect(role({ groups: 'ops' })).toBe('operate');
    for (const groups of ['former ops', 'ops, former', 'ops,others', 'ops\tothers', ' ops'])
      expect(role({ groups })).toBe('');
    for (const claim of ['scope', 'scp', 'access.scope']) {
      const text = 'openid ops';
      const claims = { scope: text, scp: text, access: { scope: text } };
      expect(role(claims, { CRAWLWAY_OIDC_ROLE_CLAIM: claim })).toBe('operate');
    }
    const nested: readonly (readonly [string, object])[] = [
      ['realm_access.roles', { realm_access: { roles: ['ops'] } }],
      ['https://example.com/roles', { 'https://example': {}, 'https://example.com/roles': ['ops'] }],
      ['resource_access.crawl.way.roles', { resource_access: { crawl: {}, 'crawl.way': { roles: ['ops'] } } }],
    ];
    for (const [claim, claims] of nested) expect(role(claims, { CRAWLWAY_OIDC_ROLE_CLAIM: claim })).toBe('operate');
    expect(role({ realm_access: { roles: ['ops'] } }, { CRAWLWAY_OIDC_ROLE_CLAIM: 'realm_access' })).toBe('');
    for (const claims of [{}, { groups: ['others'] }, { groups: { ops: true } }, { groups: null }])
      expect(role(claims)).toBe('');
    expect(role({}, { CRAWLWAY_OIDC_ROLES: '*:read' })).toBe('read');
    const roles = { CRAWLWAY_OIDC_ROLES: '*:read,hr@example.com:admin@hr' };
    expect(role({ groups: ['hr@example.com', 'hr@example.com'] }, roles)).toBe('read admin@hr');
    const named = { CRAWLWAY_OIDC_ROLES: 'CN=Crawl admins%2COU=Groups:admin' };
    for (const groups of [['CN=Crawl admins,OU=Groups'], 'CN=Crawl admins,OU=Groups'])
      expect(role({ groups }, named)).toBe('admin');
    expect(role({ groups: ['CN=Crawl admins'] }, named)).toBe('');
  });
});
