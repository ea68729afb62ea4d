import { describe, expect, it } from 'vitest';
import { containsKey, type IndexNowResponse, MAX_INDEXNOW_URLS, parseIndexNow } from './indexnow.js';

const KEY = 'abcDEF-12345';
const URLS = ['https://a.example/x', 'https://a.example/y?z=1'];
const call = (parts: Record<string, unknown> = {}) => ({ host: 'a.example', key: KEY, urlList: URLS, ...parts });
const statusOf = (input: unknown): unknown => (parseIndexNow(input) as IndexNowResponse).status;

describe('a submission', () => {
  it('names its site, its URLs and the file that proves the key', () => {
    expect(parseIndexNow(call())).toEqual({
      host: 'a.example',
      key: KEY,
      urls: URLS,
      keyLocation: `https://a.example/${KEY}.txt`,
    });
    expect(parseIndexNow({ url: URLS[0], key: KEY })).toMatchObject({ host: 'a.example', urls: [URLS[0]] });
  });

  it.each([
    ['a host in capitals', { host: 'A.Example' }],
    ['URLs with a port, and a host without', { urlList: ['http://a.example:81/x'] }],
    ['the port in both', { host: 'a.example:81', urlList: ['http://a.example:81/x'] }],
    ['a key of 8 characters', { key: 'abcd-123' }],
    ['a key of 128 characters', { key: 'k'.repeat(128) }],
    ['a key file of its own', { keyLocation: 'https://a.example/keys/K.TXT', urlList: ['https://a.example/keys/x'] }],
    ['a URL of 2,048 characters', { urlList: [`https://a.example/${'x'.repeat(2_048 - 18)}`] }],
    ['as many URLs as are allowed', { urlList: Array(MAX_INDEXNOW_URLS).fill('https://a.example/x') }],
  ])('may have %s', (_, parts) => expect(statusOf(call(parts))).toBeUndefined());

  it.each([
    ['no object', 'text', 400],
    ['null', null, 400],
    ['a list', [], 400],
    ['no URLs', call({ urlList: [] }), 400],
    ['URLs that are no list', call({ urlList: 'https://a.example/x' }), 400],
    ['a URL that is no text', call({ urlList: [URLS[0], 7] }), 400],
    ['too many URLs', call({ urlList: Array(MAX_INDEXNOW_URLS + 1).fill('https://a.example/x') }), 400],
    ['no key', call({ key: undefined }), 400],
    ['an empty key', call({ key: '' }), 400],
    ['a key that is no text', call({ key: 12345678 }), 400],
    ['a location that is no text', call({ keyLocation: 7 }), 400],
    ['a host that is no text', call({ host: 7 }), 400],
    ['a key of 7 characters', call({ key: 'abc-123' }), 422],
    ['a key of 129 characters', call({ key: 'k'.repeat(129) }), 422],
    ['a key with other characters', call({ key: 'abcdefgh/' }), 422],
    ['a key after a space', call({ key: ' abcdefgh' }), 422],
    ['an FTP URL', call({ urlList: ['ftp://a.example/x'] }), 422],
    ['something that is no URL', call({ urlList: ['x'] }), 422],
    ['a user name', call({ urlList: ['https://u@a.example/x'] }), 422],
    ['a password', call({ urlList: ['https://:p@a.example/x'] }), 422],
    ['a URL that is too long', call({ urlList: [`https://a.example/${'x'.repeat(2_048 - 17)}`] }), 422],
    ['another host', call({ host: 'b.example' }), 422],
    ['a second URL on another host', call({ urlList: [URLS[0], 'https://b.example/x'] }), 422],
    ['a second URL on another port', call({ urlList: [URLS[0], 'https://a.example:8443/x'] }), 422],
    ['a second URL that is none', call({ urlList: [URLS[0], 'x'] }), 422],
    ['a key file on another host', call({ keyLocation: `https://b.example/${KEY}.txt` }), 422],
    ['a key file on another port', call({ keyLocation: `https://a.example:8443/${KEY}.txt` }), 422],
    ['a key file that is no URL', call({ keyLocation: '/key.txt' }), 422],
    ['a key file that is no text file', call({ keyLocation: 'https://a.example/key.php' }), 422],
    ['a key file with another name after .txt', call({ keyLocation: 'https://a.example/key.txt.php' }), 422],
    ['a key file with a query', call({ keyLocation: 'https://a.example/key.txt?x' }), 422],
    ['a URL outside of the folder of the key file', call({ keyLocation: 'https://a.example/keys/k.txt' }), 422],
    ['a URL beside the folder', call({ keyLocation: 'https://a.example/x/k.txt' }), 422],
  ])('with %s is refused', (_, input, status) => expect(statusOf(input)).toBe(status));

  it('is refused with at most 200 characters of what it sent', () => {
    for (const input of [
      call({ urlList: ['x'.repeat(300)] }),
      call({ urlList: [URLS[0], 'x'.repeat(300)] }),
      call({ keyLocation: 'https://a.example/k/k.txt', urlList: [`https://a.example/${'x'.repeat(300)}`] }),
    ])
      expect((parseIndexNow(input) as IndexNowResponse).message.length).toBeLessThan(270);
  });
});

it.each([
  [KEY, true],
  [`\uFEFF${KEY}\r\n`, true],
  [`  ${KEY}  `, true],
  [`x\uFEFF${KEY}`, false],
  [`${KEY} ${KEY}`, false],
  [`<html>${KEY}</html>`, false],
  ['', false],
])('a file with %j proves the key: %s', (text, expected) => expect(containsKey(text, KEY)).toBe(expected));
