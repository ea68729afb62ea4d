/** Office packages by the standards (ECMA-376, ISO/IEC 26300), with only the parts that a test needs. */
import * as sample from './sample-documents.js';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A part, the type of the relation that leads to it from its source, and the relation's identifier. */
export interface Part {
  /** Relative to the folder of the main part. */
  readonly name: string;
  readonly type: string;
  readonly id?: string;
  readonly xml: string | Uint8Array;
  /** The part that leads to it; the main part if missing. */
  readonly source?: string;
}

export interface PackageOptions {
  /** The whole name of the main part. */
  readonly main?: string;
  readonly parts?: readonly Part[];
  readonly links?: Readonly<Record<string, string>>;
  /** Changes the names in the archive. */
  readonly rename?: (name: string) => string;
}

const relationsOf = (name: string): string => name.replace(/([^/]*)$/, '_rels/$1.rels');
const relation = (id: string, type: string, target: string, mode = ''): string =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${mode}/>`;
const relations = (list: readonly string[]): string => `<Relationships>${list.join('')}</Relationships>`;

export function officePackage(usualMain: string, xml: string, options: PackageOptions = {}): Uint8Array {
  const { main = usualMain, parts = [], links = {}, rename = (name: string) => name } = options;
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const files: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([relation('rId1', 'officeDocument', main)]),
    [main]: xml,
  };
  const lists = new Map<string, string[]>([
    [main, Object.entries(links).map(([id, url]) => relation(id, 'hyperlink', url, ' TargetMode="External"'))],
  ]);
  parts.forEach((part, index) => {
    const source = part.source === undefined ? main : `${folder}${part.source}`;
    const list = lists.get(source) ?? [];
    lists.set(source, list);
    list.push(relation(part.id ?? `part${index}`, part.type, `/${folder}${part.name}`));
    files[`${folder}${part.name}`] = part.xml;
  });
  for (const [source, list] of lists) if (list.length > 0) files[relationsOf(source)] = relations(list);
  return sample.zip(Object.fromEntries(Object.entries(files).map(([name, data]) => [rename(name), data])));
}

export const paragraph = (runs: string): string => `<w:p>${runs}</w:p>`;
export const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

/** A Word document with these paragraphs. */
export const wordDocument = (paragraphs: string, options?: PackageOptions): Uint8Array =>
  officePackage('word/document.xml', `<w:document><w:body>${paragraphs}</w:body></w:document>`, options);

/** A workbook with one sheet, `Data`, whose relation is `sheet`. Sources of further parts: `worksheets/sheet1.xml`. */
export const workbook = (sheet: string, options: PackageOptions = {}): Uint8Array =>
  officePackage(
    'xl/workbook.xml',
    '<workbook><sheets><sheet name="Data" sheetId="1" r:id="sheet"/></sheets></workbook>',
    {
      ...options,
      parts: [
        { name: 'worksheets/sheet1.xml', type: 'worksheet', id: 'sheet', xml: `<worksheet>${sheet}</worksheet>` },
        ...(options.parts ?? []),
      ],
    },
  );

/** A presentation with one slide. Source of further parts: `slides/slide1.xml`. */
export const presentation = (shapes: string, options: PackageOptions = {}): Uint8Array =>
  officePackage(
    'ppt/presentation.xml',
    '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="slide"/></p:sldIdLst></p:presentation>',
    {
      ...options,
      parts: [
        { name: 'slides/slide1.xml', type: 'slide', id: 'slide', xml: `<p:sld>${shapes}</p:sld>` },
        ...(options.parts ?? []),
      ],
    },
  );

export const slideText = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;

/** An OpenDocument file with this body and these further files. */
export const openDocument = (body: string, files: Readonly<Record<string, string>> = {}): Uint8Array =>
  sample.zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content><office:body>${body}</office:body></office:document-content>`,
    ...files,
  });
