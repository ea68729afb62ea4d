/** The plain parts of Python source: classes, assignments and calls. No code is run. */
import { ImportError, type ImportFile, type ImportReport } from './model.js';
import { Node } from './node.js';

const MAX_DEPTH = 50;

/** A string, a comment, or a bracket; quotes of three may contain line breaks. */
const TOKEN =
  /'''[\s\S]*?'''|"""[\s\S]*?"""|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|#[^\n]*|[[({\])}]|[\s\S]/g;

interface Statement {
  readonly indent: number;
  readonly text: string;
  readonly line: number;
}

/** Statements without comments; those in brackets may have several lines. */
function listStatements(source: string): Statement[] {
  const statements: Statement[] = [];
  let text = '';
  let start = 1;
  let line = 1;
  let depth = 0;
  for (const [token] of `${source}\n`.matchAll(TOKEN)) {
    if (/^[[({]$/.test(token)) depth++;
    if (/^[\])}]$/.test(token)) depth = Math.max(0, depth - 1);
    if (token === '\n' && depth === 0 && !text.endsWith('\\')) {
      if (text.trim() !== '') statements.push({ indent: text.search(/\S/), text: text.trim(), line: start });
      text = '';
    } else if (!token.startsWith('#')) text += token;
    line += token.split('\n').length - 1;
    if (text === '') start = line;
  }
  return statements;
}

/** Parts at commas outside of strings and brackets, with the lines that they begin on. */
function split(source: string, line: number): { text: string; line: number }[] {
  const parts: { text: string; line: number }[] = [];
  let text = '';
  let depth = 0;
  let current = line;
  let start = line;
  for (const [token] of `${source},`.matchAll(TOKEN)) {
    if (/^[[({]$/.test(token)) depth++;
    if (/^[\])}]$/.test(token)) depth--;
    if (token === ',' && depth === 0) {
      if (text.trim() !== '') parts.push({ text: text.trim(), line: start });
      text = '';
    } else text += token;
    current += token.split('\n').length - 1;
    if (text.trim() === '') start = current;
  }
  return parts;
}

/** The elements of a list, dictionary or call become children; those without a name are called `item`. */
function parseValue(name: string, value: string, line: number, file: string, depth = 0): Node {
  if (depth > MAX_DEPTH) throw new ImportError(`${file}:${line}: values are nested more than ${MAX_DEPTH} levels deep`);
  const place = `${file}:${line}`;
  const [, callee = '', inner] = /^([\w.]*)\s*[[({]([\s\S]*)[\])}]$/.exec(value) ?? [];
  if (inner === undefined) return new Node(name, value, [], place);
  const children = split(inner, line).map((part) => {
    const [, argument, key, named] = /^(?:(\w+)\s*=(?!=)|['"]([\w.]+)['"]\s*:)\s*([\s\S]+)$/.exec(part.text) ?? [];
    return parseValue(argument ?? key ?? 'item', named ?? part.text, part.line, file, depth + 1);
  });
  return new Node(name, callee, children, place);
}

/** The URLs that the functions with which a spider begins request: lists of their names, and strings in a Request. */
function listRequests(definition: string, body: readonly Statement[], file: string): Node[] {
  if (!/^(?:async\s+)?def\s+start(?:_requests)?\b/.test(definition)) return [];
  return body.flatMap(({ text, line }) => {
    const list = /^\w*urls?\s*=\s*[[(]([\s\S]*)[\])]$/i.exec(text)?.[1];
    const values = list
      ? split(list, line)
      : [...text.matchAll(/\bRequest\(\s*(?:url\s*=\s*)?(["'][^"'\n]*["'])\s*[,)]/g)].map(([, one]) => ({
          text: one!,
          line,
        }));
    return values.map((one) => new Node('url', one.text, [], `${file}:${one.line}`));
  });
}

/** A class has its statements as children; what is indented below any other statement belongs to that statement. */
function parseBlock(statements: readonly Statement[], file: string): Node[] {
  const nodes: Node[] = [];
  for (let index = 0; index < statements.length; ) {
    const { indent, text, line } = statements[index++]!;
    const first = index;
    while (index < statements.length && statements[index]!.indent > indent) index++;
    const place = `${file}:${line}`;
    const [, className, bases = ''] = /^class\s+(\w+)\s*(?:\(([^)]*)\))?\s*:/.exec(text) ?? [];
    const [, name, value] = /^(\w+)\s*(?::[^='"]*)?=(?!=)\s*([\s\S]+)$/.exec(text) ?? [];
    if (className !== undefined)
      nodes.push(new Node(`class ${className}`, bases, parseBlock(statements.slice(first, index), file), place));
    else if (name !== undefined) nodes.push(parseValue(name, value!, line, file));
    // Modules to load and documentation say nothing about a crawl.
    else if (!/^(?:import|from|pass$|[rRuU]?["'])/.test(text))
      nodes.push(
        new Node('line', text.split('\n')[0]!, listRequests(text, statements.slice(first, index), file), place),
      );
  }
  return nodes;
}

export function parsePython({ name, text }: ImportFile, report: ImportReport): Node {
  const source = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '        ');
  return report.addInput(name, new Node('module', '', parseBlock(listStatements(source), name), `${name}:1`));
}

/** The text of a string, or of several that stand side by side; undefined for anything else, such as a variable. */
export function readString({ text, children }: Node): string | undefined {
  const literal =
    /(?:([rR]?)(?:[uU]?)('''[\s\S]*?'''|"""[\s\S]*?"""|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"))\s*/y;
  if (children.length > 0 || text === '') return undefined;
  let value = '';
  while (literal.lastIndex < text.length) {
    const [, raw, quoted] = literal.exec(text) ?? [];
    if (quoted === undefined) return undefined;
    const content = /^(?:'''|""")/.test(quoted) ? quoted.slice(3, -3) : quoted.slice(1, -1);
    value += raw ? content : content.replace(/\\(?:\n|([\\'"]))/g, '$1');
  }
  return value;
}
