/** The part of Velocity's template language with which configurations of Norconex are put together. */
import { ImportError, type ImportFile, type ReadBeside } from './model.js';

const MAX_DEPTH = 20;
const MAX_LINES = 1_000_000;
const DIRECTIVE = /^(\s*)#(parse|include)\s*\(\s*["']([^"']+)["']\s*\)/;
const SET = /^\s*#set\s*\(\s*\$!?\{?([\w.-]+)\}?\s*=\s*(.*?)\s*\)\s*$/;
/** Directives that decide what is in the file when it is read. */
const UNSUPPORTED = /^\s*#(?:\{)?(if|elseif|else|foreach|macro|define|evaluate|stop)\b/;
const REFERENCE = /\$!?\{([\w.-]+)\}|\$!?([A-Za-z][\w-]*)/g;

interface Template {
  readonly variables: Map<string, string>;
  readonly findFile: ReadBeside;
  readonly lines: string[];
  readonly places: string[];
  /** Files that became part of the text. */
  readonly used: Set<string>;
}

/**
 * Puts a file together with those that it includes, and replaces its variables.
 * @throws ImportError with the line of a variable without a value, or of a directive that cannot be followed
 */
export function expandTemplate(
  file: ImportFile,
  variables: ReadonlyMap<string, string>,
  findFile: ReadBeside,
): ImportFile & { readonly used: ReadonlySet<string> } {
  const template: Template = {
    variables: new Map(variables),
    findFile,
    lines: [],
    places: [],
    used: new Set([file.name]),
  };
  expandFile(file, template, 0);
  const { lines, places, used } = template;
  return { name: file.name, text: lines.join('\n'), places, used };
}

function expandFile({ name, text }: ImportFile, template: Template, depth: number): void {
  if (depth > MAX_DEPTH) throw new ImportError(`${name}: files include each other more than ${MAX_DEPTH} levels deep`);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const place = `${name}:${index + 1}`;
    const [, , directive, path] = DIRECTIVE.exec(line) ?? [];
    const [, variable, value] = SET.exec(line) ?? [];
    const unsupported = UNSUPPORTED.exec(line)?.[1];
    if (directive === undefined && /#(?:parse|include)\s*\(/.test(line) && !/^\s*##/.test(line))
      throw new ImportError(`${place}: write #parse and #include on a line of their own`);
    if (unsupported !== undefined)
      throw new ImportError(`${place}: #${unsupported} is not followed: write what it comes to`);
    if (variable !== undefined) template.variables.set(variable, evaluate(value!, place, template));
    else if (directive !== undefined)
      includeFile(directive, replaceReferences(path!, place, template), place, template, depth);
    else if (/^\s*##/.test(line) || /^\s*#end\b/.test(line)) continue;
    else addLine(replaceReferences(line, place, template), place, template);
  }
}

function includeFile(directive: string, path: string, place: string, template: Template, depth: number): void {
  const file = template.findFile(path);
  if (!file) throw new ImportError(`${place}: ${path} was not found: specify this file, too`);
  template.used.add(file.name);
  if (directive === 'parse') {
    for (const [name, value] of readVariablesBeside(path, template))
      if (!template.variables.has(name)) template.variables.set(name, value);
    return void expandFile({ ...file, text: removeProlog(file.text) }, template, depth + 1);
  }
  for (const [index, line] of removeProlog(file.text).split(/\r?\n/).entries())
    addLine(line, `${file.name}:${index + 1}`, template);
}

/** What may only stand at the beginning of a document leaves its lines behind. */
const removeProlog = (text: string): string =>
  text.replace(/<\?xml\s[^>]{0,1000}>|<!DOCTYPE[^[>]{0,1000}>/gi, (part) => part.replace(/[^\n]/g, ' '));

/** The variables in files beside one with the same name; what is set already is kept. */
function readVariablesBeside(path: string, { findFile, used }: Template): [name: string, value: string][] {
  const files = ['variables', 'properties'].flatMap(
    (ending) => findFile(path.replace(/\.[^./\\]*$/, `.${ending}`)) ?? [],
  );
  for (const { name } of files) used.add(name);
  return files.flatMap(({ text }) => [...parseProperties(text)]);
}

function addLine(line: string, place: string, { lines, places }: Template): void {
  if (lines.length >= MAX_LINES) throw new ImportError(`${place}: with its includes, the file has too many lines`);
  lines.push(line);
  places.push(place);
}

/** The value of `#set($name = value)`: text in quotes, a number, or another variable. */
function evaluate(expression: string, place: string, template: Template): string {
  const [, quote, text] = /^(["'])(.*)\1$/.exec(expression) ?? [];
  if (quote === "'") return text!;
  return replaceReferences(text ?? expression, place, template);
}

/** `$name` without a value stays, because expressions contain dollars; `${name}` can only be a variable. */
function replaceReferences(line: string, place: string, { variables }: Template): string {
  return line.replace(REFERENCE, (reference, braced?: string, plain?: string) => {
    const value = variables.get(braced ?? plain!);
    if (value !== undefined) return value;
    if (braced === undefined || /^(?:env|sys)\b/.test(braced)) return reference;
    throw new ImportError(
      `${place}: ${reference} has no value: specify the .variables or .properties file that sets it`,
    );
  });
}

/** Parses `name = value` or `name: value` lines, with backslashes before the line breaks of long values. */
export function parseProperties(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const line of text.replace(/\\\r?\n\s*/g, '').split(/\r?\n/)) {
    const [, name, value] = /^\s*([^#!\s=:][^\s=:]*)\s*[=:]\s?(.*)$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, value!.trim().replace(/\\([:=#!\\ ])/g, '$1'));
  }
  return variables;
}
