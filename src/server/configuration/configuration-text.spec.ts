import { describe, expect, it } from 'vitest';
import { declareUtf8, decodeConfiguration } from './configuration-text.js';

const xml = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>\n<a b="Größe €"/>`;
const UTF8 = xml('UTF-8');

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
/** The euro sign is 0x80 in windows-1252, which is also what browsers take ISO-8859-1 to be. */
const windows1252 = (text: string): Buffer => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');

describe('a configuration', () => {
  it.each([
    ['UTF-8', Buffer.from(UTF8)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${UTF8}`)],
    ['ISO-8859-1', windows1252(xml('ISO-8859-1'))],
    ['windows-1252', windows1252(xml('windows-1252'))],
    ['UTF-16, little endian, with a mark', Buffer.from(`\uFEFF${xml('UTF-16')}`, 'utf16le')],
    ['UTF-16, little endian, without a mark', Buffer.from(xml('UTF-16'), 'utf16le')],
    ['UTF-16, big endian, with a mark', utf16be(`\uFEFF${xml('utf-16')}`)],
    ['UTF-16, big endian, without a mark', utf16be(xml('UTF-16'))],
    ['UTF-8 that still declares its former encoding', Buffer.from(xml('ISO-8859-1'))],
  ])('in %s is read, and is UTF-8 from then on', (_, bytes) => {
    expect(decodeConfiguration(bytes).replace('\uFEFF', '')).toBe(UTF8);
  });

  it('is read in the encoding that the sender names, rather than in the declared one', () => {
    expect(decodeConfiguration(Buffer.from('<a b="\xb1"/>', 'latin1'), 'iso-8859-2')).toBe('<a b="ą"/>');
  });

  it('in an unknown encoding keeps a trace of what could not be read', () => {
    expect(decodeConfiguration(windows1252(xml('klingon')))).toContain('Gr\uFFFD\uFFFDe');
    expect(decodeConfiguration(windows1252('<a b="ö"/>'))).toBe('<a b="\uFFFD"/>');
  });

  it('without a declaration of its encoding stays as it is', () => {
    for (const text of ['<a/>', '<?xml version="1.0"?><a/>', '<a><?xml encoding="x"?></a>', '']) {
      expect(declareUtf8(text)).toBe(text);
      expect(decodeConfiguration(Buffer.from(text))).toBe(text);
    }
  });
});
