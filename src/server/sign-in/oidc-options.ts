import { Secret } from '../../domain/secret.js';
import { decodePercent } from '../../domain/url/decode-percent.js';
import { UsageError } from '../fail.js';
import { GRANT_FORM, parseGrant, type RoleGrant } from '../security/api-keys.js';

/** How people sign in to the console by OpenID Connect, as configured by environment variables. */
export interface OidcOptions {
  readonly issuer: URL;
  readonly clientId: string;
  /** Absent for a public client, which is protected by PKCE. */
  readonly clientSecret?: Secret;
  readonly scope: string;
  /** Path to the roles in the claims: property names, separated by dots. */
  readonly roleClaim: string;
  /** Roles by value of the claim; `*` stands for everyone who can sign in. */
  readonly roles: ReadonlyMap<string, readonly RoleGrant[]>;
  /** The name of the provider, as shown on the button. */
  readonly label: string;
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** @throws UsageError if the settings are incomplete or invalid */
export function readOidcOptions(env: NodeJS.ProcessEnv): OidcOptions | undefined {
  const issuerText = env['CRAWLWAY_OIDC_ISSUER'];
  if (!issuerText) return undefined;
  const issuer = URL.parse(issuerText);
  if (!issuer || (issuer.protocol !== 'https:' && !(issuer.protocol === 'http:' && LOOPBACK.test(issuer.hostname))))
    throw new UsageError('CRAWLWAY_OIDC_ISSUER is not an https URL');
  const clientId = env['CRAWLWAY_OIDC_CLIENT_ID'];
  if (!clientId) throw new UsageError('CRAWLWAY_OIDC_ISSUER is set but CRAWLWAY_OIDC_CLIENT_ID is not');
  const clientSecret = env['CRAWLWAY_OIDC_CLIENT_SECRET'];
  return {
    issuer,
    clientId,
    ...(clientSecret ? { clientSecret: new Secret(clientSecret) } : {}),
    scope: env['CRAWLWAY_OIDC_SCOPE'] || 'openid profile email',
    roleClaim: env['CRAWLWAY_OIDC_ROLE_CLAIM'] || 'groups',
    roles: readRoles(env['CRAWLWAY_OIDC_ROLES']),
    label: env['CRAWLWAY_OIDC_LABEL'] || issuer.hostname,
  };
}

function readRoles(text: string | undefined): ReadonlyMap<string, readonly RoleGrant[]> {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  const roles = new Map<string, readonly RoleGrant[]>();
  for (const entry of entries.filter((part) => part !== '')) {
    const colon = entry.lastIndexOf(':');
    const grant = parseGrant(entry.slice(colon + 1));
    if (colon < 1 || !grant)
      throw new UsageError(`CRAWLWAY_OIDC_ROLES: ${entry} is not value:role with one of the roles ${GRANT_FORM}`);
    const value = decodePercent(entry.slice(0, colon));
    roles.set(value, [...(roles.get(value) ?? []), grant]);
  }
  if (roles.size > 0) return roles;
  throw new UsageError(
    'set CRAWLWAY_OIDC_ROLES to say who may do what: value:role, comma-separated, such as crawl-admins:admin,*:read',
  );
}

/** The claims whose values are separated by spaces (RFC 8693, 4.2); the second is its name at Entra ID. */
const IS_SCOPE = /(?:^|\.)(?:scope|scp)$/;

/**
 * The roles that the claims grant, for the whole server or for some crawlers. A claim is a list of values, or a text that
 * is one value: names have spaces and commas, and a group *former admins* must not grant what *admins* does.
 */
export function findGrants(claims: Readonly<Record<string, unknown>>, { roleClaim, roles }: OidcOptions): RoleGrant[] {
  const value = findClaim(claims, roleClaim);
  const values = typeof value === 'string' ? (IS_SCOPE.test(roleClaim) ? value.split(' ') : [value]) : value;
  const claimValues: readonly unknown[] = Array.isArray(values) ? values : [];
  return ['*', ...new Set(claimValues)].flatMap((claimValue) => roles.get(String(claimValue)) ?? []);
}

/**
 * Whether the role claim is the claim of this name or within it. A dot may be part of a name: Auth0 requires names such as
 * `https://example.com/roles`.
 */
export const containsRoles = (name: string, roleClaim: string): boolean => `${roleClaim}.`.startsWith(`${name}.`);

function findClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  for (const [name, value] of Object.entries(claims)) {
    if (name === path) return value;
    const inner =
      containsRoles(name, path) && isObject(value) ? findClaim(value, path.slice(name.length + 1)) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
