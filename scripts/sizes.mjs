// Measures how large the product's files and functions are. `npm run lint` prints the result for comparison with the
// previous commit, together with the files that should be split.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const MANY_LINES = 400;
const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
]);

/** Measures the files in the folder, except specs; returns the lines of the report. */
export function measure(root, folder) {
  const files = [];
  const functions = [];
  const large = [];
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.tsx?$/.test(path) || /\.spec\.ts$|\/schema\.ts$/.test(path)) continue;
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n').length - 1;
    files.push(lines);
    if (lines > MANY_LINES) large.push(`${path.slice(root.length + 1)}: ${lines} lines`);
    functions.push(...measureFunctions(text, path.endsWith('x')));
  }
  return [
    `${folder}: lines of ${files.length} files ${describeSpread(files)}, of ${functions.length} functions ${describeSpread(functions)}`,
    ...large,
  ];
}

function measureFunctions(text, tsx) {
  // The parser's positions continue from file to file and begin at the first token, so a token is put in front.
  const bytes = Buffer.from(`;${text}`);
  const module = parseSync(`;${text}`, { syntax: 'typescript', decorators: true, tsx });
  const { start } = module.span;
  const sizes = [];
  const visit = (node) => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    else if (node && typeof node === 'object') {
      if (FUNCTIONS.has(node.type)) {
        const { span } = node;
        sizes.push(
          bytes
            .subarray(span.start - start, span.end - start)
            .toString()
            .split('\n').length,
        );
      }
      for (const value of Object.values(node)) visit(value);
    }
  };
  visit(module.body);
  return sizes;
}

function describeSpread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return `p50 ${quantile(0.5)}, p90 ${quantile(0.9)}, max ${sorted.at(-1)}`;
}
