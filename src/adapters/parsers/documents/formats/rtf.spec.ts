import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as sample from '../../../../../test/support/sample-documents.js';
import type { Extraction } from '../../../../engine/ports/content-extractor.js';
import { Unreadable } from '../document-content.js';
import { readRtf } from './rtf.js';

const REQUEST = { mediaType: 'application/rtf', maxTextLength: 100_000, maxLinks: 100, timeLimit: 30_000 };
const read = (source: string): Extraction => readRtf(Buffer.from(source, 'latin1'), REQUEST).finish(() => undefined);
const textOf = (body: string, head = '\\ansi\\ansicpg1252'): string => read(`{\\rtf1${head} ${body}}`).text;
const bytes = (hex: string): string => hex.replace(/../g, "\\'$&");

describe('the characters of RTF', () => {
  it('are those of their fonts', () => {
    const fonts =
      '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset238 Arial CE;}{\\f2\\fcharset204 Arial Cyr;}{\\f3\\fcharset77 Geneva;}{\\f4\\fcharset255 Terminal;}}';
    // The same word in windows-1250, windows-1251, and é in the code pages of the Macintosh and of DOS.
    expect(textOf(`${fonts}\\f1 ${bytes('e8')}l${bytes('e1')}nek \\f2 ${bytes('ece5f2')}`)).toBe('článek мет');
    expect(textOf(`${fonts}{\\f3 ${bytes('8e')}} {\\f4 ${bytes('82')}} ${bytes('e9')}`)).toBe('é é é');
  });

  it('are those of the code page, also in the title', () => {
    const report = bytes('944e8e9f95f18d908f91');
    const { text, title } = read(`{\\rtf1\\ansi\\ansicpg932{\\info{\\title ${report}}}${report}}`);
    expect([text, title]).toEqual(['年次報告書', '年次報告書']);
    expect(textOf(bytes('82'), '\\pc')).toBe('é');
    expect(textOf(bytes('8a'), '\\mac')).toBe('ä');
    expect(textOf(bytes('a5'), '\\ansi\\ansicpg852')).toBe('ą');
  });

  it('are those of a formula that prints a reading above them', () => {
    const formula = 'EQ \\\\* jc2 \\\\o\\\\ad(\\\\s\\\\up 10(to),\\u26481?\\u20140?)';
    expect(textOf(`a{\\field{\\*\\fldinst{${formula}}}{\\fldrslt }}b`)).toBe('a東京b');
  });

  it('are Greek in the Symbol font', () => {
    expect(textOf('{\\fonttbl{\\f3\\fcharset2 Symbol;}{\\f4\\fcharset2 Wingdings;}}{\\f3 ab}-ray{\\f4 J}')).toBe(
      'αβ-ray',
    );
  });

  it('in Unicode take the place of as many others as the document says', () => {
    expect(textOf("\\uc1\\u353?koda {\\uc2\\u24180\\'94\\'4e}! \\uc0\\u233!")).toBe('škoda 年! é!');
  });
});

describe('the groups of RTF', () => {
  it('that begin with an asterisk are skipped, but only those', () => {
    expect(textOf('a {\\*\\unknown hidden}{\\b0\\*\\cs7 shown}')).toBe('a shown');
  });

  it('with data of any bytes are skipped by length', () => {
    expect(textOf('before {\\pict\\wmetafile8\\bin12 ab}}{{cdefgh}after')).toBe('before after');
  });

  it('of comments, footnotes and boxes follow their paragraph', () => {
    const comment = '{\\*\\atnid JR}{\\*\\atnauthor Jane Roe}\\chatn{\\*\\annotation{\\*\\atndate 1}\\chatn why?}';
    const box = '{\\shp{\\*\\shpinst{\\sp{\\sn shapeType}{\\sv 202}}{\\shptxt a box}}{\\shprslt{\\*\\do old}}}';
    expect(textOf(`turn${box}over{\\footnote\\chftn audited} grew${comment} \\par next`)).toBe(
      'turnover grew\na box\naudited\nwhy?\nnext',
    );
  });

  it('with a copy for older programs are read once', () => {
    const { title } = read('{\\rtf1{\\info{\\upr{\\title Skoda}{\\*\\ud{\\title \\u352?koda}}}}x}');
    expect(title).toBe('Škoda');
  });

  it('that are deleted or index entries are left out', () => {
    expect(textOf('a{\\deleted gone}{\\xe entry} b \\deleted gone \\deleted0 c')).toBe('a b c');
  });

  it('of embedded objects give what they show', () => {
    expect(textOf('{\\object\\objemb{\\*\\objdata 0102}{\\result shown}}')).toBe('shown');
  });
});

it('RTF with random changes is read or refused', () => {
  const source = Buffer.concat([
    sample.rtf(),
    Buffer.from(
      "{\\rtf1\\ansicpg932{\\fonttbl{\\f1\\fcharset2 Symbol;}}\\f1 a\\'93\\bin3 abc{\\*\\annotation x}\\u-5?\\par}",
    ),
  ]);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(source.length - 1), fc.constantFrom(..."{}\\*'0u9 a\n")), {
        minLength: 1,
        maxLength: 20,
      }),
      (changes) => {
        const changed = Buffer.from(source);
        for (const [at, character] of changes) changed[at] = character.charCodeAt(0);
        try {
          expect(readRtf(changed, REQUEST).finish(() => undefined).text).toEqual(expect.any(String));
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      },
    ),
    { numRuns: 300 },
  );
});
