import { describe, expect, it } from 'vitest';
import { createProxyChooser } from './choose-proxy.js';

describe('the proxy of a URL', () => {
  const choose = createProxyChooser([
    {
      url: 'http://all:1',
      noProxy: ['corp.example', '.lan', '10.0.0.0/8', 'odd.example:8443', 'tls.example:443', 'fd00::/8', '192.0.2.7'],
    },
    { url: 'http://partner:2', for: 'https://partner.example/', noProxy: [] },
    { url: 'http://docs:3', for: 'https://partner.example/docs/', noProxy: [] },
  ]);
  const of = (url: string) => choose(new URL(url))?.url;

  it('is the one with the longest prefix, on that server only', () => {
    expect(of('https://partner.example/a')).toBe('http://partner:2');
    expect(of('https://partner.example/docs/a')).toBe('http://docs:3');
    expect(of('http://partner.example/docs/a')).toBe('http://all:1');
    expect(of('https://partner.example.evil.example/docs/')).toBe('http://all:1');
  });

  it('is not used for hosts, subdomains, addresses and ports among its exceptions', () => {
    for (const url of [
      'http://corp.example/',
      'https://www.corp.example:444/',
      'http://printer.lan/',
      'http://10.1.2.3/',
      'https://odd.example:8443/',
      'https://tls.example/',
      'http://192.0.2.7/',
      'http://[fd00::1]/',
    ])
      expect(of(url), url).toBeUndefined();
    for (const url of [
      'http://notcorp.example/',
      'http://11.1.2.3/',
      'https://odd.example/',
      'http://tls.example/',
      'http://192.0.2.70/',
    ])
      expect(of(url), url).toBe('http://all:1');
  });

  it('is not used when everything is an exception or no prefix matches', () => {
    expect(createProxyChooser([{ url: 'http://a:1', noProxy: ['*'] }])(new URL('http://x.example/'))).toBeUndefined();
    expect(
      createProxyChooser([{ url: 'http://a:1', for: 'http://y.example/', noProxy: [] }])(new URL('http://x.example/')),
    ).toBeUndefined();
  });
});
