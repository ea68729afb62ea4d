import aws4 from 'aws4';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../domain/secret.js';
import { AwsSigner } from './aws-signer.js';
import type { SinkRequest } from './sink-request.js';

/** Credentials, time and service from the test suite that AWS published for Signature Version 4. */
const ACCESS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  region: 'us-east-1',
  service: 'service',
};
const AT = new Date('2015-08-30T12:36:00Z');

async function signature(request: SinkRequest, path = '/', sessionToken?: string): Promise<string | undefined> {
  const headers = await new AwsSigner(
    { ...ACCESS, sessionToken: sessionToken === undefined ? undefined : new Secret(sessionToken) },
    false,
  ).sign(`https://example.amazonaws.com${path}`, request, AT);
  return /Signature=([0-9a-f]{64})$/.exec(headers['authorization'] ?? '')?.[1];
}

describe('the AWS signature, by the published test vectors', () => {
  it.each<[string, SinkRequest, string]>([
    ['get-vanilla', { method: 'GET', path: '' }, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', { method: 'POST', path: '' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      { method: 'GET', path: '', query: { Param2: 'value2', Param1: 'value1' } },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-x-www-form-urlencoded',
      {
        method: 'POST',
        path: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'Param1=value1',
      },
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s', async (_, request, expected) => {
    expect(await signature(request)).toBe(expected);
  });

  it('covers body, query, path and session token', async () => {
    const request: SinkRequest = { method: 'POST', path: '', body: 'a', query: { q: '1' } };
    const all = await Promise.all([
      signature(request),
      signature({ ...request, body: 'b' }),
      signature({ ...request, query: { q: '2' } }),
      signature(request, '/x'),
      signature(request, '/', 'token'),
    ]);
    expect(new Set(all).size).toBe(5);
  });

  it.each<[string, SinkRequest]>([
    ['a search', { method: 'GET', path: '', query: { q: 'a b+c', pretty: '' } }],
    [
      'a bulk request through a pipeline',
      { method: 'POST', path: '', query: { pipeline: 'p/1' }, body: '{"index":{}}\n{"text":"Größe"}\n' },
    ],
    ['a path in need of escaping', { method: 'PUT', path: '', body: '{}' }],
  ])('signs %s like the independent library aws4', async (what, request) => {
    const path = what.startsWith('a path') ? '/my%20index/_doc/%C3%BC' : '/pages/_bulk';
    const query = new URLSearchParams({ ...request.query } as Record<string, string>).toString().replaceAll('+', '%20');
    const signer = new AwsSigner({
      ...ACCESS,
      service: 'es',
      region: 'eu-central-1',
      sessionToken: new Secret('token'),
    });
    const {
      authorization,
      'x-amz-date': date,
      ...headers
    } = await signer.sign(`https://example.amazonaws.com${path}`, request, AT);
    const theirs = new aws4.RequestSigner(
      {
        host: 'example.amazonaws.com',
        path: query === '' ? path : `${path}?${query}`,
        method: request.method,
        body: request.body as string | undefined,
        service: 'es',
        region: 'eu-central-1',
        headers: { ...headers, 'x-amz-date': date },
        doNotModifyHeaders: true,
      } as aws4.Request,
      { accessKeyId: ACCESS.accessKeyId, secretAccessKey: ACCESS.secretAccessKey.reveal(), sessionToken: 'token' },
    );
    // It takes the time only from the Date header, which we do not sign.
    Object.assign(theirs, { datetime: date });
    const { Authorization } = theirs.sign().headers as Record<string, string>;
    expect(authorization?.split('Signature=')).toEqual(Authorization?.split('Signature='));
  });
});
