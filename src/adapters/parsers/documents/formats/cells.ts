/** Reads the cells of a worksheet (ECMA-376, SpreadsheetML). */
import { readXml } from '../../xml-reader.js';
import type { DocumentContent } from '../document-content.js';

/** Maximum number of shared strings; cells that reference further ones come out empty. */
const MOST_STRINGS = 1_000_000;
const LONGEST_VALUE = 100_000;

/** Reads the strings that cells reference by number, without the phonetic readings of Japanese text. */
export function readSharedStrings(xml: string | undefined): string[] {
  const strings: string[] = [];
  let current = '';
  let inText = false;
  let phonetic = false;
  if (xml === undefined) return strings;
  readXml(xml, {
    onOpenTag(name) {
      if (name === 'si') current = '';
      else if (name === 'rph') phonetic = true;
      else if (name === 't') inText = true;
    },
    onAttribute() {},
    onOpenTagEnd() {},
    onCloseTag(name) {
      if (name === 'si') strings.push(current);
      else if (name === 'rph') phonetic = false;
      else if (name === 't') inText = false;
    },
    onText(piece) {
      if (inText && !phonetic && current.length < LONGEST_VALUE) current += piece;
    },
    isDone: () => strings.length >= MOST_STRINGS,
  });
  return strings;
}

/** Reads values as stored: numbers and dates are numbers, and a formula is its last result. */
export function readCells(xml: string, strings: readonly string[], content: DocumentContent): void {
  let inCell = false;
  let type = '';
  let value = '';
  let inValue = false;
  readXml(xml, {
    onOpenTag(name) {
      inCell = name === 'c';
      if (inCell) type = '';
      inValue = name === 'v' || name === 't';
      if (inValue) value = '';
    },
    onAttribute(name, written) {
      if (inCell && name === 't') type = written;
    },
    onOpenTagEnd() {},
    onCloseTag(name) {
      if (name !== 'v' && name !== 't') return;
      inValue = false;
      content.addText(type === 's' ? (strings[Number(value)] ?? '') : value);
      content.endWord();
    },
    onText(piece) {
      if (inValue && value.length < LONGEST_VALUE) value += piece;
    },
    isDone: () => content.isFull,
  });
}
