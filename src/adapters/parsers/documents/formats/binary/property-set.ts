/** Reads the property sets with the title, author and dates of compound files ([MS-OLEPS], [MS-OSHARED] 2.3.3). */
import type { DocumentContent } from '../../document-content.js';
import { decodeCodePage } from './code-pages.js';
import type { CompoundFile } from './compound-file.js';
import { readFileTime, readInt, readShort } from './little-endian.js';

const MAX_PROPERTIES = 1_000;
const MAX_STRING_BYTES = 32 * 1024;
const DICTIONARY = 0;
const CODE_PAGE = 1;

/** Values by property identifier. */
type Properties = ReadonlyMap<number, string>;

interface PropertySet {
  readonly properties: Properties;
  /** Names of user-defined properties, by property identifier. */
  readonly names: ReadonlyMap<number, string>;
  readonly codePage: number;
}

/** Adds title, author, dates and other facts to the content. Returns the code page of the document; 0 if unknown. */
export function readSummary(file: CompoundFile, content: DocumentContent): number {
  const [summary] = readPropertySets(file.read(file.find('\u0005SummaryInformation')));
  const [documentSummary, custom] = readPropertySets(file.read(file.find('\u0005DocumentSummaryInformation')));
  const find = (id: number): string | undefined => summary?.properties.get(id);
  content.title = find(2) ?? '';
  content.addAuthor(find(4));
  content.addField('description', find(6));
  content.addField('subject', find(3));
  content.addField('keywords', find(5));
  content.addField('category', documentSummary?.properties.get(2));
  content.addField('last_author', find(8));
  content.addTime('date_created', find(12));
  content.addTime('date_modified', find(13));
  if (find(14) !== '0') content.addField('page_count', find(14));
  content.addField('company', documentSummary?.properties.get(15));
  content.addField('generator', find(18));
  for (const [id, name] of custom?.names ?? [])
    if (!name.startsWith('_')) content.addField(`property_${name.slice(0, 100)}`, custom?.properties.get(id));
  return summary?.codePage ?? 0;
}

function readPropertySets(stream: Buffer): PropertySet[] {
  const count = Math.min(readInt(stream, 24), 2);
  return Array.from({ length: count }, (_, index) => readSet(stream.subarray(readInt(stream, 28 + index * 20 + 16))));
}

function readSet(set: Buffer): PropertySet {
  const offsets = new Map<number, number>();
  const count = Math.min(readInt(set, 4), MAX_PROPERTIES);
  for (let index = 0; index < count; index++) offsets.set(readInt(set, 8 + index * 8), readInt(set, 12 + index * 8));
  const codePage = readShort(set, (offsets.get(CODE_PAGE) ?? set.length) + 4);
  const properties = new Map<number, string>();
  for (const [id, offset] of offsets) {
    const value = id === DICTIONARY || id === CODE_PAGE ? undefined : readValue(set, offset, codePage);
    if (value !== undefined) properties.set(id, value);
  }
  const dictionary = offsets.get(DICTIONARY);
  return {
    properties,
    names: dictionary === undefined ? new Map() : readDictionary(set, dictionary, codePage),
    codePage,
  };
}

/** Reads a value by its type; undefined for types that have no text form. */
function readValue(set: Buffer, offset: number, codePage: number): string | undefined {
  const value = offset + 4;
  switch (readShort(set, offset)) {
    case 0x02:
      return String(readShort(set, value));
    case 0x03:
      return String(readInt(set, value));
    case 0x0b:
      return readShort(set, value) === 0 ? 'false' : 'true';
    case 0x1e:
      return readString(set, value, codePage);
    case 0x1f:
      return readString(set, value, UTF_16);
    case 0x40:
      return readFileTime(set, value);
    default:
      return undefined;
  }
}

const UTF_16 = 1200;

/** A string is preceded by its length: in characters if it is in UTF-16 by its type, otherwise in bytes. */
function readString(set: Buffer, offset: number, codePage: number): string {
  const isWide = readShort(set, offset - 4) === 0x1f;
  const size = Math.min(readInt(set, offset) * (isWide ? 2 : 1), MAX_STRING_BYTES);
  return trimAtZero(decodeCodePage(set.subarray(offset + 4, offset + 4 + size), codePage));
}

const trimAtZero = (text: string): string => text.split('\0', 1)[0]!;

function readDictionary(set: Buffer, offset: number, codePage: number): Map<number, string> {
  const names = new Map<number, string>();
  const isWide = codePage === UTF_16;
  let at = offset + 4;
  for (let remaining = Math.min(readInt(set, offset), MAX_PROPERTIES); remaining > 0; remaining--) {
    const size = Math.min(readInt(set, at + 4) * (isWide ? 2 : 1), MAX_STRING_BYTES);
    names.set(readInt(set, at), trimAtZero(decodeCodePage(set.subarray(at + 8, at + 8 + size), codePage)));
    // Names in UTF-16 are padded to a multiple of four bytes.
    at += 8 + (isWide ? Math.ceil(size / 4) * 4 : size);
    if (at >= set.length) break;
  }
  return names;
}
