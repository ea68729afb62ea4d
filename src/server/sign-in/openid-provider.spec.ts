import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { seconds } from '../../domain/time/units.js';
import { readOidcOptions } from './oidc-options.js';
import { OpenIdProvider, type Person } from './openid-provider.js';

/** An identity provider whose responses a test chooses by path. */
async function startProvider(answers: Readonly<Record<string, RequestListener>>) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    (answers[request.url!] ?? describeProvider)(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new ManualClock();
  const options = readOidcOptions({
    CRAWLWAY_OIDC_ISSUER: issuer,
    CRAWLWAY_OIDC_CLIENT_ID: 'crawlway',
    CRAWLWAY_OIDC_ROLES: 'admins:admin',
  })!;
  const provider = new OpenIdProvider(options, clock);
  const begin = () => provider.beginSignIn('http://crawlway.example/auth/callback', '/');
  return { begin, provider, requests, clock, issuer, another: () => new OpenIdProvider(options, clock) };
}

const DISCOVERY = '/.well-known/openid-configuration';

const sendJson = (response: ServerResponse, body: object): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
};

const describeProvider: RequestListener = (request, response) => {
  const issuer = `http://${request.headers.host}`;
  sendJson(response, {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/me`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });
};

/** Sends JSON that does not end, until the client hangs up; says how much it could send. */
function sendEndlessly(sent: { bytes: number; hungUp: PromiseWithResolvers<void> }): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('close', () => sent.hungUp.resolve());
    const chunk = Buffer.alloc(1 << 16, 'x');
    const sendOn = (error?: Error | null): void => {
      if (error || sent.bytes > 64 << 20) return;
      sent.bytes += chunk.length;
      response.write(chunk, sendOn);
    };
    response.write('{"a":"');
    sendOn();
  };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

interface SignInState {
  keys: object[];
  /** The key that signs. */
  kid: string;
  claims: object;
  info: object;
  infoStatus: number;
  tokenStatus: number;
  /** Further members of the response with tokens. */
  tokens: object;
}

/** A provider at which `ada` signs in. */
async function startSignIn(options: Partial<SignInState>) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }];
  const found = { claims: {}, info: {}, infoStatus: 200, tokenStatus: 200, tokens: {} };
  const state: SignInState = { keys, kid: 'k', ...found, ...options };
  let nonce = '';
  const { begin, provider, issuer, clock, another } = await startProvider({
    '/keys': (_, response) => sendJson(response, { keys: state.keys }),
    '/me': (_, response) => {
      response.statusCode = state.infoStatus;
      if (state.infoStatus !== 200) response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
      sendJson(response, { sub: 'ada', ...state.info });
    },
    '/token': (_, response) => {
      const now = Math.floor(Date.now() / 1000);
      const own = { iss: issuer, aud: 'crawlway', sub: 'ada', iat: now, exp: now + 60, nonce };
      const text = `${encode({ alg: 'RS256', kid: state.kid })}.${encode({ ...own, ...state.claims })}`;
      const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64url');
      response.statusCode = state.tokenStatus;
      sendJson(response, {
        ...(state.tokenStatus === 200
          ? { access_token: 'a', token_type: 'Bearer', id_token: `${text}.${signature}` }
          : { error: 'invalid_grant' }),
        ...state.tokens,
      });
    },
  });
  const signIn = async () => {
    const { pending } = await begin();
    nonce = pending.nonce;
    const callback = new URL(`http://crawlway.example/auth/callback?code=a&state=${pending.state}&iss=${issuer}`);
    return provider.finishSignIn(callback, pending);
  };
  return { signIn, provider, state, clock, another };
}

describe('the identity provider', () => {
  it.each([
    ['discovery document', DISCOVERY],
    ['token response', '/token'],
  ])('cannot fill the memory with a %s without end', async (_, path) => {
    const sent = { bytes: 0, hungUp: Promise.withResolvers<void>() };
    const { begin, provider } = await startProvider({ [path]: sendEndlessly(sent) });
    const signIn = begin().then(({ pending }) => {
      const callback = new URL(`http://crawlway.example/auth/callback?code=a&state=${pending.state}`);
      return provider.finishSignIn(callback, pending);
    });
    await expect(signIn).rejects.toThrow();
    await sent.hungUp.promise;
    expect(sent.bytes).toBeLessThan(16 << 20);
  });

  it('cannot lead the server to another address', async () => {
    const { begin, requests } = await startProvider({
      [DISCOVERY]: (_, response) => response.writeHead(302, { location: '/internal' }).end(),
    });
    await expect(begin()).rejects.toThrow();
    expect(requests).toEqual([DISCOVERY]);
  });

  it('is asked once in ten seconds while it fails, however many people sign in', async () => {
    const state = { isDown: true };
    const { begin, requests, clock } = await startProvider({
      [DISCOVERY]: (request, response) =>
        state.isDown ? response.writeHead(503).end() : describeProvider(request, response),
    });
    await Promise.allSettled([begin(), begin(), begin()]);
    clock.advance(seconds(9));
    await expect(begin()).rejects.toThrow();
    expect(requests).toHaveLength(1);
    state.isDown = false;
    clock.advance(seconds(1));
    for (const _again of [1, 2]) await expect(begin()).resolves.toHaveProperty('pending');
    expect(requests).toHaveLength(2);
  });

  it('must sign its ID tokens with one of its keys', async () => {
    const { signIn } = await startSignIn({ keys: [] });
    await expect(signIn()).rejects.toThrow();
  });

  it.each([
    ['user:ada', {}],
    ['user:eve@a.example#ada', { preferred_username: '', email: 'eve@a.example' }],
    [`user:${'x'.repeat(64)}#ada`, { preferred_username: 'x'.repeat(65) }],
    ['user:a_b#ada', { preferred_username: 'a\nb' }],
    [expect.stringMatching(/^user:a_b#[0-9a-f]{16}$/), { sub: 'a\nb' }],
  ])('gives a person the name %s, which fits the audit log', async (name, claims) => {
    const { signIn } = await startSignIn({ claims, info: claims });
    expect(await signIn()).toMatchObject({ name });
  });

  it('must tell of the person who has signed in', async () => {
    const { signIn } = await startSignIn({ info: { sub: 'eve', groups: ['admins'] } });
    await expect(signIn()).rejects.toThrow();
  });

  it('is asked with the newest refresh token, and refuses it or cannot be asked', async () => {
    const { signIn, provider, state } = await startSignIn({
      claims: { groups: ['admins'] },
      tokens: { refresh_token: '1' },
    });
    let { grant } = await signIn();
    const { idToken } = grant;
    for (const [tokens, refreshToken] of [
      [{ id_token: undefined }, '1'],
      [{ id_token: undefined, refresh_token: '2' }, '2'],
    ] as const) {
      state.tokens = tokens;
      const person = (await provider.confirm(grant)) as Person;
      expect(person).toMatchObject({ roles: [{ role: 'admin' }], grant: { refreshToken, idToken } });
      ({ grant } = person);
    }
    state.tokenStatus = 503;
    expect(await provider.confirm(grant)).toEqual({ grant });
    state.tokenStatus = 400;
    expect(await provider.confirm(grant)).toBe('refused');
  });

  it.each([
    ['the userinfo endpoint fails', { infoStatus: 503 }],
    ['the key of the ID token is unknown', { keys: [] }],
  ])('is asked with the refresh token that it sent last, although %s', async (_, fault) => {
    const { signIn, another, state } = await startSignIn({ tokens: { refresh_token: '1' } });
    const { grant } = await signIn();
    Object.assign(state, fault, { tokens: { refresh_token: '2' } });
    // Another one, because the library keeps the keys of a provider for some minutes.
    expect(await another().confirm(grant)).toEqual({ grant: { ...grant, refreshToken: '2' } });
  });

  it('that has new keys is asked for them ten seconds after a sign-in failed', async () => {
    const { signIn, state, clock } = await startSignIn({});
    await signIn();
    Object.assign(state, { kid: 'new', keys: state.keys.map((key) => ({ ...key, kid: 'new' })) });
    await expect(signIn()).rejects.toThrow();
    clock.advance(seconds(10));
    expect(await signIn()).toMatchObject({ name: 'user:ada' });
  });

  it.each([
    ['only in the ID token', { groups: ['admins'] }, {}, {}, ['admin']],
    ['in both', { groups: ['admins'] }, { groups: ['admins'] }, { groups: [] }, []],
    [
      'in both, of which the userinfo endpoint counts',
      { groups: ['x'] },
      { groups: ['admins'] },
      { groups: ['admins'] },
      ['admin'],
    ],
    ['in both, and is left out when it is empty', { groups: ['admins'] }, { groups: ['admins'] }, {}, []],
    ['only at the userinfo endpoint, and is left out when it is empty', {}, { groups: ['admins'] }, {}, []],
  ])('says whether a person still has a role, if the claim is %s', async (_, claims, before, after, roles) => {
    const { signIn, provider, state } = await startSignIn({ claims, info: before });
    const person = await signIn();
    expect(person.roles).toEqual([{ role: 'admin' }]);
    state.info = after;
    let { grant } = person;
    for (const _round of [1, 2]) {
      const confirmation = await provider.confirm(grant);
      expect(confirmation).toMatchObject({ roles: roles.map((role) => ({ role })) });
      grant = (confirmation as Person).grant;
    }
    state.infoStatus = 429;
    expect(await provider.confirm(grant)).toEqual({ grant });
    state.infoStatus = 401;
    expect(await provider.confirm(grant)).toBe('refused');
  });
});
