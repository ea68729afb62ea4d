import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import config from '../../vitest.config.js';

interface Project {
  readonly test: { readonly name: string; readonly include: readonly string[]; readonly exclude: readonly string[] };
}

const script = new URL('../../scripts/suites.mjs', import.meta.url).href;
const { SUITES } = (await import(script)) as {
  SUITES: Readonly<Record<string, { readonly projects: readonly string[] }>>;
};

const projects = (config as unknown as { test: { projects: readonly Project[] } }).test.projects;
const specs = globSync('{src,test,demo-index,bench,client,console,import}/**/*.spec.ts', { cwd: PROJECT_ROOT }).filter(
  (file) => !file.includes('node_modules'),
);

it('each spec file belongs to one project, besides the one that repeats some on PostgreSQL', () => {
  const wrong = specs.flatMap((file) => {
    const matching = projects.filter(
      ({ test }) =>
        test.include.some((glob) => matchesGlob(file, glob)) && !test.exclude.some((glob) => matchesGlob(file, glob)),
    );
    const count =
      matching.length > 1 ? matching.filter(({ test }) => test.name !== 'postgresql').length : matching.length;
    return count === 1 ? [] : [`${file}: ${matching.map(({ test }) => test.name).join(', ') || 'none'}`];
  });
  expect(specs.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

it('each project belongs to a suite, and each suite has a line in CONTRIBUTING and .ci/run', () => {
  const named = Object.values(SUITES).flatMap(({ projects: names }) => names);
  expect([...new Set(named)].sort()).toEqual(projects.map(({ test }) => test.name).sort());
  for (const file of ['CONTRIBUTING.md', '.ci/run']) {
    const text = readFileSync(`${PROJECT_ROOT}/${file}`, 'utf8');
    for (const suite of Object.keys(SUITES))
      expect(text, file).toContain(suite === 'gate' ? 'npm test' : `npm run test:${suite}`);
  }
});
