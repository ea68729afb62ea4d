/** Descriptions of match expressions, for explanations and the resolved view. */
import type { MatchExpression } from '../crawl/policy-definition.js';

/** Describes an expression: `host exact "www.foo.com" and not (path suffix ".gif")`. */
export function formatExpression(expression: MatchExpression): string {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.children.map(parenthesize).join(` ${expression.type} `);
    case 'not':
      return `not ${parenthesize(expression.child)}`;
    case 'length':
      return `${expression.field} length ${expression.minimum ?? 0} to ${expression.maximum ?? 'any'}`;
    case 'domain':
      return `domain ${expression.value}`;
    case 'atom':
      return `${expression.field} ${expression.kind} "${expression.value.slice(0, 200)}"`;
  }
}

const parenthesize = (expression: MatchExpression): string =>
  expression.type === 'and' || expression.type === 'or' || expression.type === 'not'
    ? `(${formatExpression(expression)})`
    : formatExpression(expression);
