import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseChallenges, parseParameters } from './challenges.js';
import { chooseDigest, createDigestAuthorization } from './digest-login.js';

/** RFC 7616, 3.9.1. */
const EXAMPLE = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
const USER = { user: 'Mufasa', password: 'Circle of Life' };
const REQUEST = {
  method: 'GET',
  uri: '/dir/index.html',
  count: 1,
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
};

it.each([
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
])('the response for %s matches RFC 7616', (algorithm, response) => {
  const challenges = parseChallenges(EXAMPLE).filter(({ parameters }) => parameters.get('algorithm') === algorithm);
  const header = createDigestAuthorization(chooseDigest(challenges)!, USER, REQUEST);
  expect(parseParameters(header.slice('Digest '.length)).get('response')).toBe(response);
  expect(header).toContain('nc=00000001');
});

it('a realm is hashed and sent back byte by byte, and a user in UTF-8', () => {
  const asReceived = (text: string): string => Buffer.from(text).toString('latin1');
  const challenge = chooseDigest(parseChallenges(`Digest realm="${asReceived('Geschützt')}", nonce="n"`))!;
  const header = createDigestAuthorization(challenge, { user: 'zoë', password: 'süß€' }, REQUEST);
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
  expect(Object.fromEntries(parseParameters(header.slice('Digest '.length)))).toMatchObject({
    realm: asReceived('Geschützt'),
    username: asReceived('zoë'),
    response: md5(`${md5('zoë:Geschützt:süß€')}:n:${md5('GET:/dir/index.html')}`),
  });
});

it('the strongest known algorithm is used, and unknown parameters are ignored', () => {
  expect(chooseDigest(parseChallenges(EXAMPLE))?.algorithm).toBe('SHA-256');
  expect(chooseDigest(parseChallenges('Basic realm="x", Digest nonce="n", algorithm=SHA-1'))).toBeUndefined();
  expect(chooseDigest(parseChallenges('Digest nonce="n", qop="auth-int"'))).toBeUndefined();
  expect(chooseDigest(parseChallenges('Digest realm="a \\"b\\", c", nonce="n"'))).toMatchObject({ realm: 'a "b", c' });
});

it.each(['', ',,,', '"', 'Digest', `Digest ${'a="'.repeat(5_000)}`, 'x='.repeat(9_000)])(
  'a header of another scheme is not a challenge',
  (header) => expect(chooseDigest(parseChallenges(header))).toBeUndefined(),
);
