// Finds the places of a source file that can be mutated, and what each can become. Works on the syntax tree of Vite's own
// parser. What cannot matter to a user is left out here: types, wording (any string with a space in it), errors' messages,
// and calls of the log.
import { parseSync } from 'vite';
import { regexMutations } from './expressions.mjs';

/**
 * @typedef {object} Mutation
 * @property {string} kind what was changed, for the report
 * @property {string} text the code that replaces the site
 * @property {'value' | 'pure' | 'statement'} form how the switch has to be written: `pure` if both codes can be evaluated
 *   side by side, which tells whether a test could notice the difference
 *
 * @typedef {object} Site
 * @property {number} start
 * @property {number} end
 * @property {boolean} atLoad evaluated when the module is loaded, not when a function is called
 * @property {readonly [start: number, end: number]} unit the top-level declaration or member of a class that contains it
 * @property {Mutation[]} mutations
 */

const NOT_EVALUATED = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression|ParameterProperty)/;
const IMPURE = new Set([
  'CallExpression',
  'NewExpression',
  'AwaitExpression',
  'YieldExpression',
  'AssignmentExpression',
  'UpdateExpression',
  'TaggedTemplateExpression',
  'ImportExpression',
  'ArrowFunctionExpression',
  'FunctionExpression',
  'ClassExpression',
]);
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);
const COMPARISONS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};
const ARITHMETIC = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '&': '|', '|': '&', '<<': '>>', '>>>': '<<' };
const ASSIGNMENTS = { '+=': '-=', '-=': '+=', '*=': '/=', '??=': '=', '||=': '=', '&&=': '=', '|=': '&=' };
const SWAPPED_METHODS = {
  every: 'some',
  some: 'every',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  floor: 'ceil',
  ceil: 'floor',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
};
const REMOVED_METHODS = new Set([
  'filter',
  'slice',
  'trim',
  'trimStart',
  'trimEnd',
  'toLowerCase',
  'toUpperCase',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'replace',
  'replaceAll',
  'concat',
  'normalize',
]);
const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error']);

/** Returns every site of a file, in the order of the file. */
export function findSites(path, source) {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const sites = [];
  const textOf = ({ start, end }) => source.slice(start, end);

  const visit = (node, parent, key, context) => {
    if (NOT_EVALUATED.test(node.type) || isIgnored(node, parent, key)) return;
    const mutations = context.inChain ? [] : mutate(node, parent, key, textOf);
    if (mutations.length > 0)
      sites.push({ start: node.start, end: node.end, atLoad: !context.inFunction, unit: context.unit, mutations });
    const inside = enter(node, context);
    const hasUnits = node.type === 'Program' || node.type === 'ClassBody';
    for (const [name, child] of children(node))
      visit(child, node, name, { ...inside(name), unit: hasUnits ? [child.start, child.end] : context.unit });
  };
  visit(program, undefined, '', { inFunction: false, unit: [0, source.length] });
  return sites.sort((a, b) => a.start - b.start);
}

/**
 * What is known of a child of a node: whether it is evaluated only when a function is called, and whether a switch around it
 * would cut a chain of `?.` in two.
 */
function enter(node, context) {
  const inFunction =
    context.inFunction || FUNCTIONS.has(node.type) || (node.type === 'PropertyDefinition' && !node.static);
  const isLink = context.inChain || node.type === 'ChainExpression';
  const continues = (name) => node.type !== 'ChainExpression' && isLink && /^(?:object|callee|expression)$/.test(name);
  return (name) => ({
    inFunction,
    isInChain: node.type === 'ChainExpression' || continues(name),
    inChain: context.isInChain && continues(name),
  });
}

function* children(node) {
  for (const [name, value] of Object.entries(node)) {
    if (Array.isArray(value)) {
      for (const child of value) if (child?.type) yield [name, child];
    } else if (value?.type && typeof value.type === 'string') yield [name, value];
  }
}

function isIgnored(node, parent, key) {
  if (/^(?:Import|Export(?:All|Named)Declaration$)/.test(node.type)) return !node.declaration;
  if (node.type === 'ImportAttribute') return true;
  if (key === 'key' && !parent.computed) return true;
  if (node.type === 'NewExpression') return /Error$/.test(node.callee.name ?? '');
  return isLogCall(node);
}

const nameOf = (node) => (node?.type === 'MemberExpression' ? node.property.name : node?.name);

function isLogCall(node) {
  const call = node.type === 'ExpressionStatement' ? node.expression : node;
  const callee = (call.type === 'ChainExpression' ? call.expression : call).callee;
  return callee?.type === 'MemberExpression' && LOG_LEVELS.has(callee.property.name) && nameOf(callee.object) === 'log';
}

const isPure = (node) => !IMPURE.has(node.type) && [...children(node)].every(([, child]) => isPure(child));

function mutate(node, parent, key, textOf) {
  const text = textOf(node);
  const isCondition =
    key === 'test' && /^(?:If|Conditional|While|DoWhile|For)/.test(parent.type) && node.type !== 'Literal';
  const form = isPure(node) ? 'pure' : 'value';
  const mutations = (MUTATORS[node.type]?.({ node, parent, key, textOf, text }) ?? []).map((one) => ({
    form,
    ...one,
  }));
  if (isCondition) mutations.push(...conditions(parent, text, form));
  return mutations;
}

function conditions(parent, text, form) {
  const never = { kind: 'condition is false', text: 'false', form: 'pure' };
  if (/^(?:While|DoWhile|For)/.test(parent.type)) return [never];
  return [
    { kind: 'condition negated', text: `!(${text})`, form },
    { kind: 'condition is true', text: 'true', form: 'pure' },
    never,
  ];
}

/** The operator between two operands, replaced. */
function swapOperator({ node, textOf }, operator) {
  const left = textOf(node.left);
  return `${left} ${operator} ${textOf(node.right)}`;
}

const MUTATORS = {
  BinaryExpression(at) {
    const { operator } = at.node;
    const comparisons = (COMPARISONS[operator] ?? []).map((other) => ({
      kind: `${operator} is ${other}`,
      text: swapOperator(at, other),
    }));
    if (comparisons.length > 0) return comparisons;
    const other = ARITHMETIC[operator];
    const isText = [at.node.left, at.node.right].some(
      (side) => side.type === 'TemplateLiteral' || typeof side.value === 'string',
    );
    return other && !isText ? [{ kind: `${operator} is ${other}`, text: swapOperator(at, other) }] : [];
  },
  LogicalExpression(at) {
    const { operator, left, right } = at.node;
    if (operator === '??')
      return [
        { kind: 'never the default', text: at.textOf(left) },
        { kind: 'always the default', text: at.textOf(right) },
      ];
    const other = operator === '&&' ? '||' : '&&';
    const wrap = (side) => `(${at.textOf(side)})`;
    return [
      { kind: `${operator} is ${other}`, text: `${wrap(left)} ${other} ${wrap(right)}` },
      { kind: `left of ${operator} alone`, text: at.textOf(left) },
      { kind: `right of ${operator} alone`, text: at.textOf(right) },
    ];
  },
  UnaryExpression({ node, textOf }) {
    if (node.operator === '!') return [{ kind: 'not negated', text: textOf(node.argument) }];
    if (node.operator === '-') return [{ kind: 'sign removed', text: textOf(node.argument) }];
    return [];
  },
  UpdateExpression({ node, text }) {
    const other = node.operator === '++' ? '--' : '++';
    return [{ kind: `${node.operator} is ${other}`, text: text.replace(node.operator, other) }];
  },
  AssignmentExpression({ node, textOf }) {
    const other = ASSIGNMENTS[node.operator];
    return other
      ? [{ kind: `${node.operator} is ${other}`, text: `${textOf(node.left)} ${other} ${textOf(node.right)}` }]
      : [];
  },
  Literal: literals,
  CallExpression: calls,
  ExpressionStatement({ node, parent }) {
    if (node.directive) return [];
    const { type } = node.expression;
    const isWork = /^(?:Call|Await|Assignment|Update|Chain)Expression$|^UnaryExpression$/.test(type);
    const isConstructor = node.expression.callee?.type === 'Super';
    return isWork && !isConstructor && parent.type !== 'Program' ? [removed('statement removed')] : [];
  },
  ReturnStatement: ({ node }) => (node.argument ? [] : [removed('return removed')]),
  ContinueStatement: () => [removed('continue removed')],
  BreakStatement: ({ parent }) => (parent.type === 'SwitchCase' ? [] : [removed('break removed')]),
};

const removed = (kind) => ({ kind, text: ';', form: 'statement' });

const MAX_TEXT_LENGTH = 40;

function literals({ node, parent, key, text }) {
  if (parent.type === 'ImportExpression' || key === 'source' || parent.type === 'TSEnumMember') return [];
  if (typeof node.value === 'boolean') return [{ kind: 'other boolean', text: String(!node.value), form: 'pure' }];
  if (typeof node.value === 'number')
    return [1, -1].map((step) => ({
      kind: `number ${step > 0 ? '+' : '-'} 1`,
      text: node.value + step < 0 ? `(${node.value + step})` : String(node.value + step),
      form: 'pure',
    }));
  if (typeof node.value === 'string' && !/\s/.test(node.value.trim()) && text.length <= MAX_TEXT_LENGTH)
    return [
      { kind: 'other text', text: node.value === '' ? "'mutant'" : "''", form: 'pure' },
      ...(/^[a-z]+$/.test(node.value) ? [{ kind: 'other text', text: `'${node.value}s'`, form: 'pure' }] : []),
    ];
  if (node.regex) return regexMutations(node.regex).map((one) => ({ ...one, form: 'value' }));
  return [];
}

function calls({ node, textOf, text }) {
  const { callee } = node;
  if (callee.type !== 'MemberExpression' || callee.computed) return [];
  const { name } = callee.property;
  const mutations = [];
  const other = Object.hasOwn(SWAPPED_METHODS, name) ? SWAPPED_METHODS[name] : undefined;
  if (other) {
    const at = callee.property.start - node.start;
    mutations.push({
      kind: `${name} is ${other}`,
      text: `${text.slice(0, at)}${other}${text.slice(at + name.length)}`,
    });
  }
  if (REMOVED_METHODS.has(name) && !callee.optional)
    mutations.push({ kind: `${name} removed`, text: textOf(callee.object) });
  return mutations;
}
