import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../domain/steps.js';
import { parseDocumentInSteps, type XmlElement, XmlFault } from './document.js';
import { deleteRule, insertRule, listRules } from './edit/rules.js';
import { replaceLiteralSecrets } from './literal-secrets.js';
import { readConfiguration } from './read.js';

const COMPLETE = readFileSync(new URL('./complete.fixture.xml', import.meta.url), 'utf8');

const read = (xml: string) => readConfiguration(xml, { file: 'f', env: {}, readFile: () => 'allow domain a.example' });

const PIECES = [
  '<',
  '>',
  '/>',
  '</',
  '"',
  "'",
  '=',
  '&',
  '&amp;',
  '&#0;',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '<!DOCTYPE a [',
  '$' + '{',
  '$' + '{X}',
  '__proto__',
  'constructor',
  'xmlns',
  ':',
  '\0',
  '\uFEFF',
  '\uD800',
  '\r\n',
  ' ',
  '$' + '{secret:x}',
  'password="x"',
  'Crawler',
  'Rule',
  'cw:',
  '(',
  '[',
  '\\',
];

const noise = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 6 })
  .map((parts) => parts.join(''));

/** The complete configuration with a few ranges replaced by noise. */
const mutated = fc
  .array(fc.record({ at: fc.nat(COMPLETE.length), length: fc.nat(12), text: noise }), { minLength: 1, maxLength: 4 })
  .map((changes) => {
    let xml = COMPLETE;
    for (const { at, length, text } of changes) xml = xml.slice(0, at) + text + xml.slice(at + length);
    return xml;
  });

/** The complete configuration with an end tag that does not belong to its element. */
const misnested = fc.nat().map((number) => {
  const endTags = [...COMPLETE.matchAll(/<\/[\w:]+>/g)];
  const { 0: tag, index } = endTags[number % endTags.length]!;
  return `${COMPLETE.slice(0, index)}</Other>${COMPLETE.slice(index + tag.length)}`;
});

function parsed(xml: string, elementsPerPiece?: number) {
  try {
    return runAtOnce(parseDocumentInSteps(xml, 'f', elementsPerPiece));
  } catch (error) {
    if (error instanceof XmlFault) return undefined;
    throw error;
  }
}

function checkRanges(element: XmlElement, text: string): void {
  const slice = text.slice(element.start, element.end);
  expect(slice.startsWith(`<${element.name}`)).toBe(true);
  expect(element.selfClosing ? slice.endsWith('/>') : /<\/[^<]*>$/.test(slice)).toBe(true);
  let at = element.contentStart;
  for (const child of element.children) {
    expect(child.start).toBeGreaterThanOrEqual(at);
    checkRanges(child, text);
    at = child.end;
  }
  expect(at).toBeLessThanOrEqual(element.contentEnd);
}

/** All elements; the text of those with children is kept without the blanks between them. */
const listElements = ({ parent, children, text, ...element }: XmlElement): unknown[] => [
  { ...element, parent: parent?.start, text: children.length > 0 ? text.replace(/\s+/g, '') : text },
  ...children.flatMap(listElements),
];

describe('the reader with arbitrary input', () => {
  it('never throws and reports a reason for every refusal, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), noise, mutated), (xml) => {
        const { definition, problems } = read(xml);
        expect(definition === undefined).toBe(problems.some(({ severity }) => severity === 'error'));
        for (const { place } of problems) {
          expect(place.line).toBeGreaterThan(0);
          expect(place.column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('knows the exact range of every element that it accepts', () => {
    fc.assert(
      fc.property(mutated, (xml) => {
        const document = parsed(xml);
        if (document) checkRanges(document.root, xml);
      }),
      { numRuns: 150 },
    );
  });

  it('reads in pieces what it reads in one go, and refuses it for the same reason at the same place', () => {
    const outcome = (xml: string, elementsPerPiece?: number) => {
      try {
        return listElements(runAtOnce(parseDocumentInSteps(xml, 'f', elementsPerPiece)).root);
      } catch (error) {
        return { ...(error as XmlFault), message: (error as XmlFault).message };
      }
    };
    fc.assert(
      fc.property(
        fc.oneof(mutated, misnested, fc.constant(COMPLETE)),
        fc.integer({ min: 1, max: 40 }),
        (xml, elements) => {
          expect(outcome(xml, elements)).toEqual(outcome(xml));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('replaces secrets with references without losing a byte, and leaves none', () => {
    fc.assert(
      fc.property(mutated, (xml) => {
        const { literalSecrets } = read(xml);
        const { texts, secrets } = replaceLiteralSecrets(new Map([['f', xml]]), literalSecrets);
        let text = texts.get('f') as string;
        expect(read(text).literalSecrets.filter(({ place }) => place.file === 'f')).toEqual([]);
        for (const { name, start, end, place } of secrets)
          if (place.file === 'f') text = text.replace(`\${secret:${name}}`, () => xml.slice(start, end));
        expect(text).toBe(xml);
      }),
      { numRuns: 150 },
    );
  });

  it('removes an inserted rule without a trace', () => {
    fc.assert(
      fc.property(mutated, fc.nat(3), (xml, index) => {
        if (!parsed(xml)) return;
        try {
          const count = listRules(xml, 'all').length;
          if (index > count || count === 0) return;
          const more = insertRule(xml, 'all', { xml: '<Rule><Path val="/"/><Index/></Rule>' }, index);
          expect(listRules(more, 'all')).toHaveLength(count + 1);
          expect(deleteRule(more, 'all', index).replace(/\s/g, '')).toBe(xml.replace(/\s/g, ''));
        } catch (error) {
          expect((error as Error).name).toBe('EditError');
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['open tags', '<a '.repeat(1_000_000)],
    ['nested elements', '<a>'.repeat(1_000_000)],
    ['siblings', `<CrawlConfig>${'<a/>'.repeat(600_000)}</CrawlConfig>`],
    ['comments', `<CrawlConfig>${'<!--'.repeat(1_000_000)}</CrawlConfig>`],
    ['ampersands', `<CrawlConfig a="${'&'.repeat(2_000_000)}"/>`],
    ['blanks', `<CrawlConfig${' '.repeat(4_000_000)}/>`],
    [
      'attributes',
      `<CrawlConfig>${`<cw ${Array.from({ length: 6000 }, (_, i) => `a${i}="1"`).join(' ')}/>`.repeat(20)}</CrawlConfig>`,
    ],
    ['warnings', `<CrawlConfig>${'<Strange/>'.repeat(20_000)}</CrawlConfig>`],
    ['errors', `<CrawlConfig>${'<Crawler/>'.repeat(20_000)}</CrawlConfig>`],
    ['one long value', `<CrawlConfig a="${'x'.repeat(8_000_000)}"/>`],
    ['too much', ' '.repeat(17 * 1024 * 1024)],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><CrawlConfig/>'],
  ])('handles %s within bounds', (_, xml) => {
    const { definition, problems } = read(xml);
    expect(definition?.crawlers ?? []).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThan(1003);
  });
});
