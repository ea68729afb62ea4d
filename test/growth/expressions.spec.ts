/** The processor time of each regular expression of the program, on texts made from its own parts. */
import { createContext, Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { checkedLiterals, type ExpressionLiteral, hardTexts, literalsOf } from '../support/expression-literals.js';

const SIZE = 8_000;
/** Of the clock, which also runs while other programs do. */
const MOST_MS = 10_000;
/** Milliseconds of the processor: linear time takes a hundredth of it. What takes more is measured by its growth. */
const SUSPICIOUS = 1.5;
/** For a text four times as long: linear time would be 4, quadratic time is 16. */
const STEEPEST_GROWTH = 8;

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
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

const quadratic = ['/<[^>]*>/g', '/\\r+$/', '/sitemap[^/]*\\.xml$/i', '/<!--[\\s\\S]*?-->/g', '/^(?:a|a)+$/'];

describe('the regular expressions of the program', () => {
  it.each(quadratic)('do not include %s, which takes long', (text) => {
    const [literal] = literalsOf(`const x = ${text};`, 'x.ts');
    expect(slowText(literal!)).toBeGreaterThanOrEqual(0);
  });

  it('all run in linear time', () => {
    const slow = checkedLiterals().filter((literal) => slowText(literal) >= 0);
    expect(slow.map(({ source, place }) => `${place} /${source}/`)).toEqual([]);
  });
});
