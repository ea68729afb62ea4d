import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeRuleExpression, normalizeRuleText } from './rule-text.js';

test.each([
  ['scheme', 'exact', 'HTTPS', 'https'],
  ['host', 'exact', 'WWW.Example.COM.', 'www.example.com'],
  ['host', 'prefix', 'WWW.Example.COM.', 'www.example.com.'],
  ['host', 'suffix', '.Example.COM.', '.example.com'],
  ['host', 'inside', 'A.B.', 'a.b.'],
  ['host', 'exact', 'bücher.example', 'xn--bcher-kva.example'],
  ['host', 'suffix', '.bücher.example', '.xn--bcher-kva.example'],
  ['host', 'prefix', 'büch', 'xn--bch-hoa'],
  ['host', 'exact', '*.Bücher.example.', '*.xn--bcher-kva.example'],
  ['host', 'exact', '0x7f.1', '127.0.0.1'],
  ['host', 'prefix', '0x7f.1', '0x7f.1'],
  ['host', 'exact', '[::0001]', '[::1]'],
  ['host', 'exact', 'a..', 'a..'],
  ['host', 'exact', '.', '.'],
  ['host', 'exact', 'a?.b', 'a?.b'],
  ['url', 'exact', 'HTTP://A.example', 'http://a.example/'],
  ['url', 'prefix', 'HTTP://A.example', 'http://a.example'],
  ['url', 'prefix', 'http://A.example./', 'http://a.example/'],
  ['url', 'prefix', 'http://a.example.', 'http://a.example.'],
  ['url', 'exact', 'http://a.example.', 'http://a.example/'],
  ['url', 'exact', 'http://a.example:80', 'http://a.example/'],
  ['url', 'prefix', 'http://a.example:80', 'http://a.example/'],
  ['url', 'prefix', 'http://a.example:', 'http://a.example/'],
  ['url', 'prefix', 'http://a.example:8', 'http://a.example:8'],
  ['url', 'prefix', 'https://a.example:443/x', 'https://a.example/x'],
  ['url', 'prefix', 'http://a.example:443/x', 'http://a.example:443/x'],
  ['url', 'prefix', 'http://user:p@a.example/', 'http://a.example/'],
  ['url', 'prefix', 'http://user@b.example:p@a.example/', 'http://a.example/'],
  ['url', 'exact', 'http://*.example', 'http://*.example'],
  ['url', 'exact', 'http://[::0001]:80/x', 'http://[::1]/x'],
  ['url', 'exact', 'http://[::1]', 'http://[::1]/'],
  ['url', 'exact', 'http://a/x/../y', 'http://a/y'],
  ['url', 'exact', 'http://a/x/./y?z/../w', 'http://a/x/y?z/../w'],
  ['url', 'exact', 'http://a/x/%2E%2e/y', 'http://a/y'],
  ['url', 'prefix', 'http://a/x y?x y', 'http://a/x%20y?x%20y'],
  ['url', 'prefix', 'http://a/é?é', 'http://a/%C3%A9?%C3%A9'],
  ['url', 'prefix', 'http://a?Q', 'http://a/?Q'],
  ['url', 'prefix', 'http://a:80?u=http://b/', 'http://a/?u=http://b/'],
  ['url', 'exact', 'http://a?Q', 'http://a/?Q'],
  ['url', 'exact', 'http://a?q=1.5', 'http://a/?q=1.5'],
  ['url', 'exact', 'http://www?.a.example/*', 'http://www?.a.example/*'],
  ['url', 'exact', 'http://*?q=1', 'http://*?q=1'],
  ['url', 'inside', "a b?a'b", 'a%20b?a%27b'],
  ['url', 'suffix', '/Ä', '/%C3%84'],
  ['url', 'prefix', '*://a/', '*://a/'],
  ['url', 'prefix', 'http://a/x\u0000/../y', 'http://a/x\u0000/../y'],
  ['url', 'prefix', 'ftp://A:21/', 'ftp://a:21/'],
  ['path', 'inside', '/a b"<>[]^`{|}\'', "/a%20b%22%3C%3E[]%5E%60%7B|%7D'"],
  ['query', 'inside', 'a b"<>[]^`{|}\'', 'a%20b%22%3C%3E[]^`{|}%27'],
  ['path', 'inside', '/%7e%2f%c3%a9é', '/~%2F%C3%A9%C3%A9'],
  ['query', 'inside', '%7e%2f', '~%2F'],
  ['fragment', 'inside', '%7Eé b', '~%C3%A9 b'],
] as const)('in a rule about %s, of kind %s, %j is compared as %j', (field, kind, text, expected) => {
  expect(normalizeRuleText(text, { field, kind })).toBe(expected);
});

test.each([
  ['host', '^a\\.example\\.$', '^a\\.example$'],
  ['host', 'a\\.$', 'a$'],
  ['host', '\\.$', '\\.$'],
  ['host', 'x.$', 'x.$'],
  ['url', '^https?://a', '^https?://a'],
  ['url', '^http://a\\.example\\.:80/x', '^http://a\\.example/x'],
  ['url', '^http://a\\.example\\.:8080/x', '^http://a\\.example:8080/x'],
  ['url', 'https://a:443$', 'https://a$'],
  ['url', 'http://a:443/', 'http://a:443/'],
  ['url', '^http://a\\./', '^http://a/'],
  ['url', '^HTTP://a:80/', '^HTTP://a/'],
  ['url', '^http://a\\.b\\.', '^http://a\\.b\\.'],
  ['url', '^http://(a|b):80/', '^http://(a|b):80/'],
  ['path', '/%7e%2f%41[%41]\\%41%2e', '/~%2FA[%41]\\%41\\.'],
  ['path', '[%41]%41', '[%41]A'],
  ['path', '\\[%41', '\\[A'],
  ['path', 'a%4', 'a%4'],
  ['url', '^http://a:80', '^http://a:80'],
  ['query', 'http://a:80/', 'http://a:80/'],
] as const)('an expression about %s: %j is run as %j', (field, source, expected) => {
  expect(normalizeRuleExpression(source, field)).toBe(expected);
});

test('a whole URL is converted to what the URL standard makes of it, plain or not', () => {
  const label = fc.constantFrom('a', 'a1', '1', '0x7f', 'a-b', 'a--b', 'xn--bcher-kva', 'B', '-a', 'a-', 'a_b');
  const segment = fc.constantFrom('', '.', '..', '...', 'a', 'a.b', '.a', 'a..', 'A_b-c', 'index.html', '~a', '[a]');
  fc.assert(
    fc.property(
      fc.constantFrom('http', 'https', 'HTTP'),
      fc.array(label, { minLength: 1, maxLength: 3 }),
      fc.array(segment, { maxLength: 4 }),
      (scheme, labels, segments) => {
        const text = `${scheme}://${labels.join('.')}/${segments.join('/')}`;
        const url = URL.parse(text);
        // What ends in a dot segment is left as it is: it may be the beginning of a longer name.
        if (!url || /\/\.{1,2}$/.test(text)) return;
        expect(normalizeRuleText(text, { field: 'url', kind: 'exact' })).toBe(url.href);
        expect(normalizeRuleText(text, { field: 'url', kind: 'prefix' })).toBe(url.href);
      },
    ),
    // Few of them are plain.
    { numRuns: 3_000 },
  );
});

test('the beginning of a plain URL stays one', () => {
  for (const text of ['http://a', 'http://a.b', 'https://a.example/b', 'https://a.example/b.', 'http://a/b/c-'])
    expect(normalizeRuleText(text, { field: 'url', kind: 'prefix' })).toBe(text);
});
