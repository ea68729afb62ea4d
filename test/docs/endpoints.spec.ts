/** The documentation names only endpoints that the API has. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FILES = globSync('docs/*.md').concat('README.md');
/** Prefixes that the documentation leaves out, and paths of other programs. */
const PREFIXES = ['', '/api/v1'];
const ELSEWHERE = new Set(['PUT /tika']);

/** `GET /api/v1/crawlers/{}` and the like: names of parameters do not matter. */
function readOperations(): Set<string> {
  const operations = new Set<string>();
  let path = '';
  for (const line of readFileSync('openapi.yaml', 'utf8').split('\n')) {
    path = /^ {2}(\/\S*):$/.exec(line)?.[1] ?? path;
    const method = /^ {4}(get|post|put|patch|delete):$/.exec(line)?.[1];
    if (method) operations.add(`${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`);
  }
  return operations;
}

it('every endpoint in the documentation exists', () => {
  const operations = readOperations();
  expect(operations.size).toBeGreaterThan(80);
  const named = FILES.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}.-]*[\w}])/g)].map(
      ([, method, path]) => ({ file, method: method!, path: path! }),
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  const isKnown = ({ method, path }: { method: string; path: string }): boolean =>
    ELSEWHERE.has(`${method} ${path}`) ||
    PREFIXES.some((prefix) => {
      // A name in capitals stands for a parameter.
      const form = `${prefix}${path}`.replace(/\{[^}]*\}|\/[A-Z]+(?=\/|$)/g, (part) =>
        part.startsWith('/') ? '/{}' : '{}',
      );
      return operations.has(`${method} ${form}`);
    });
  expect(named.filter((endpoint) => !isKnown(endpoint))).toEqual([]);
});
