import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toUnicodeHost, toUnicodeUrl } from './unicode-host.js';

it.each([
  ['xn--bcher-kva.example', 'bücher.example'],
  ['www.xn--strae-oqa.de', 'www.straße.de'],
  ['xn--gteborg-90a.example', 'göteborg.example'],
  ['xn--e1afmkfd.xn--p1ai', 'пример.рф'],
  ['xn--fsqu00a.xn--0zwm56d', '例子.测试'],
  ['plain.example', 'plain.example'],
  ['xn--.example', '.example'],
  ['xn--!!.example', 'xn--!!.example'],
  ['xn--99999999.example', 'xn--99999999.example'],
])('%s is written as %s', (host, written) => expect(toUnicodeHost(host)).toBe(written));

it('of a URL, only the host is converted', () => {
  expect(toUnicodeUrl('http://xn--bcher-kva.example:8080/xn--bcher-kva?xn--bcher-kva')).toBe(
    'http://bücher.example:8080/xn--bcher-kva?xn--bcher-kva',
  );
});

it('every name that the URL standard accepts has the letters that the standard gives it', () => {
  const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), (labels) => {
      const host = domainToASCII(labels.join('.'));
      if (host !== '') expect(toUnicodeHost(host)).toBe(domainToUnicode(host));
    }),
  );
});

it('whatever a label contains, the conversion ends', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      toUnicodeHost(`xn--${text}`);
    }),
  );
});
