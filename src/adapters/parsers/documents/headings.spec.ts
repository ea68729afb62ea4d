import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as legacy from '../../../../test/support/legacy-documents.js';
import * as office from '../../../../test/support/office-documents.js';
import * as sample from '../../../../test/support/sample-documents.js';
import { MARKERS_ONLY } from '../../../domain/content/content-definition.js';
import { createPageReader } from '../page-reader.js';
import { DocumentContent, type DocumentRequest } from './document-content.js';
import { readCompoundDocument } from './formats/binary/compound-document.js';
import { readEpub } from './formats/epub.js';
import { readSlides } from './formats/office-open.js';
import { readOpenDocument } from './formats/open-document.js';
import { readRtf } from './formats/rtf.js';
import { readWebArchive } from './formats/web-archive.js';
import { readWord } from './formats/word.js';

type Reader = (body: Uint8Array, request: DocumentRequest) => DocumentContent | Promise<DocumentContent>;

const REQUEST = { mediaType: '', maxTextLength: 100_000, maxLinks: 10, timeLimit: 1_000, headings: true };

/** Headings as `level text`, each with the line that begins at it; the text is the same without headings. */
async function outline(reader: Reader, body: Uint8Array, mediaType = ''): Promise<string[]> {
  const request = { ...REQUEST, mediaType };
  const { text, headings = [] } = (await reader(body, request)).finish(() => undefined);
  const plain = (await reader(body, { ...request, headings: false })).finish(() => undefined);
  expect(plain.text).toBe(text);
  expect(plain).not.toHaveProperty('headings');
  return headings.map((heading) => `${heading.level} ${heading.text} | ${text.slice(heading.start).split('\n')[0]}`);
}

const styled = (style: string, text: string, more = ''): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/>${more}</w:pPr>${office.run(text)}</w:p>`;
const style = (id: string, name: string, more = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
const STYLES = {
  name: 'styles.xml',
  type: 'styles',
  xml: `<w:styles>${[
    style('berschrift1', 'heading 1', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
    style('Kapitel', 'Kapitel', '<w:basedOn w:val="berschrift1"/>'),
    style('Titel2', 'heading 2'),
    style('Tief', 'Tief', '<w:pPr><w:outlineLvl w:val="8"/></w:pPr>'),
    style('Inhalt', 'TOC Heading', '<w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
    style('Kreis', 'Kreis', '<w:basedOn w:val="Kreis"/>'),
  ].join('')}</w:styles>`,
};
const wordOutline = (paragraphs: string, parts: readonly office.Part[] = [STYLES]): Promise<string[]> =>
  outline(readWord, office.wordDocument(paragraphs, { parts }));

describe('the headings of a Word document', () => {
  it('are the paragraphs whose style, or one on which it is based, has an outline level, whatever its name', async () => {
    const text = office.paragraph(office.run('text'));
    const deleted = office.paragraph(`<w:pPr><w:pStyle w:val="Titel2"/></w:pPr><w:del>${office.run('')}</w:del>`);
    expect(
      await wordOutline(
        [
          styled('Inhalt', 'Contents'),
          styled('berschrift1', 'One') + text,
          styled('Kapitel', 'Two') + deleted,
          styled('Titel2', 'Inner') + text,
          styled('Tief', 'Deep'),
          styled('Titel2', 'no heading', '<w:outlineLvl w:val="9"/>'),
          styled('Kreis', 'Own level', '<w:outlineLvl w:val="2"/>') + styled('Kreis', 'circle'),
        ].join(''),
      ),
    ).toEqual(['1 One | One', '1 Two | Two', '2 Inner | Inner', '6 Deep | Deep', '3 Own level | Own level']);
    expect(await wordOutline(styled('Heading3', 'No styles') + styled('Text', 'text'), [])).toEqual([
      '3 No styles | No styles',
    ]);
  });

  it('have their number, not their footnotes and boxes, and may be in a cell', async () => {
    const box = `<w:r><w:pict><w:txbxContent>${styled('Titel2', 'box')}</w:txbxContent></w:pict></w:r>`;
    const numbering =
      '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>';
    const use = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr>';
    const cells = `<w:tbl><w:tr><w:tc>${styled('Titel2', 'Left')}</w:tc><w:tc>${styled('Titel2', 'Right')}</w:tc></w:tr></w:tbl>`;
    expect(
      await wordOutline(styled('Titel2', 'Use', use).replace('</w:p>', `${box}</w:p>`) + cells, [
        STYLES,
        { name: 'numbering.xml', type: 'numbering', xml: numbering },
      ]),
    ).toEqual(['2 1. Use | 1. Use', '2 Left | Left Right', '2 Right | Right']);
  });

  it('are not above notes, headers and footers', async () => {
    const footer = { name: 'footer1.xml', type: 'footer', xml: `<w:ftr>${styled('Titel2', 'Letterhead')}</w:ftr>` };
    expect(await wordOutline(styled('Titel2', 'End'), [STYLES, footer])).toEqual(['2 End | End', '1  | Letterhead']);
  });

  it('are those of parts in HTML, too', async () => {
    const html = { name: 'part.html', type: 'aFChunk', id: 'html', xml: '<p>before<h2>Part</h2>text<h3>Sub</h3>' };
    const chunk = '<w:altChunk r:id="html"/>';
    const after = styled('Titel2', 'After');
    expect(await wordOutline(styled('Titel2', 'Before') + chunk + after, [STYLES, html])).toEqual([
      '2 Before | Before',
      '2 Part | Part',
      '3 Sub | Sub',
      '2 After | After',
    ]);
  });
});

describe('the headings of a presentation', () => {
  const shape = (text: string, type = ''): string =>
    `<p:sp><p:nvSpPr><p:nvPr>${type === '' ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${office.slideText(text)}</p:txBody></p:sp>`;

  it('are the titles of slides, above all of their text and above their notes', async () => {
    const slide = (number: number, shapes: string): office.Part => ({
      name: `slides/slide${number}.xml`,
      type: 'slide',
      id: `s${number}`,
      xml: `<p:sld>${shapes}</p:sld>`,
    });
    const notes = (number: number): office.Part => ({
      name: `notes${number}.xml`,
      type: 'notesSlide',
      source: `slides/slide${number}.xml`,
      xml: `<p:notes>${shape(`notes ${number}`, 'body')}</p:notes>`,
    });
    const slides = [1, 2, 3].map((number) => `<p:sldId r:id="s${number}"/>`).join('');
    const body = office.officePackage(
      'ppt/presentation.xml',
      `<p:presentation><p:sldIdLst>${slides}</p:sldIdLst></p:presentation>`,
      {
        parts: [
          slide(1, shape('first') + shape('Herons', 'ctrTitle') + shape('of the lake', 'subTitle')),
          slide(2, shape('untitled')),
          slide(3, shape('Fish', 'title') + shape('again', 'title')),
          notes(1),
          notes(2),
        ],
      },
    );
    expect(await outline(readSlides, body)).toEqual([
      '1  | first',
      '1 Herons | first',
      '1  | untitled',
      '1 Fish | Fish',
      '1 Herons | notes 1',
      '1  | notes 2',
    ]);
  });

  it('are those of OpenDocument, whose texts are in the order of the slides', async () => {
    const frame = (text: string, facts = ''): string =>
      `<draw:frame ${facts}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const table =
      '<draw:frame><table:table><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row></table:table></draw:frame>';
    const title = 'presentation:class="title"';
    const body = office.openDocument(
      `<draw:page>${frame('first')}${frame('Herons', title)}</draw:page><draw:page>${frame('Fish', title)}${table}${frame('end')}</draw:page>`,
    );
    expect(await outline(readOpenDocument, body, 'application/vnd.oasis.opendocument.presentation')).toEqual([
      '1  | first',
      '1 Herons | first',
      '1  | Fish',
      '1 Fish | Fish',
    ]);
  });
});

describe('the headings of other documents', () => {
  it('are those of OpenDocument', async () => {
    const header = '<style:header><text:p>Letterhead</text:p></style:header>';
    const note = '<text:note><text:note-body><text:p>Note.</text:p></text:note-body></text:note>';
    const styles = `<office:master-styles><style:master-page>${header}</style:master-page></office:master-styles>`;
    const body = office.openDocument(
      `<text:tracked-changes><text:h>deleted</text:h></text:tracked-changes><text:h text:outline-level="2">Use${note}</text:h><text:p>text</text:p><text:h>One</text:h><text:h text:outline-level="10">Deep</text:h>`,
      { 'styles.xml': styles },
    );
    expect(await outline(readOpenDocument, body)).toEqual([
      '2 Use | Use',
      '1 One | One',
      '6 Deep | Deep',
      '1  | Letterhead',
    ]);
  });

  it('are the paragraphs of RTF with an outline level, their own or that of their style', async () => {
    const styles = '{\\stylesheet{\\s0 Normal;}{\\s1\\b\\outlinelevel0 heading 1;}{\\s2\\outlinelevel1 heading 2;}}';
    const note = '{\\footnote\\pard\\s0 note\\par}';
    const rtf = `{\\rtf1\\ansi ${styles}\\pard before\\par\\pard\\s1 One${note}\\par\\pard text\\par\\pard\\s2 Two\\par Again\\par{\\pard\\outlinelevel3 Inner\\par}\\pard\\outlinelevel9 text\\par\\pard\\intbl\\s1 Left\\cell\\pard\\intbl right\\cell\\row}`;
    expect(await outline(readRtf, Buffer.from(rtf))).toEqual([
      '1 One | One',
      '2 Two | Two',
      '2 Again | Again',
      '4 Inner | Inner',
      '1 Left | Left right',
    ]);
  });

  it('are those of Word 97, by the built-in style or the level of the paragraph', async () => {
    const { atOutlineLevel } = legacy;
    const body = legacy.numberedDoc([
      ['before', 0],
      ['Scope', 1, atOutlineLevel(0)],
      ['Terms', 2],
      ['text', 0],
      ['No heading', 2, atOutlineLevel(9)],
      ['Pay-', 0, atOutlineLevel(3)],
      ['ment', 0, atOutlineLevel(3)],
    ]);
    expect(await outline(readCompoundDocument, body)).toEqual([
      '1 III. Scope | III. Scope',
      '2 3.1 Terms | 3.1 Terms',
      '4 Pay-ment | Pay-ment',
    ]);
  });

  it('are those of the chapters of a book and of the page in a web archive', async () => {
    const chapter =
      '<html><head><title>No</title></head><body><h1>The <i>lake</i></h1><p>text</p><h2/><h3>Shore</h3></body></html>';
    const book = sample.zip({
      'META-INF/container.xml': '<container><rootfile full-path="book.opf"/></container>',
      'book.opf':
        '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
      'a.xhtml': chapter,
    });
    expect(await outline(readEpub, book)).toEqual(['1 The lake | The lake', '3 Shore | Shore']);
    const archive = `From: <Saved by a browser>\r\nContent-Type: text/html\r\n\r\n${chapter}`;
    expect(await outline(readWebArchive, Buffer.from(archive))).toEqual(['1 The lake | The lake', '3 Shore | Shore']);
  });

  it('are those of Markdown, as plain text', () => {
    const lines = [
      '---\ntitle: T\n---\n  # The **lake** `__init__` [shore](/x) in C# ##',
      'text\r\n\r\nFish & *chips*\r\n=====\r\n## Set_up {#set-up}\n````\n# code\n````\nOne\ntwo\n---\n\nInner 😀\n---\n- item\n---',
      '   ### \\# of <b>eggs</b>\n    # code\n<h4 align="center">Nest</h4>\n#tag\n##\n###### End',
    ];
    const extractor = createPageReader().findExtractor('text/markdown')!;
    if (extractor.kind !== 'sync') throw new Error('unexpected');
    const read = (headings: boolean) =>
      extractor.extract(Buffer.from(`\ufeff${lines.join('\n')}`), 'text/markdown', {
        ...REQUEST,
        content: { ...MARKERS_ONLY, headings },
        url: 'http://a/',
        contentType: 'text/markdown',
      });
    const { text, headings = [] } = read(true) as {
      text: string;
      headings?: { level: number; text: string; start: number }[];
    };
    expect(
      headings.map(({ level, text: title, start }) => `${level} ${title} | ${text.slice(start).split('\n')[0]}`),
    ).toEqual([
      '1 The lake __init__ shore in C# | # The **lake** `__init__` [shore](/x) in C# ##',
      '1 Fish & chips | Fish & *chips*',
      '2 Set_up | ## Set_up {#set-up}',
      '2 Inner 😀 | Inner 😀',
      '3 # of eggs | ### \\# of <b>eggs</b>',
      '4 Nest | <h4 align="center">Nest</h4>',
      '6 End | ###### End',
    ]);
    expect(read(false)).toMatchObject({ text, title: 'T' });
    expect(read(false)).not.toHaveProperty('headings');
  });
});

describe('a document with headings', () => {
  const pieces = fc.array(fc.constantFrom('a', ' ', '\u2029', '\u00ad', 'b c', '#', ''), { maxLength: 30 });

  it('has each of them where its text stands', () => {
    fc.assert(
      fc.property(pieces, (list) => {
        const content = new DocumentContent(REQUEST);
        for (const piece of list) {
          if (piece === '#') content.beginHeading(1);
          content.addText(piece === '#' ? 'H' : piece);
          if (piece === '#') content.endHeading();
        }
        const { text, headings = [] } = content.finish(() => undefined);
        const starts = Array.from(text.matchAll(/H/g), ({ index }) => index);
        expect(headings.map(({ start }) => start)).toEqual(starts);
      }),
    );
  });
});
