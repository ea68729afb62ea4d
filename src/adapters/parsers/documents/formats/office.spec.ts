import { describe, expect, it } from 'vitest';
import * as office from '../../../../../test/support/office-documents.js';
import { paragraph, run } from '../../../../../test/support/office-documents.js';
import { DOCUMENT_EXTENSIONS } from '../../../../domain/content/document-types.js';
import type { Extraction } from '../../../../engine/ports/content-extractor.js';
import { type DocumentContent, type DocumentRequest, Unreadable } from '../document-content.js';
import { readSheets, readSlides } from './office-open.js';
import { readWord } from './word.js';

const request = (extension: string): DocumentRequest => ({
  mediaType: DOCUMENT_EXTENSIONS.get(extension)!,
  maxTextLength: 1_000_000,
  maxLinks: 100,
  timeLimit: 30_000,
});
const finish = (content: DocumentContent): Extraction => content.finish(() => undefined);
const word = async (body: Uint8Array): Promise<Extraction> => finish(await readWord(body, request('docx')));
const wordText = async (paragraphs: string, options?: office.PackageOptions): Promise<string> =>
  (await word(office.wordDocument(paragraphs, options))).text;
const wordLinks = async (paragraphs: string): Promise<string[]> =>
  (await word(office.wordDocument(paragraphs))).links.map(({ href }) => href);
const sheetText = (sheet: string, options?: office.PackageOptions): string =>
  finish(readSheets(office.workbook(sheet, options), request('xlsx'))).text;
const slidesText = (shapes: string, options?: office.PackageOptions): string =>
  finish(readSlides(office.presentation(shapes, options), request('pptx'))).text;

describe('the parts of a package', () => {
  it('are found by their relations, whatever their names are', async () => {
    const options: office.PackageOptions = {
      main: 'word/document2.xml',
      parts: [
        { name: 'notes7.xml', type: 'footnotes', xml: `<w:footnotes>${paragraph(run('Audited'))}</w:footnotes>` },
      ],
    };
    expect(await wordText(paragraph(run('Annual report')), options)).toBe('Annual report\nAudited');
  });

  it('are found where backslashes separate their folders', () => {
    const rename = (name: string): string => name.replaceAll('/', '\\');
    expect(sheetText('<c t="inlineStr"><is><t>heron</t></is></c>', { rename })).toBe('Data heron');
  });

  it('are those of the program that the media type names', () => {
    expect(() => readSlides(office.wordDocument(paragraph(run('heron'))), request('pptx'))).toThrow(Unreadable);
  });

  it('are read once, also where relations lead in a circle', async () => {
    const header = `<w:hdr>${paragraph(run('Letterhead'))}</w:hdr>`;
    const parts: readonly office.Part[] = [
      { name: 'header1.xml', type: 'header', xml: header },
      { name: 'header1.xml', type: 'header', xml: header, source: 'header1.xml' },
      { name: 'header1.xml', type: 'header', id: 'again', xml: header },
    ];
    expect(await wordText(paragraph(run('heron')), { parts })).toBe('heron\nLetterhead');
  });
});

describe('the words of a Word document', () => {
  it('are separate at tabs and references, and whole at hyphens that do not break', async () => {
    expect(await wordText(paragraph(`${run('Left')}<w:r><w:ptab/></w:r>${run('Right')}`))).toBe('Left Right');
    expect(await wordText(paragraph('<w:r><w:t>state</w:t><w:noBreakHyphen/><w:t>run</w:t></w:r>'))).toBe('state-run');
    expect(await wordText(paragraph('<w:r><w:t>hy</w:t><w:softHyphen/><w:t>phen</w:t></w:r>'))).toBe('hyphen');
    expect(await wordText(paragraph(`${run('grew')}<w:r><w:footnoteReference/><w:t>1</w:t></w:r>`))).toBe('grew 1');
  });

  it('include the Greek letters of the Symbol font, but no pictures', async () => {
    expect(await wordText(paragraph('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:t>-decay</w:t></w:r>'))).toBe(
      'α-decay',
    );
    expect(await wordText(paragraph('<w:r><w:sym w:font="Wingdings" w:char="F04A"/><w:t>ok</w:t></w:r>'))).toBe('ok');
  });

  it('include those that have their reading above them, as a formula', async () => {
    const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const formula = '<w:r><w:instrText>EQ \\* jc2 \\* hps11 \\o\\ad(\\s\\up 10(とうきょう),東京)</w:instrText></w:r>';
    expect(await wordText(paragraph(`${run('駅は')}${mark('begin')}${formula}${mark('end')}${run('に')}`))).toBe(
      '駅は東京に',
    );
  });

  it('are there once if they were moved, and not if they were deleted', async () => {
    const moved = (element: string): string => paragraph(`<w:${element}>${run('moved')}</w:${element}>`);
    expect(await wordText(`${moved('moveFrom')}${paragraph(run('between'))}${moved('moveTo')}`)).toBe('between\nmoved');
  });

  it('are not torn apart by a text box', async () => {
    const box = `<w:r><w:pict><v:textbox><w:txbxContent>${paragraph(run('aside'))}</w:txbxContent></v:textbox></w:pict></w:r>`;
    expect(await wordText(paragraph(`${run('turn')}${box}${run('over')}`) + paragraph(run('grew')))).toBe(
      'turnover\naside\ngrew',
    );
  });

  it('have the links of their fields', async () => {
    const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const instruction =
      '<w:r><w:instrText>HYPERLINK "http://a/</w:instrText></w:r><w:r><w:instrText>book"</w:instrText></w:r>';
    expect(
      await wordLinks(paragraph(`${mark('begin')}${instruction}${mark('separate')}${run('x')}${mark('end')}`)),
    ).toEqual(['http://a/book']);
    expect(
      await wordLinks(paragraph(`<w:fldSimple w:instr="HYPERLINK &quot;http://a/s&quot; \\l &quot;two&quot;"/>`)),
    ).toEqual(['http://a/s#two']);
    expect(await wordLinks(paragraph('<w:fldSimple w:instr=" PAGEREF HYPERLINK "/>'))).toEqual([]);
  });

  it('include those of parts in other formats, in their place', async () => {
    const chunk = async (name: string, xml: string | Uint8Array): Promise<string> =>
      wordText(`${paragraph(run('before'))}<w:altChunk r:id="c"/>${paragraph(run('after'))}`, {
        parts: [{ name, type: 'aFChunk', id: 'c', xml }],
      });
    const mail =
      'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>caf=C3=A9</p>';
    expect(await chunk('chunk.html', '<html><body><p>pensions</p></body></html>')).toBe('before\npensions\nafter');
    expect(await chunk('chunk.mht', mail)).toBe('before\ncafé\nafter');
    expect(await chunk('chunk.rtf', '{\\rtf1 pensions}')).toBe('before\npensions\nafter');
    expect(await chunk('chunk.txt', 'pensions')).toBe('before\npensions\nafter');
    expect(await chunk('chunk.docx', office.wordDocument(paragraph(run('pensions'))))).toBe('before\npensions\nafter');
  });
});

describe('the numbers of lists in a Word document', () => {
  const level = (index: number, format: string, text: string, more = ''): string =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = (levels: string, uses: string): office.Part => ({
    name: 'numbering.xml',
    type: 'numbering',
    xml: `<w:numbering><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${uses}</w:numbering>`,
  });
  const use = (id: number, more = ''): string => `<w:num w:numId="${id}"><w:abstractNumId w:val="0"/>${more}</w:num>`;
  const item = (text: string, index: number, id = 1): string =>
    paragraph(`<w:pPr><w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="${id}"/></w:numPr></w:pPr>${run(text)}`);

  it('count each level, and begin again below a new item', async () => {
    const levels = level(0, 'decimal', '%1') + level(1, 'decimal', '%1.%2');
    const paragraphs = item('Aims', 0) + item('Scope', 1) + item('Terms', 1) + item('Duties', 0) + item('Scope', 1);
    expect(await wordText(paragraphs, { parts: [numbering(levels, use(1))] })).toBe(
      '1 Aims\n1.1 Scope\n1.2 Terms\n2 Duties\n2.1 Scope',
    );
  });

  it('have letters and Roman digits, and bullets have none', async () => {
    const levels = level(0, 'upperRoman', '%1.') + level(1, 'lowerLetter', '%2)') + level(2, 'bullet', 'o');
    const paragraphs = item('a', 0) + item('b', 0) + item('c', 0) + item('d', 0) + item('e', 1) + item('f', 2);
    expect(await wordText(paragraphs, { parts: [numbering(levels, use(1))] })).toBe(
      'I. a\nII. b\nIII. c\nIV. d\na) e\nf',
    );
  });

  it('continue in another use of the list, unless that begins anew', async () => {
    const again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>';
    const uses = use(1) + use(2) + use(3, again);
    const paragraphs = item('a', 0, 1) + item('b', 0, 2) + item('c', 0, 3) + item('d', 0, 3);
    const options = { parts: [numbering(level(0, 'decimal', '%1.'), uses)] };
    expect(await wordText(paragraphs, options)).toBe('1. a\n2. b\n5. c\n6. d');
  });

  it('may begin at zero, be ordinal, and restart only after some levels', async () => {
    const levels =
      '<w:lvl w:ilvl="0"><w:numFmt w:val="ordinal"/><w:lvlText w:val="%1"/></w:lvl>' +
      level(1, 'lowerLetter', '%2') +
      level(2, 'decimal', '%3', '<w:lvlRestart w:val="1"/>');
    const paragraphs = item('v', 0) + item('w', 0) + item('x', 1) + item('y', 2) + item('x', 1) + item('z', 2);
    expect(await wordText(paragraphs, { parts: [numbering(levels, use(1))] })).toBe('0th v\n1st w\na x\n1 y\nb x\n2 z');
  });

  it('come from the styles of headings', async () => {
    const levels =
      level(0, 'decimal', '%1', '<w:pStyle w:val="H1"/>') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>');
    const styles: office.Part = {
      name: 'styles.xml',
      type: 'styles',
      xml: '<w:styles><w:style w:styleId="H1"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:styleId="H2"><w:basedOn w:val="H1"/></w:style></w:styles>',
    };
    const heading = (style: string, text: string): string =>
      paragraph(`<w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}`);
    const options = { parts: [numbering(levels, use(1)), styles] };
    expect(await wordText(heading('H1', 'Aims') + heading('H2', 'Scope'), options)).toBe('1 Aims\n1.1 Scope');
  });
});

const chart = (name: string): string =>
  `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${office.slideText(name)}</c:rich></c:tx></c:title><c:plotArea><c:ser><c:tx><c:strRef><c:f>Data!A1</c:f><c:strCache><c:pt><c:v>Herons</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt><c:v>May</c:v></c:pt><c:pt><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt><c:v>42</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:plotArea></c:chart></c:chartSpace>`;
const diagram = `<dgm:dataModel><dgm:pt><dgm:t>${office.slideText('Board')}</dgm:t></dgm:pt></dgm:dataModel>`;

it('a table of a Word document has a line for each row, and so has the sheet of a workbook', async () => {
  const cell = (...texts: string[]): string => `<w:tc>${texts.map((text) => paragraph(run(text))).join('')}</w:tc>`;
  const rows = `<w:tr>${cell('Pond', 'north')}${cell('3')}</w:tr><w:tr>${cell('Reeds')}${cell('5')}</w:tr>`;
  expect(await wordText(`${paragraph(run('Nests'))}<w:tbl>${rows}</w:tbl>${paragraph(run('Sum'))}`)).toBe(
    'Nests\nPond north 3\nReeds 5\nSum',
  );
  expect(sheetText('<c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c>')).toBe('Data 1 2\n3');
});

describe('charts and diagrams', () => {
  it('are read with titles, series and labels, after their paragraph', async () => {
    const parts: readonly office.Part[] = [
      { name: 'charts/chart1.xml', type: 'chart', id: 'c', xml: chart('Sightings') },
      { name: 'diagrams/data1.xml', type: 'diagramData', id: 'd', xml: diagram },
    ];
    const drawing = '<w:r><w:drawing><c:chart r:id="c"/><dgm:relIds r:dm="d"/></w:drawing></w:r>';
    expect(await wordText(paragraph(`${run('a')}${drawing}${run('b')}`) + paragraph(run('c')), { parts })).toBe(
      'ab\nSightings\nHerons May June\nBoard\nc',
    );
    const onSlide = parts.map((part) => ({ ...part, source: 'slides/slide1.xml' }));
    expect(slidesText(office.slideText('a'), { parts: onSlide })).toBe('a\nSightings\nHerons May June\nBoard');
  });

  it('have the texts on both axes, and numbers on none', async () => {
    const points = (kind: string, value: string): string =>
      `<c:${kind}Ref><c:${kind}Cache><c:pt><c:v>${value}</c:v></c:pt></c:${kind}Cache></c:${kind}Ref>`;
    const series = (x: string): string => `<c:ser><c:xVal>${x}</c:xVal><c:yVal>${points('num', '42')}</c:yVal></c:ser>`;
    const xml = `<c:chartSpace>${series(points('str', 'May'))}${series(points('num', '7'))}</c:chartSpace>`;
    const parts = [{ name: 'charts/chart1.xml', type: 'chart', id: 'c', xml }];
    expect(await wordText(paragraph('<w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r>'), { parts })).toBe('May');
  });

  it('of a workbook are read with the boxes of their sheet', () => {
    const parts: readonly office.Part[] = [
      {
        name: 'drawings/drawing1.xml',
        type: 'drawing',
        xml: `<xdr:wsDr><xdr:sp>${office.slideText('a box')}</xdr:sp></xdr:wsDr>`,
        source: 'worksheets/sheet1.xml',
      },
      { name: 'charts/chart1.xml', type: 'chart', xml: chart('Sightings'), source: 'drawings/drawing1.xml' },
      {
        name: 'drawings/vml.vml',
        type: 'vmlDrawing',
        xml: '<xml><v:shape><v:textbox><div>a <font>button</font></div></v:textbox></v:shape></xml>',
        source: 'worksheets/sheet1.xml',
      },
    ];
    expect(sheetText('<c><v>1</v></c>', { parts })).toBe('Data 1 a box\nSightings\nHerons May June\na button');
  });
});

describe('comments', () => {
  it('of a sheet are read after the names of their authors, old ones and threads', () => {
    const source = 'worksheets/sheet1.xml';
    const comment = (author: number, text: string): string =>
      `<comment authorId="${author}"><text>${text}</text></comment>`;
    const comments = [
      comment(0, '<r><t>Check</t></r><r><t>ed</t></r>'),
      comment(1, '<t>[Threaded comment] Yours reads it</t>'),
      comment(2, '<r><t>Bob:</t></r><r><t> Agreed</t></r>'),
    ].join('');
    const authors = ['Ada', 'tc={12}', 'Bob'].map((author) => `<author>${author}</author>`).join('');
    const thread = '<threadedComment personId="{7}"><text>Why so few?</text></threadedComment>';
    const parts: readonly office.Part[] = [
      {
        name: 'comments1.xml',
        type: 'comments',
        source,
        xml: `<comments><authors>${authors}</authors><commentList>${comments}</commentList></comments>`,
      },
      {
        name: 'threadedComments/threadedComment1.xml',
        type: 'threadedComment',
        source,
        xml: `<ThreadedComments>${thread}</ThreadedComments>`,
      },
      {
        name: 'persons/person.xml',
        type: 'person',
        xml: '<personList><person displayName="Eve" id="{7}"/></personList>',
      },
    ];
    expect(sheetText('<c><v>1</v></c>', { parts })).toBe('Data 1 Ada Checked Bob: Agreed\nEve Why so few?');
  });

  it('of a presentation are read, old ones and new ones', () => {
    const source = 'slides/slide1.xml';
    const parts: readonly office.Part[] = [
      { name: 'comments/a.xml', type: 'comments', source, xml: '<p:cmLst><p:cm><p:text>old</p:text></p:cm></p:cmLst>' },
      {
        name: 'comments/b.xml',
        type: 'comments',
        source,
        xml: `<p188:cmLst><p188:cm><p188:txBody>${office.slideText('new')}</p188:txBody></p188:cm></p188:cmLst>`,
      },
      {
        name: 'notesSlides/n.xml',
        type: 'notesSlide',
        source,
        xml: `<p:notes>${office.slideText('spoken')}</p:notes>`,
      },
    ];
    expect(slidesText(office.slideText('shown'), { parts })).toBe('shown\nold\nnew\nspoken');
  });

  it('stand after the names of their authors', async () => {
    const source = 'slides/slide1.xml';
    const parts: readonly office.Part[] = [
      {
        name: 'authors.xml',
        type: 'commentAuthors',
        xml: '<p:cmAuthorLst><p:cmAuthor id="7" name="Ada"/></p:cmAuthorLst>',
      },
      {
        name: 'c.xml',
        type: 'comments',
        source,
        xml: '<p:cmLst><p:cm authorId="7"><p:text>why</p:text></p:cm></p:cmLst>',
      },
    ];
    expect(slidesText(office.slideText('shown'), { parts })).toBe('shown\nAda why');
    const comments = `<w:comments><w:comment w:author="Ada">${paragraph(run('why'))}</w:comment></w:comments>`;
    const ofWord = { parts: [{ name: 'c.xml', type: 'comments', xml: comments }] };
    expect(await wordText(paragraph(run('shown')), ofWord)).toBe('shown\nAda why');
  });
});

describe('the background of a slide', () => {
  const shape = (text: string, placeholder = ''): string =>
    `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${office.slideText(text)}</p:txBody></p:sp>`;
  const backgrounds = (layoutFacts = ''): readonly office.Part[] => [
    {
      name: 'layout.xml',
      type: 'slideLayout',
      source: 'slides/slide1.xml',
      xml: `<p:sldLayout${layoutFacts}>${shape('Click to edit', '<p:ph type="title"/>')}${shape('Draft')}</p:sldLayout>`,
    },
    {
      name: 'master.xml',
      type: 'slideMaster',
      source: 'layout.xml',
      xml: `<p:sldMaster>${shape('Confidential')}${shape('Second level', '<p:ph/>')}</p:sldMaster>`,
    },
  ];

  it('is read as far as the slide shows it, without placeholders', () => {
    const slide = shape('Herons', '<p:ph type="title"/>');
    expect(slidesText(slide, { parts: backgrounds() })).toBe('Herons\nDraft\nConfidential');
    expect(slidesText(slide, { parts: backgrounds(' showMasterSp="0"') })).toBe('Herons\nDraft');
  });

  it('that is damaged does not cost the slide', () => {
    const parts = [{ ...backgrounds()[0]!, xml: '\0<' }];
    expect(slidesText(shape('Herons'), { parts })).toBe('Herons');
  });
});

describe('the cells of a workbook', () => {
  it('keep the runs of a string together, without the readings of Japanese', () => {
    const runs = '<is><r><t>Hand</t></r><r><t>book</t></r><rPh><t>ふりがな</t></rPh></is>';
    expect(sheetText(`<c t="inlineStr">${runs}</c><c><v>1</v></c>`)).toBe('Data Handbook 1');
  });

  it('may have escaped characters', () => {
    const escaped = '_x0041_lder_x000D_\n_x005F_x0042_ _xZZZZ_ _xD83E__xDD85_ _xD83E_';
    expect(sheetText(`<c t="inlineStr"><is><t>${escaped}</t></is></c>`)).toBe('Data Alder _x0042_ _xZZZZ_ 🦅 \ufffd');
  });

  it('are as people see them, whatever number of styles they have', () => {
    const styles: office.Part = {
      name: 'styles.xml',
      type: 'styles',
      xml: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="d. mmmm yyyy"/><numFmt numFmtId="165" formatCode="bad&quot;x"/></numFmts>${'<font><b/></font>'.repeat(100_000)}<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${[0, 14, 10, 164, 165, 46].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    };
    const cell = (style: number, value: string, type = 'n'): string =>
      `<c s="${style}" t="${type}"><v>${value}</v></c>`;
    const shown = (cells: string): string => sheetText(cells, { parts: [styles] });
    expect(shown(cell(1, '45292') + cell(2, '0.12345') + cell(3, '45292'))).toBe(
      'Data 2024-01-01 12.35% 1. January 2024',
    );
    expect(shown(cell(0, '0.30000000000000004') + cell(0, '4006381333931') + cell(5, '1.5'))).toBe(
      'Data 0.3 4006381333931 36:00:00',
    );
    expect(shown(cell(0, '1', 'b') + cell(0, '#N/A', 'e') + cell(1, 'as is', 'str') + cell(4, '7'))).toBe(
      'Data TRUE #N/A as is 7',
    );
  });

  it('count the days of a calendar from 1904 where the workbook says so', () => {
    const styles = {
      name: 'styles.xml',
      type: 'styles',
      xml: '<cellXfs><xf numFmtId="14"/><xf numFmtId="1"/><xf numFmtId="46"/></cellXfs>',
    };
    const sheet = '<worksheet><c s="0"><v>1</v></c><c s="1"><v>1</v></c><c s="2"><v>1.5</v></c></worksheet>';
    const body = office.officePackage(
      'xl/workbook.xml',
      '<workbook><workbookPr date1904="1"/><sheet name="Data" r:id="s"/></workbook>',
      {
        parts: [styles, { name: 'worksheets/sheet1.xml', type: 'worksheet', id: 's', xml: sheet }],
      },
    );
    expect(finish(readSheets(body, request('xlsx'))).text).toBe('Data 1904-01-02 1 36:00:00');
  });

  it('are followed by headers and footers without their codes', () => {
    const codes = '&amp;L&amp;"Arial,Bold"&amp;12Minutes&amp;RPage &amp;P&amp;KFF0000 of R&amp;&amp;D';
    expect(sheetText(`<c><v>1</v></c><headerFooter><oddHeader>${codes}</oddHeader></headerFooter>`)).toBe(
      'Data 1 Minutes Page of R&D',
    );
  });
});
