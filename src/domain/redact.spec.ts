import { describe, expect, it } from 'vitest';
import {
  findParameterRanges,
  findPrivateKeyRanges,
  findUserInfoRanges,
  isSecretName,
  redact,
  redactDeep,
} from './redact.js';

describe('redact', () => {
  it.each([
    'http://user:S3CRET@host/a',
    'http://user:p@S3CRET@host/a',
    'http://S3CRET@host/a',
    'http://S3CRET:@host/',
    'http:\\\\user:S3CRET@host\\a',
    'HTTPS:user:S3CRET@host',
    'http:/user:S3CRET@host',
    'postgres://user:S3CRET@host:5432/db?sslmode=require',
    '//user:S3CRET@host/',
    'http://user:pa/S3CRET@host/',
    'http://user:pa#S3CRET@host/',
    'http://user:pa?S3CRET@host/',
    'http://user:with blank S3CRET@host/',
    'http://user:a?token=b&S3CRET@host/',
    "'http://user:S'3CRET@host' is not right",
    '{"url":"http://user:S3CRET@host/"}',
    'http://a/?u=http://user:S3CRET@host/',
    'http://a/?u=http%3A%2F%2Fuser%3AS3CRET%40host%2F',
    '/api/v1/x?like=http%3A%2F%2Fuser%3AS3CRET%40host%2F%ff',
    'http://a/?x=1&access_token=S3CRET&y=2#f',
    'http://a/?apiKey=S3CRET',
    'http://a/?%74oken=S3CRET',
    'https://a/?X-Amz-Signature=S3CRET',
    'first http://one/ then http://u:S3CRET@two/ and http://u:S3CRET@three/',
  ])('hides the secret of %s', (text) => {
    expect(redact(text)).not.toMatch(/S3CRET|3CRET/);
    expect(redact(text)).toContain('***');
    expect(redact(redact(text))).toBe(redact(text));
  });

  it.each([
    'http://host/photo@2x.png',
    'http://host:8080/a@b?page=3#x@y',
    'http://[::1]:80/@',
    'a@b.example wrote',
    'what is it? nothing',
    'http://host/?q=a&b=c',
    'sink main at http://h:8742: status 500: a@b',
    "'http://host:80' is not valid; write to a@b.example",
  ])('leaves %s as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('keeps what is around a secret', () => {
    expect(redact('GET http://u:p@host/a?b=1&token=t&c=2 failed')).toBe(
      'GET http://***@host/a?b=1&token=***&c=2 failed',
    );
    expect(redactDeep({ a: ['http://u:p@h'], b: 3, c: { d: 'x' } })).toEqual({
      a: ['http://***@h'],
      b: 3,
      c: { d: 'x' },
    });
  });

  it('recognizes names that indicate a secret', () => {
    expect(['accessToken', 'api_key', 'PWD', 'X-Api-Key', 'clientSecret'].filter(isSecretName)).toHaveLength(5);
    expect(['monkey', 'passenger', 'author', 'tokenizer', 'page'].filter(isSecretName)).toEqual([]);
  });

  it('runs in linear time on adversarial texts', () => {
    for (const piece of ['//', ':/', 'http:', '@', '?', '?a=&', 'http://u:p ', '%40', '//u:p/', '&token=']) {
      expect(redact(`@?${piece.repeat(10_000)}`).length).toBeGreaterThan(0);
    }
  });
});

/** The parts of a text that ranges mark. */
const marked = (text: string, ranges: readonly (readonly [number, number, ...unknown[]])[]) =>
  ranges.map(([start, end]) => text.slice(start, end));

describe('the parts of a text that may be secret', () => {
  it.each([
    ['http://u:p@h/ and http://v@i/', ['u:p', 'v']],
    ['http://a@b@h/', ['a@b']],
    ['http://h/', []],
    ['http://h:80/x@y', []],
    ['http://h:123456/x@y', ['h:123456/x']],
    ['http://[::1]/x@y', []],
    ['http://u:p/w@h/', ['u:p/w']],
    ['http://u:p w@h', ['u:p w']],
    ['http://u:p"w@h', []],
    ['http://u:p\nw@h', []],
    [`http://u:p/${'x'.repeat(250)}@h`, [`u:p/${'x'.repeat(250)}`]],
    [`http://u:p/${'x'.repeat(260)}@h`, []],
    ['http://u:p@//v:q@h/', ['u:p', 'v:q']],
    ['https:u@h', ['u']],
    ['xhttps:u@h', ['u']],
    ['mailto:u@h', []],
  ])('user info in %j is %j', (text, expected) => expect(marked(text, findUserInfoRanges(text))).toEqual(expected));

  const key = (kind = '') => `-----BEGIN ${kind}PRIVATE KEY-----\nabc\n-----END ${kind}PRIVATE KEY-----`;
  const cutKey = '-----BEGIN PRIVATE KEY-----\nabc\n-----END KEY-----';
  it.each([
    [`x ${key()} y`, [key()]],
    [`${key('RSA ')} y ${key('EC ')}`, [key('RSA '), key('EC ')]],
    [`x ${cutKey} y`, [`${cutKey} y`]],
    ['-----BEGIN CERTIFICATE-----', []],
  ])('private keys in %j', (text, expected) => expect(marked(text, findPrivateKeyRanges(text))).toEqual(expected));

  it.each([
    ['/x?a=1&b=2', ['a: 1', 'b: 2']],
    ['/x?a=1;b=2#c=3', ['a: 1', 'b: 2']],
    ['/x?a=1 y?c=3', ['a: 1', 'c: 3']],
    ['/x?token', [': token']],
    ['/x?a=b=c', ['a: b=c']],
    ['/x?&&a=', ['a: ']],
    ['/x?%61b=1', ['ab: 1']],
    ['/x?a=1?b=2', ['a: 1?b=2']],
    ['/x?', []],
    ['/x', []],
    ['?a=1"?b=2', ['a: 1', 'b: 2']],
  ])('parameters in %j', (text, expected) =>
    expect(findParameterRanges(text).map(([start, end, name]) => `${name}: ${text.slice(start, end)}`)).toEqual(
      expected,
    ),
  );
});
