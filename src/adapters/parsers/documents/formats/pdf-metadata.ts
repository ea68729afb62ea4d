/**
 * Reads the properties that a PDF states as XMP (ISO 16684-1; ISO 32000-1, 14.3.2), which newer programs write in place
 * of others. PDFium does not read them, and pictures in the file may have some of their own.
 */
import { parseElements } from './markup.js';
import { readObjects } from './pdf-encodings.js';

/** Programs leave metadata uncompressed, so that others find them; a file without these letters has no title in them. */
const TITLE = 'dc:title';
const METADATA = '<rdf:RDF';
const MAX_LENGTH = 1024 * 1024;
/** What contains the values of a property. */
const CONTAINERS = new Set(['alt', 'seq', 'bag', 'li']);
/** The names of properties that are read, in lower case and without prefix. */
const PROPERTIES = new Set(['title', 'creator', 'subject', 'createdate', 'modifydate']);

export type XmpProperties = ReadonlyMap<string, readonly string[]>;

/** Returns the values of the properties, the default one of a text in several languages first. */
export function readXmp(body: Uint8Array): XmpProperties {
  const values = new Map<string, string[]>();
  const file = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!file.includes(TITLE)) return values;
  const add = (property: string, written: string): void => {
    const value = PROPERTIES.has(property) ? decodeEscapes(written) : '';
    if (value === '') return;
    const known = values.get(property);
    if (known) known.push(value);
    else values.set(property, [value]);
  };
  let property = '';
  for (const { name, attributes, text } of parseElements(findMetadata(file))) {
    for (const [attribute, value] of attributes) add(attribute, value.trim());
    if (!CONTAINERS.has(name)) property = name;
    add(property, text.trim());
  }
  return values;
}

/** Old versions of Ghostscript write the escapes of a text in UTF-16 (ISO 32000-1, 7.3.4.2) as its letters: `\376\377\000M`. */
function decodeEscapes(text: string): string {
  if (!text.startsWith('\\376\\377')) return text;
  const bytes = text.replace(/\\([0-3][0-7]{2})|\\(.)/g, (_, code, character) =>
    code === undefined ? character : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return new TextDecoder('utf-16be').decode(Buffer.from(bytes, 'latin1')).trim();
}

/** The metadata to which the catalog leads, or else the only ones in the file. */
function findMetadata(file: Buffer): string | undefined {
  const catalog = [...readObjects(file, /\/Type\s*\/Catalog\b/).values()].at(-1);
  const reference = /\/Metadata\s+(\d{1,10} \d{1,5}) R\b/.exec(catalog ?? '')?.[1];
  const at = reference === undefined ? findOnly(file, METADATA) : findLastObject(file, reference);
  const start = at === undefined ? -1 : file.indexOf(METADATA, at);
  return start < 0 ? undefined : file.toString('utf8', start, Math.min(findEnd(file, start), start + MAX_LENGTH));
}

function findEnd(file: Buffer, start: number): number {
  const end = file.indexOf('endstream', start);
  return end < 0 ? file.length : end;
}

function findOnly(file: Buffer, text: string): number | undefined {
  const first = file.indexOf(text);
  return file.includes(text, first + 1) ? undefined : first;
}

/** The last one counts, because changes are added at the end of a file. */
function findLastObject(file: Buffer, reference: string): number | undefined {
  const header = `${reference} obj`;
  let at = file.lastIndexOf(header);
  while (at > 0 && /\d/.test(String.fromCharCode(file[at - 1]!))) at = file.lastIndexOf(header, at - 1);
  return at < 0 ? undefined : at;
}
