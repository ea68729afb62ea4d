// Measures how large the product is and how it is divided. `npm run lint` prints the figures beside their bounds
// (sizes.json), and fails if one of them is worse. A bound is lowered when a figure has improved, and raised only by a
// commit that says why.
//
// The product is `src` without specs. A line is a line of a file, whatever it contains.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from '@swc/core';

/** Files below this size that only one file imports could usually be part of it. */
const FEW_LINES = 60;
/** Functions above this size are counted. */
const MANY_LINES = 60;

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
]);

/** Returns the figures by name, and for some of them the places behind them. */
function measure(root) {
  const files = listSources(root).map((path) => parseFile(root, path));
  const lines = files.map((file) => file.lines);
  const functions = files.flatMap((file) => file.functions);
  const importers = countImporters(files);
  const dust = files.filter(({ path, lines }) => importers.get(path) === 1 && lines < FEW_LINES);
  const interfaces = new Map(files.flatMap((file) => file.interfaces));
  const countMembers = (name) => {
    const { members, bases } = interfaces.get(name) ?? { members: 0, bases: [] };
    return bases.reduce((sum, base) => sum + countMembers(base), members);
  };
  const bags = [...interfaces.keys()].filter((name) => name.endsWith('Services'));
  const largestBag = bags.toSorted((a, b) => countMembers(b) - countMembers(a))[0];
  const largestFile = files.toSorted((a, b) => b.lines - a.lines)[0];
  const longestFunction = functions.toSorted((a, b) => b.lines - a.lines)[0];
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    lines: { value: lines.reduce((sum, count) => sum + count, 0) },
    files: { value: files.length },
    'files with one importer and fewer than 60 lines': { value: dust.length, places: dust.map(({ path }) => path) },
    'lines of the longest function': { value: longestFunction.lines, places: [longestFunction.place] },
    'functions over 60 lines': {
      value: functions.filter((one) => one.lines > MANY_LINES).length,
      places: functions.filter((one) => one.lines > MANY_LINES).map(({ place, lines }) => `${place} (${lines})`),
    },
    'lines of a file, 90th percentile': { value: lines.toSorted((a, b) => a - b)[Math.floor(0.9 * lines.length)] },
    'lines of the longest file': { value: largestFile.lines, places: [largestFile.path] },
    'fields of the largest service bag': { value: countMembers(largestBag), places: [largestBag] },
    'members of EngineApi': { value: countMembers('EngineApi') },
    'direct dependencies': { value: Object.keys(dependencies).length },
  };
}

/** Compares the figures with their bounds; returns the rows of the table, and what is worse than its bound. */
export function checkSizes(root) {
  const bounds = JSON.parse(readFileSync(join(root, 'scripts/sizes.json'), 'utf8'));
  const figures = Object.entries(measure(root));
  const rows = figures.map(
    ([name, { value }]) => `${name.padEnd(50)}${String(value).padStart(7)}  at most ${bounds[name]}`,
  );
  const faults = figures.flatMap(([name, { value, places = [] }]) =>
    value <= bounds[name] ? [] : [`${name}: ${value}, at most ${bounds[name]} (scripts/sizes.json)`, ...places],
  );
  return { rows, faults };
}

const listSources = (root) =>
  readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name) && !/\.(?:spec|d)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

function parseFile(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  // The parser's positions continue from file to file and begin at the first token, so a token is put in front.
  const bytes = Buffer.from(`;${text}`);
  const module = parseSync(`;${text}`, { syntax: 'typescript', decorators: true });
  const countLines = (from, to) =>
    bytes
      .subarray(from - module.span.start, to - module.span.start)
      .toString()
      .split('\n').length;
  const file = { path, lines: text.split('\n').length - 1, imports: new Set(), functions: [], interfaces: [] };
  visitNodes(module.body, (node) => {
    if (FUNCTIONS.has(node.type)) {
      const line = countLines(module.span.start, node.span.start);
      file.functions.push({ lines: countLines(node.span.start, node.span.end), place: `${path}:${line}` });
    }
    if (node.type === 'TsInterfaceDeclaration')
      file.interfaces.push([
        node.id.value,
        {
          members: node.body.body.length + node.extends.reduce((sum, base) => sum + countPicked(base), 0),
          bases: node.extends.map(({ expression }) => expression.value),
        },
      ]);
    const imported = findImport(node);
    if (imported?.startsWith('.')) file.imports.add(join(dirname(path), imported).replace(/\.js$/, '.ts'));
  });
  return file;
}

/** The number of members that an interface takes over from `Pick<…>`. */
function countPicked({ expression, typeArguments }) {
  if (expression.value !== 'Pick') return 0;
  const names = typeArguments.params[1];
  return names.type === 'TsUnionType' ? names.types.length : 1;
}

/** What a declaration or an expression imports: types too, and files that are imported when they are needed. */
function findImport(node) {
  if (/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type)) return node.source?.value;
  if (node.type === 'TsImportType') return node.argument.value;
  if (node.type === 'CallExpression' && node.callee.type === 'Import') return node.arguments[0].expression.value;
  return undefined;
}

function countImporters(files) {
  const importers = new Map();
  for (const { imports } of files) for (const path of imports) importers.set(path, (importers.get(path) ?? 0) + 1);
  return importers;
}

function visitNodes(node, visit) {
  if (Array.isArray(node)) for (const each of node) visitNodes(each, visit);
  else if (node && typeof node === 'object') {
    if (node.type) visit(node);
    for (const value of Object.values(node)) visitNodes(value, visit);
  }
}
