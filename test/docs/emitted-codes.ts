/** Which codes a source file gives out: string literals that become a value, not those that are only compared, listed or described. */
import { parseSync } from '@swc/core';

type Node = Record<string, unknown> & { readonly type?: string };

const COMPARISONS = new Set(['===', '!==', '==', '!=']);
/** Calls that ask whether something is among others. */
const QUESTIONS = new Set(['has', 'includes', 'startsWith', 'indexOf']);
/** What TypeScript puts around a value. */
const WRAPPERS = new Set(['TsAsExpression', 'TsConstAssertion', 'TsSatisfiesExpression', 'TsNonNullExpression']);

export function emittedCodes(source: string, codes: ReadonlySet<string>): Set<string> {
  const emitted = new Set<string>();
  const visit = (value: unknown, emits = true): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, emits);
    } else if (value !== null && typeof value === 'object') {
      visitNode(value as Node, emits);
    }
  };
  const visitNode = (node: Node, emits: boolean): void => {
    const { type = '' } = node;
    if (type === 'StringLiteral') {
      if (emits && codes.has(node['value'] as string)) emitted.add(node['value'] as string);
      return;
    }
    if (isMap(node)) visitEntries(node);
    else if (WRAPPERS.has(type)) visit(node['expression'], emits);
    else if (!isDescription(type)) visitChildren(node, emits);
  };
  const visitChildren = (node: Node, emits: boolean): void => {
    // What is in parentheses, or chosen by a condition, is what its surroundings make of it; other nodes decide for themselves.
    const inherits = ['ParenthesisExpression', 'ConditionalExpression', undefined].includes(node.type);
    for (const [key, child] of Object.entries(node)) visit(child, inherits ? emits : childEmits(node, key));
  };
  /** The value of an entry is given out for its key. */
  const visitEntries = (node: Node): void => {
    for (const entry of arrayElements((node['arguments'] as Node[] | undefined)?.[0]?.['expression']))
      visit(arrayElements(entry).at(-1));
  };
  visit(parseSync(source, { syntax: 'typescript', decorators: true }).body);
  return emitted;
}

const isDescription = (type: string): boolean =>
  type === 'ImportDeclaration' || (type.startsWith('Ts') && type !== 'TsParameterProperty');

/** Whether a literal right below the node is given out. */
function childEmits(node: Node, key: string): boolean {
  switch (node.type) {
    case 'BinaryExpression':
      return !COMPARISONS.has(node['operator'] as string);
    case 'SwitchCase':
      return key !== 'test';
    case 'KeyValueProperty':
      return key !== 'key';
    case 'ArrayExpression':
      return false;
    case 'CallExpression':
      return key !== 'arguments' || !QUESTIONS.has(calledMethod(node));
    case 'MemberExpression':
    case 'Computed':
      return false;
    default:
      return true;
  }
}

const calledMethod = ({ callee }: Node): string =>
  ((callee as Node)['property'] as Node | undefined)?.['value'] as string;

const isMap = ({ type, callee }: Node): boolean =>
  type === 'NewExpression' && (callee as Node)['type'] === 'Identifier' && (callee as Node)['value'] === 'Map';

const arrayElements = (node: unknown): unknown[] =>
  (node as Node | undefined)?.type === 'ArrayExpression'
    ? ((node as Node)['elements'] as { readonly expression: unknown }[]).map(({ expression }) => expression)
    : [];
