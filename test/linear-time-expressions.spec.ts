/**
 * A regular expression of this program that takes quadratic time lets one page stop a crawl. Two nets, since neither sees
 * everything: an analysis of the expression (scslre), and texts made from its own parts.
 */
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import scslre from 'scslre';
import { describe, expect, it } from 'vitest';
import { type ExpressionLiteral, expressionLiterals, hardTexts, literalsOf } from './support/expression-literals.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What may take longer, since it sees no stranger's bytes: rule files of the configuration, bounded in size. */
const OWN_FILES: ReadonlySet<string> = new Set(['src/adapters/config-xml/secrets.ts']);
/** The same: what the console reads of the configuration that its user edits. */
const OWN_TEXT: ReadonlySet<string> = new Set([
  '<!--[\\s\\S]*?-->',
  '<(?:[\\w-]+:)?Crawler\\b[^>]*>',
  '<(?:[\\w-]+:)?CrawlConfig\\b[^>]*>',
]);

const SIZE = 8_000;
const MOST_MS = 3_000;
/** Milliseconds of the processor: linear time takes a hundredth of it. What takes more is measured by its growth. */
const SUSPICIOUS = 1.5;
/** For a text four times as long: linear time would be 4, quadratic time is 16. */
const STEEPEST_GROWTH = 8;

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const sandbox = createContext({ expression: /x/, texts: [''], from: 0, most: 0, cpuMs });
/** The number of the first text that takes long; all in one call, since each that can be stopped starts a thread. */
const useInside = new Script(`
  var use = (text) => (expression.global ? text.replace(expression, '') : expression.test(text));
  texts.findIndex((text, number) => number >= from && cpuMs(() => use(text)) >= most);
`);

/** An expression in exponential time has to be stopped. */
function firstSlow({ source, flags }: ExpressionLiteral, texts: readonly string[], from: number, most: number): number {
  Object.assign(sandbox, { expression: new RegExp(source, flags), texts, from, most });
  return useInside.runInContext(sandbox, { timeout: MOST_MS }) as number;
}

/** The number of the text that makes the expression slow, or -1. */
function slowText(literal: ExpressionLiteral): number {
  const texts = hardTexts(literal, SIZE);
  let number = -1;
  try {
    for (;;) {
      number = firstSlow(literal, texts, number + 1, SUSPICIOUS);
      if (number < 0) return -1;
      const least = (size: number): number => {
        const text = [hardTexts(literal, size)[number]!];
        return Math.min(...[1, 2, 3, 4].map(() => cpuMs(() => firstSlow(literal, text, 0, Number.POSITIVE_INFINITY))));
      };
      if (least(4 * SIZE) / Math.max(0.01, least(SIZE)) > STEEPEST_GROWTH) return number;
    }
  } catch {
    return Math.max(0, number);
  }
}

function superLinear(literal: ExpressionLiteral): boolean {
  const { reports } = scslre.analyse({ source: literal.source, flags: literal.flags.replace('d', '') });
  return reports.length > 0 || slowText(literal) >= 0;
}

const quadratic = [
  '/^\\s*[^;]*(?:[/+]json\\b|\\+oembed\\b)/i',
  '/<[^>]*>/g',
  '/\\r+$/',
  '/sitemap[^/]*\\.xml$/i',
  '/<!--[\\s\\S]*?-->/g',
  '/^(?:a|a)+$/',
];

describe('the regular expressions of the program', () => {
  const literals = expressionLiterals(ROOT, ['src', 'demo-index', 'console/src']);

  it.each(quadratic)('do not include %s, which the check detects', (text) => {
    const [literal] = literalsOf(`const x = ${text};`, 'x.ts');
    expect(superLinear(literal!)).toBe(true);
  });

  it('all run in linear time', () => {
    expect(literals.length).toBeGreaterThan(250);
    const checked = literals.filter(
      ({ source, place }) => !OWN_TEXT.has(source) && !OWN_FILES.has(place.split(':')[0]!),
    );
    expect(checked.filter(superLinear).map(({ source, place }) => `${place} /${source}/`)).toEqual([]);
  });
});
