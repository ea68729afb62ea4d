import { TextDecoder } from '@exodus/bytes/encoding.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEncoding, parseCharset, toUtf8 } from './charset.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const html = (text: string) => findEncoding(latin1(text), undefined, 'html');

describe('the encoding is taken from', () => {
  it('the byte order mark, before the header', () => {
    expect(findEncoding(latin1('\xef\xbb\xbfa'), 'iso-8859-1', 'html')).toBe('utf-8');
    expect(findEncoding(latin1('\xff\xfea\0'), 'utf-8', 'html')).toBe('utf-16le');
    expect(findEncoding(latin1('\xfe\xff\0a'), undefined, 'text')).toBe('utf-16be');
  });

  it('the header, before the page', () => {
    expect(findEncoding(latin1('<meta charset=utf-8>'), 'Latin1', 'html')).toBe('windows-1252');
    expect(findEncoding(latin1('a'), 'shift-jis', 'html')).toBe('shift_jis');
    expect(findEncoding(latin1('<meta charset=utf-8>caf\xe9'), 'Latin1', 'html')).toBe('windows-1252');
  });

  it.each([
    ['iso-8859-1', '<meta charset=utf-8><p>é</p>', 'html', 'utf-8'],
    ['iso-8859-1', '<p>Für große Bäume und Äpfel im Frühling</p>', 'html', 'utf-8'],
    ['windows-1251', 'Ёлки и берёзы', 'text', 'utf-8'],
    ['gbk', '<?xml version="1.0"?><a>汉语拼音字母</a>', 'xml', 'utf-8'],
    ['utf-16', '<p>plain</p>', 'html', 'utf-8'],
  ] as const)('the bytes, before a header that they contradict: %s, %s', (header, page, format, encoding) => {
    expect(findEncoding(Buffer.from(page), header, format)).toBe(encoding);
  });

  it.each([
    [
      'shift_jis',
      '93fa967b8cea82cc8379815b835782c582b7814295b68e9a8352815b836882cc90e98cbe82c68354815b836f815b82cc90dd92e882aa88e182a282dc82b78142',
      '日本語のペー',
    ],
    [
      'gbk',
      'd5e2cac7d2bbb8f6d6d0cec4cdf8d2b3a3acb7fecef1c6f7b5c4c9e8d6c3bacdcdf8d2b3b5c4c9f9c3f7b2bbd2bbd6c2a3ace4afc0c0c6f7bbe1cfd4cabec2d2c2eba1a3',
      '这是一个中文',
    ],
    [
      'big5',
      'b36fac4fa440add3a4a4a4e5baf4adb6a141a6f8aa41beb9aabab35da977a94dbaf4adb6aabaabc5a769a4a3a440ad50a143',
      '這是一個中文',
    ],
    [
      'euc-kr',
      'bcadb9f6c0c720bcb3c1a4b0fa20b9aebcadc0c720bcb1bef0c0cc20b4d9b8a3b8e920b1dbc0dab0a120b1fac1ae20bab8c0d4b4cfb4d92e',
      '서버의 설정',
    ],
  ])('the page, before a header that says UTF-8 of bytes that are hardly any of it: %s', (encoding, hex, beginning) => {
    const body = Buffer.concat([latin1(`<meta charset=${encoding}><p>`), Buffer.from(hex, 'hex')]);
    expect(findEncoding(body, 'utf-8', 'html')).toBe(encoding);
    expect(toUtf8(body, encoding).toString()).toContain(beginning);
  });

  it('the page or its letters, before a header that says UTF-8 of bytes that are none of it', () => {
    expect(findEncoding(latin1('<meta charset=iso-8859-2>\xb1'), 'utf-8', 'html')).toBe('iso-8859-2');
    expect(findEncoding(latin1('<p>caf\xe9 cr\xe8me br\xfbl\xe9e, s\u0027il vous pla\xeet'), 'utf-8', 'html')).toBe(
      'windows-1252',
    );
    // One broken character in a text is not another encoding.
    const broken = Buffer.concat([Buffer.from('<meta charset=iso-8859-1>größer '), latin1('\xe9')]);
    expect(findEncoding(broken, 'utf-8', 'html')).toBe('utf-8');
  });

  it.each([
    [latin1('<meta charset=utf-8><p>Gr\xfc\xdfe aus M\xfcnchen, f\xfcr alle</p>'), 'windows-1252'],
    [Buffer.from('<meta charset=iso-8859-1><p>Für große Bäume und Äpfel im Frühling</p>'), 'utf-8'],
    [Buffer.from(`<!--${' '.repeat(2_000)}--><meta charset=iso-8859-1><p>Für große Bäume und Äpfel</p>`), 'utf-8'],
    [Buffer.concat([Buffer.from('<meta charset=utf-8><p>größer '), latin1('\xe9')]), 'utf-8'],
  ])('the bytes, before a declaration that they contradict: %#', (page, encoding) => {
    expect(findEncoding(page, undefined, 'html')).toBe(encoding);
  });

  it('the header, where few letters happen to be valid UTF-8', () => {
    expect(findEncoding(latin1('<p>\xc2\xb3 and \xc3\xa9</p>'), 'windows-1251', 'html')).toBe('windows-1251');
  });

  it('the header, for every text that is long enough to contradict UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'äöüßéèñ abc'), minLength: 1, maxLength: 60 }), (text) => {
        const body = Buffer.concat([latin1('<p>\xe4 '), latin1(text)]);
        expect(findEncoding(body, 'iso-8859-1', 'html')).toBe('windows-1252');
        const utf8 = Buffer.from(`<p>äöüäö ${text}`);
        expect(findEncoding(utf8, 'iso-8859-1', 'html')).toBe('utf-8');
      }),
    );
  });

  it.each([
    ['<meta charset=koi8-r>', 'koi8-r'],
    ['<META CharSet = "ISO-8859-2" />', 'iso-8859-2'],
    ['<meta http-equiv=Content-Type content="text/html; charset=big5">', 'big5'],
    ["<meta content='text/html;charset= \"euc-jp\"' http-equiv='content-type'>", 'euc-jp'],
    ['<!-- <meta charset=koi8-r> --><p title="<meta charset=koi8-r>"><meta charset=gbk>', 'gbk'],
    ['<?xml version="1.0" encoding="iso-8859-5"?><html>', 'iso-8859-5'],
    ['<meta charset=utf-16le>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<meta charset=nonsense><meta charset=koi8-u>', 'koi8-u'],
    ['<meta name=x content="charset=koi8-r">', 'utf-8'],
    ['<metadata charset=koi8-r>', 'utf-8'],
    ['</meta charset=koi8-r>', 'utf-8'],
    ['<meta charset=koi8-r', 'utf-8'],
  ])('the page, as in %s', (page, encoding) => expect(html(page)).toBe(encoding));

  it('the XML declaration of XML', () => {
    const xml = '<?xml version="1.0" encoding=\'iso-8859-15\'?><meta charset="koi8-r"/>';
    expect(findEncoding(latin1(xml), undefined, 'xml')).toBe('iso-8859-15');
  });

  it.each([
    '<?xml version="1.0" encoding="UTF-16"?><a>\u00e9</a>',
    '\r\n <!doctype html><title>\u0414\u0430</title>',
    '<html><meta charset=koi8-r>',
  ])('markup in UTF-16 without a byte order mark: %j', (text) => {
    const wide = Buffer.from(text, 'utf16le');
    for (const format of ['html', 'xml'] as const) {
      expect(findEncoding(wide, undefined, format)).toBe('utf-16le');
      expect(findEncoding(Buffer.from(wide).swap16(), undefined, format)).toBe('utf-16be');
    }
  });

  it('nothing inside of plain text', () => {
    expect(findEncoding(latin1('<meta charset=koi8-r>'), undefined, 'text')).toBe('utf-8');
  });

  it('a declaration after the first 1,024 bytes only when the page is not UTF-8', () => {
    const late = `<!--${' '.repeat(2_000)}--><meta charset=koi8-r>`;
    expect(html(`${late}\xc4`)).toBe('koi8-r');
    expect(html(late)).toBe('utf-8');
  });

  it('the text itself when nothing else declares it', () => {
    const russian = Buffer.from('d0cfd3cdcfd4d2c9d4c520cec120dcd4cfd420d4c5cbd3d4', 'hex');
    expect(findEncoding(Buffer.concat(Array<Buffer>(20).fill(russian)), undefined, 'html')).toBe('koi8-r');
    expect(findEncoding(Buffer.from('Grüße'), undefined, 'html')).toBe('utf-8');
  });

  it('windows-1252 when nothing else is known', () => {
    expect(html('\xe9')).toBe('windows-1252');
  });
});

describe('unknown labels', () => {
  it.each(['nonsense', '', 'none', 'iso-2022-kr', 'constructor'])('%j in the header are skipped', (label) => {
    expect(findEncoding(latin1('<meta charset=koi8-r>'), label, 'html')).toBe('koi8-r');
  });
});

describe('decoding', () => {
  const decoded = (bytes: string, encoding: string) => toUtf8(latin1(bytes), encoding).toString('utf8');

  it('removes the byte order mark', () => {
    expect(decoded('\xef\xbb\xbfa', 'utf-8')).toBe('a');
    expect(decoded('\xff\xfea\0', 'utf-16le')).toBe('a');
  });

  it('reads windows-1252 by the WHATWG table', () => {
    expect(decoded('\x80\x81\x9f\xe9', 'windows-1252')).toBe('€\u0081Ÿé');
  });

  it.each([
    ['shift_jis', '\x93\xfa\x96{', '日本'],
    ['euc-kr', '\xc7\xd1\xb1\xdb', '한글'],
    ['big5', '\xa4\xa4\xa4\xe5', '中文'],
    ['gb18030', '\xd6\xd0\xce\xc4', '中文'],
    ['iso-2022-jp', '\x1b$BF|K\\\x1b(B', '日本'],
    ['koi8-r', '\xd2\xd5', 'ру'],
  ])('reads %s', (encoding, bytes, text) => expect(decoded(bytes, encoding)).toBe(text));

  it('passes UTF-8 through without a copy', () => {
    const body = Buffer.from('Grüße');
    expect(toUtf8(body, 'utf-8')).toBe(body);
  });

  it('inserts replacement characters for invalid UTF-8, as the standard says', () => {
    const bytes = fc.array(
      fc.constantFrom(0x41, 0x3c, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xed, 0xa0, 0xf0, 0x9f, 0x98, 0xf5, 0xff),
    );
    fc.assert(
      fc.property(bytes, (list) => {
        const body = Buffer.from(list);
        expect(toUtf8(body, 'utf-8').toString('utf8')).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never fails, whatever the bytes', () => {
    const encodings = fc.constantFrom(
      'utf-16be',
      'gbk',
      'euc-jp',
      'iso-2022-jp',
      'windows-874',
      'big5',
      'x-user-defined',
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), encodings, fc.option(fc.string()), (bytes, encoding, label) => {
        const body = Buffer.from(bytes);
        toUtf8(body, encoding);
        for (const format of ['html', 'xml', 'text'] as const)
          toUtf8(body, findEncoding(body, label ?? undefined, format));
      }),
    );
  });
});

describe('the header names the charset', () => {
  it.each([
    ['text/html; charset=UTF-8', 'UTF-8'],
    ['text/html;charset="koi8-r" ; x=y', 'koi8-r'],
    ["text/html; x=y; Charset = 'big5'", 'big5'],
  ])('%s', (header, charset) => expect(parseCharset(header)).toBe(charset));

  it('or does not', () => {
    expect(parseCharset('text/html')).toBeUndefined();
    expect(parseCharset('text/html; charset=')).toBeUndefined();
    expect(parseCharset(undefined)).toBeUndefined();
  });
});

describe('a page that declares nothing', () => {
  /** Names of countries in the language; names that the charset cannot encode are left out. */
  function page(language: string, charset: string, from: number): Buffer | undefined {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const table = new Map([...toUtf8(Buffer.from(bytes), charset).toString('utf8')].map((letter, i) => [letter, i]));
    const names = new Intl.DisplayNames([language], { type: 'region' });
    const regions = 'DE FR IT ES GR TR RU UA BG IL EG CN JP US GB BR MX CA NO SE FI PL CZ HU RO'.split(' ');
    const words = [...regions.slice(from), ...regions.slice(0, from)].slice(0, 14).map((code) => names.of(code)!);
    const items = words.map((word) => `<li class="country-name"><a href="/countries/list">${word}</a></li>`);
    const markup = `<html><head><title>List of countries</title></head><body>${items.join('')}</body></html>`;
    const codes = [...markup].map((letter) => table.get(letter));
    return codes.includes(undefined) ? undefined : Buffer.from(codes as number[]);
  }

  it.each([
    ['ru', 'windows-1251'],
    ['ru', 'koi8-r'],
    ['ru', 'iso-8859-5'],
    ['bg', 'windows-1251'],
    ['el', 'windows-1253'],
  ])('of %s in %s is detected from its words, not from its markup', (language, charset) => {
    const pages = Array.from({ length: 12 }, (_, i) => page(language, charset, 2 * i)).filter(
      (one) => one !== undefined,
    );
    const same = (one: Buffer): boolean =>
      toUtf8(one, findEncoding(one, undefined, 'html')).equals(toUtf8(one, charset));
    expect(pages.length).toBeGreaterThan(6);
    expect(pages.filter(same).length / pages.length).toBeGreaterThan(0.8);
  });

  it('of Hebrew with dashes and quotation marks is windows-1255', () => {
    const names = new Intl.DisplayNames(['he'], { type: 'region' });
    const text = ['DE', 'FR', 'IT', 'ES', 'GR', 'TR', 'RU', 'UA'].map((code) => `„${names.of(code)}”`).join(' – ');
    const code = (letter: string): number =>
      ({ '„': 0x84, '”': 0x94, '–': 0x96 })[letter] ??
      (letter >= 'א' ? letter.charCodeAt(0) - 0x4f0 : letter.charCodeAt(0));
    const body = Buffer.from([...`<html><body><p>${text}</p></body></html>`].map(code));
    expect(toUtf8(body, findEncoding(body, undefined, 'html')).toString('utf8')).toContain(text);
  });
});
