/**
 * A regular expression of this program that takes quadratic time lets one page stop a crawl. This net is an analysis of the
 * expression (scslre); test/growth/expressions.spec.ts is another one, since neither sees everything.
 */
import scslre from 'scslre';
import { describe, expect, it } from 'vitest';
import { checkedLiterals, type ExpressionLiteral, literalsOf } from './support/expression-literals.js';

const superLinear = ({ source, flags }: ExpressionLiteral): boolean =>
  scslre.analyse({ source, flags: flags.replace('d', '') }).reports.length > 0;

const quadratic = ['/^\\s*[^;]*(?:[/+]json\\b|\\+oembed\\b)/i', '/<[^>]*>/g', '/\\r+$/'];

describe('the regular expressions of the program', () => {
  it.each(quadratic)('do not include %s, which the analysis detects', (text) => {
    const [literal] = literalsOf(`const x = ${text};`, 'x.ts');
    expect(superLinear(literal!)).toBe(true);
  });

  it('all run in linear time', () => {
    const literals = checkedLiterals();
    expect(literals.length).toBeGreaterThan(250);
    expect(literals.filter(superLinear).map(({ source, place }) => `${place} /${source}/`)).toEqual([]);
  });
});
