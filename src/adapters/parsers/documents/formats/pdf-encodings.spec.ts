import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { glyphNameToText, readLigatures } from './pdf-encodings.js';

const FONT = '<</Type/Font/BaseFont/ABCDEF+Libertine/Encoding 7 0 R>>';
const ENCODING = '<</Type/Encoding/Differences[27/f_i/f_l 31/T_h.alt 65/A/a.sc/bracketleft]>>';
const MEANS = { 27: 'fi', 28: 'fl', 31: 'Th', 66: 'a', 67: '' };

const codes = (file: string | Uint8Array, font = 'Libertine') =>
  Object.fromEntries(readLigatures(typeof file === 'string' ? Buffer.from(file, 'latin1') : file).get(font) ?? []);

describe('the codes of the fonts of a PDF', () => {
  it('stand for the letters that their glyph names state', () => {
    expect(codes(`%PDF-1.4\n6 0 obj${FONT}endobj\n7 0 obj\n${ENCODING}\nendobj\n`)).toEqual(MEANS);
  });

  it('are found in object streams', () => {
    const first = `6 0 7 ${FONT.length + 1} `;
    const stream = deflateSync(Buffer.from(`${first}${FONT} ${ENCODING}`));
    const file = (dictionary: string) =>
      Buffer.concat([Buffer.from(`%PDF-1.5\n9 0 obj\n${dictionary}\nstream\r\n`), stream, Buffer.from('\nendstream')]);
    expect(codes(file(`<</Type /ObjStm /N 2 /First ${first.length} /Filter /FlateDecode>>`))).toEqual(MEANS);
    expect(codes(file('<</Type /ObjStm /N 2 /First 99999 /Filter /FlateDecode>>'))).toEqual({});
  });

  it('are ignored where fonts of one name disagree', () => {
    const other = '8 0 obj<</BaseFont/GHIJKL+Libertine/Encoding<</Differences[27/f_f 31/T_h]>>>>endobj\n';
    expect(codes(`6 0 obj${FONT}endobj\n7 0 obj${ENCODING}endobj\n${other}`)).toMatchObject({
      27: '',
      28: 'fl',
      31: 'Th',
    });
  });

  it('are those of ligatures, where another subset of the font has a letter', () => {
    const other = '8 0 obj<</BaseFont/GHIJKL+Libertine/Encoding<</Differences[27/V]>>>>endobj\n';
    expect(codes(`6 0 obj${FONT}endobj\n7 0 obj${ENCODING}endobj\n${other}`)).toMatchObject(MEANS);
  });

  it('are ignored when the glyph is not a letter', () => {
    for (const name of ['bracketleft', 'f_', '_', '', 'summationtext', 'a1', 'f_five'])
      expect(glyphNameToText(name), name).toBe('');
  });

  it('are read from arbitrary files without failing', () => {
    const piece = fc.constantFrom(
      '6 0 obj',
      'endobj',
      FONT,
      ENCODING,
      '/ObjStm',
      'stream\n',
      'endstream',
      '/First 4',
      ' 1 2 3',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        for (const texts of readLigatures(Buffer.from(pieces.join(' '))).values())
          for (const text of texts.values()) expect(text).toMatch(/^[A-Za-z]*$/);
      }),
    );
  });
});
