/** Reads the cells of a worksheet (ECMA-376, SpreadsheetML). */
import { readXml } from '../../xml-reader.js';
import type { DocumentContent } from '../document-content.js';
import { createNameSet } from './markup.js';
import type { NumberFormats } from './number-formats.js';

/** Maximum number of shared strings; cells that reference further ones are read as empty. */
const MAX_STRINGS = 1_000_000;
const MAX_VALUE_LENGTH = 100_000;

/** Reads the strings that cells reference by number, without the phonetic readings of Japanese text. */
export function readSharedStrings(xml: string | undefined): string[] {
  const strings: string[] = [];
  let currentString = '';
  let inText = false;
  let inPhonetic = false;
  if (xml === undefined) return strings;
  readXml(xml, {
    onOpenTag(name) {
      if (name === 'si') currentString = '';
      else if (name === 'rph') inPhonetic = true;
      else if (name === 't') inText = true;
    },
    onAttribute() {},
    onOpenTagEnd() {},
    onCloseTag(name) {
      if (name === 'si') strings.push(decodeString(currentString));
      else if (name === 'rph') inPhonetic = false;
      else if (name === 't') inText = false;
    },
    onText(text) {
      if (inText && !inPhonetic && currentString.length < MAX_VALUE_LENGTH) currentString += text;
    },
    isDone: () => strings.length >= MAX_STRINGS,
  });
  return strings;
}

/** Elements whose text is the value of a cell: a number or the number of a string, or a string itself. */
const VALUES = createNameSet('v t');
const HEADERS_AND_FOOTERS = createNameSet('oddheader oddfooter evenheader evenfooter firstheader firstfooter');

export interface CellContext {
  readonly strings: readonly string[];
  /** The number format of each style. */
  readonly styles: readonly number[];
  readonly formats: NumberFormats;
}

/** Reads values as they are shown; formulas have their last results. */
export function readCells(xml: string, context: CellContext, content: DocumentContent): void {
  let inCell = false;
  let type = '';
  let style = 0;
  let value = '';
  let inValue = false;
  let inPhonetic = false;
  readXml(xml, {
    onOpenTag(name) {
      inCell = name === 'c';
      if (inCell) {
        type = value = '';
        style = 0;
      } else if (name === 'rph') inPhonetic = true;
      else if (HEADERS_AND_FOOTERS.has(name)) value = '';
      inValue = (VALUES.has(name) && !inPhonetic) || HEADERS_AND_FOOTERS.has(name);
    },
    onAttribute(name, attributeValue) {
      if (inCell && name === 't') type = attributeValue;
      else if (inCell && name === 's') style = Number(attributeValue);
    },
    onOpenTagEnd() {},
    onCloseTag(name) {
      inValue = false;
      if (name === 'rph') inPhonetic = false;
      else if (name === 'c') content.addText(showValue(type, style, value, context));
      else if (HEADERS_AND_FOOTERS.has(name)) content.addText(toHeaderText(value));
      else if (name === 'row') return content.endBlock();
      else return;
      content.endWord();
    },
    onText(text) {
      if (inValue && value.length < MAX_VALUE_LENGTH) value += text;
    },
    isDone: () => content.isFull,
  });
}

function showValue(type: string, style: number, value: string, { strings, styles, formats }: CellContext): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE';
  const number = type === '' || type === 'n' ? Number.parseFloat(value) : Number.NaN;
  return Number.isFinite(number) ? formats.format(styles[style] ?? 0, number) : decodeString(value);
}

/** Decodes characters that are written as `_xHHHH_`, such as those that XML cannot contain (ST_Xstring, 22.9.2.19). */
const decodeString = (text: string): string =>
  text
    .replace(/_x([\da-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(Math.max(32, Number.parseInt(code, 16))))
    .toWellFormed();

/**
 * Removes the codes of a header or footer (18.3.1.39): fonts, sizes, colors, fields and styles. `&L`, `&C` and `&R` begin
 * its three parts.
 */
const toHeaderText = (text: string): string =>
  text
    .replace(/&(?:"[^"]*"|K(?:[\da-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[lcrpndtfazg]|([biuesxyoh])|(&))/gi, (_, style, and) =>
      and ? '&' : style ? '' : ' ',
    )
    .trim();
