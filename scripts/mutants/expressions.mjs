// Mutations of regular expressions: an anchor, a repetition or the flag for both cases.
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** Returns the mutations of a literal, each as the code of another literal. */
export function regexMutations({ pattern, flags }) {
  const parser = new RegExpParser();
  const tree = parser.parsePattern(pattern, 0, pattern.length, { unicode: flags.includes('u') || flags.includes('v') });
  const mutations = [];
  const replace = ({ start, end }, text, kind) => {
    const mutated = `${pattern.slice(0, start)}${text}${pattern.slice(end)}` || '(?:)';
    if (compiles(mutated, flags)) mutations.push({ kind, text: `/${mutated}/${flags}` });
  };
  visitRegExpAST(tree, {
    onAssertionEnter(node) {
      if (node.kind === 'start' || node.kind === 'end') replace(node, '', `${node.raw} removed`);
    },
    onQuantifierEnter(node) {
      const { raw } = node.element;
      if (node.min === 0) replace(node, node.max === 1 ? raw : `${raw}+`, 'at least once');
      else if (node.max > 1) replace(node, raw, 'exactly once');
    },
    onCharacterClassEnter(node) {
      if (node.parent.type !== 'CharacterClass')
        replace(node, node.negate ? `[${node.raw.slice(2)}` : `[^${node.raw.slice(1)}`, 'class negated');
    },
  });
  if (flags.includes('i')) mutations.push({ kind: 'case matters', text: `/${pattern}/${flags.replace('i', '')}` });
  return mutations;
}

function compiles(pattern, flags) {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
