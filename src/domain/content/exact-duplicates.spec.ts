import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONTENT_PREFIX,
  DocumentsByText,
  FACTS_LENGTH,
  findScanReason,
  hasSameText,
  isDuplicate,
  isSameAddress,
  SCAN_MARKS,
} from './exact-duplicates.js';

const digest = (seed: number): string => (Math.imul(seed, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0').repeat(8);
const pageStamp = (text: number, facts = 0, links = 0): string =>
  `${CONTENT_PREFIX}${digest(text)}${digest(facts).slice(-16)}${digest(links).slice(-16)}`;
const fileStamp = (bytes: number, facts = 0): string => `${digest(bytes)}${digest(facts).slice(-16)}`;
const document = (id: number, parts: object = {}) => ({
  ...{ id, url: `http://a.example/${id}`, hostKey: 'a.example', stamp: pageStamp(1), title: 'T' },
  ...parts,
});

describe('two documents have the same text', () => {
  it('whatever their facts and links are', () => {
    expect(hasSameText(pageStamp(7, 1, 2), pageStamp(7, 3, 4))).toBe(true);
    expect(hasSameText(fileStamp(7, 1), fileStamp(7, 2))).toBe(true);
    expect(hasSameText(pageStamp(7), pageStamp(8))).toBe(false);
    expect(hasSameText(fileStamp(7), fileStamp(8))).toBe(false);
    expect(hasSameText(pageStamp(7), fileStamp(7))).toBe(false);
  });

  it('and are duplicates if they have the same title and site', () => {
    expect(isDuplicate(document(1), document(2, { hostKey: 'www.a.example' }))).toBe(true);
    expect(isDuplicate(document(1), document(2, { title: 'U' }))).toBe(false);
    expect(isDuplicate(document(1), document(2, { hostKey: 'b.example' }))).toBe(false);
    expect(isDuplicate(document(1), document(2, { stamp: pageStamp(2) }))).toBe(false);
  });
});

it('the facts at the end of a stamp say whether a document is a scan, and whether OCR has read it', () => {
  for (const reason of ['no-text-layer', 'text-by-ocr'] as const) {
    const facts = SCAN_MARKS[reason].padEnd(FACTS_LENGTH, '0');
    expect(findScanReason(`${digest(1)}${facts}`)).toBe(reason);
    expect(
      findScanReason(`${digest(1).slice(0, 16)}${facts}${digest(1).slice(32)}${digest(2).slice(-16)}`),
    ).toBeUndefined();
  }
});

it.each([
  ['http://a.example/', 'https://www.a.example/index.html', true],
  ['http://a.example/docs', 'http://a.example/Docs/?utm_source=x', true],
  ['http://a.example/docs//x', 'http://a.example/docs/x/index.php', true],
  ['http://a.example/?b=1&a=2', 'http://a.example/?a=2&b=1', true],
  ['http://a.example/?a=1', 'http://a.example/?a=2', false],
  ['http://a.example/a', 'http://a.example/b', false],
  ['http://a.example:8080/', 'http://a.example/', false],
])('%s and %s are spellings of one address: %s', (a, b, same) => expect(isSameAddress(a, b)).toBe(same));

it('documents are found by the texts that they have', () => {
  const ids = fc.integer({ min: 1, max: 6 });
  const texts = fc.integer({ min: 1, max: 3 });
  const hosts = fc.constantFrom('a.example', 'www.a.example', 'b.example');
  const steps = fc.array(fc.tuple(fc.boolean(), ids, texts, hosts), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (changes) => {
      const found = new DocumentsByText();
      const model = new Map<string, Set<number>>();
      for (const [adds, id, text, hostKey] of changes) {
        const key = `${text} ${hostKey.replace('www.', '')}`;
        const one = { id, hostKey, stamp: pageStamp(text) };
        const known = model.get(key) ?? new Set();
        model.set(key, known);
        if (adds) {
          found.add(one);
          known.add(id);
        } else {
          found.remove(one);
          known.delete(id);
        }
        expect([...found.find(one)].sort()).toEqual([...known].sort());
      }
    }),
  );
});
