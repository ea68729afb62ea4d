/** Every regular expression literal of a source tree, and texts on which a superlinear one would be slow. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { parseAst } from 'rolldown/parseAst';

export interface ExpressionLiteral {
  readonly source: string;
  readonly flags: string;
  /** File and line. */
  readonly place: string;
}

/** What may take longer, since it sees no stranger's bytes: rule files of the configuration, bounded in size. */
const OWN_FILES: ReadonlySet<string> = new Set(['src/adapters/config-xml/secrets.ts']);
/** The same: what the console reads of the configuration that its user edits. */
const OWN_TEXT: ReadonlySet<string> = new Set([
  '<!--[\\s\\S]*?-->',
  '<(?:[\\w-]+:)?Crawler\\b[^>]*>',
  '<(?:[\\w-]+:)?CrawlConfig\\b[^>]*>',
]);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The expressions of the program that may meet what strangers send. */
export const checkedLiterals = (): readonly ExpressionLiteral[] =>
  expressionLiterals(ROOT, ['src', 'demo-index', 'console/src']).filter(
    ({ source, place }) => !OWN_TEXT.has(source) && !OWN_FILES.has(place.split(':')[0]!),
  );

function expressionLiterals(root: string, folders: readonly string[]): ExpressionLiteral[] {
  const literals = new Map<string, ExpressionLiteral>();
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name) || name.endsWith('.spec.ts')) continue;
      for (const literal of literalsOf(readFileSync(join(root, folder, name), 'utf8'), join(folder, name))) {
        literals.set(`/${literal.source}/${literal.flags}`, literal);
      }
    }
  }
  return [...literals.values()];
}

interface Node {
  readonly type?: string;
  readonly start?: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

export function literalsOf(text: string, name: string): ExpressionLiteral[] {
  const literals: ExpressionLiteral[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, start = 0 } = node as Node;
    if (type === 'Literal' && regex) {
      const place = `${name}:${text.slice(0, start).split('\n').length}`;
      literals.push({ source: regex.pattern, flags: regex.flags, place });
    }
    for (const child of Object.values(node)) walk(child);
  };
  walk(parseAst(text, { lang: name.endsWith('x') ? 'tsx' : 'ts' }, name));
  return literals;
}

const CHARACTERS = 'a0 \n\t\r</>.-_"\'`;:=&%?*+#@![({})]|\\^$~,éж\u3042\u0001';
/** A character that no expression of this project matches. */
const STOPPER = '\u0002\n\u0002';

/**
 * Texts of about so many characters: each class of characters again and again, by itself and behind what comes before it in
 * the expression, and that beginning again and again.
 */
export function hardTexts({ source, flags }: ExpressionLiteral, length: number): string[] {
  const pattern = new RegExpParser().parsePattern(source, undefined, undefined, { unicode: /[uv]/.test(flags) });
  const texts = new Set<string>();
  const repeat = (piece: string): string => piece.repeat(Math.ceil(length / piece.length));
  const add = (before: string, piece: string): void => {
    if (piece !== '') texts.add(before + repeat(piece) + STOPPER).add(before + repeat(piece));
    if (before + piece !== '') texts.add(repeat(before + piece) + STOPPER);
    if (before !== '') texts.add(repeat(before));
  };
  const visit = (alternatives: readonly AST.Alternative[], before: string): void => {
    for (const { elements } of alternatives) {
      let text = before;
      for (const element of elements) {
        for (const piece of element.type === 'Quantifier' ? pieces(element.element, flags) : []) add(text, piece);
        const inner = element.type === 'Quantifier' ? element.element : element;
        if ('alternatives' in inner) visit(inner.alternatives, text);
        text += shortest(element, flags);
      }
    }
  };
  visit(pattern.alternatives, '');
  for (const character of CHARACTERS) add('', character);
  return [...texts];
}

/** What a repeatable element matches: characters of its class, or a text. */
function pieces(element: AST.Element, flags: string): string[] {
  const taken = [...CHARACTERS].filter((character) => matches(element, flags, character));
  const whole = shortest(element, flags);
  return [...taken.slice(0, 3), ...taken.slice(-1), ...(whole === '' ? [] : [whole])];
}

const matches = (element: AST.Element, flags: string, text: string): boolean => {
  try {
    return new RegExp(`^(?:${element.raw})$`, flags.replace(/[gy]/g, '')).test(text);
  } catch {
    return false; // it refers to a group outside of it
  }
};

/** A short text that the element probably matches. */
function shortest(element: AST.Element | AST.QuantifiableElement, flags: string): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'Group':
    case 'CapturingGroup': {
      const texts = element.alternatives.map(({ elements }) => elements.map((one) => shortest(one, flags)).join(''));
      return texts.sort((a, b) => a.length - b.length)[0] ?? '';
    }
    case 'Quantifier':
      return shortest(element.element, flags).repeat(Math.min(element.min, 40));
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass':
      return [...CHARACTERS].find((character) => matches(element, flags, character)) ?? '';
    default:
      return '';
  }
}
