// Which tests can notice a mutant, and in which order they are run.
import { existsSync, readFileSync } from 'node:fs';
import { importsOf } from './choose.mjs';

/**
 * What a run of all tests without a mutant has shown.
 *
 * @param {string} reachFile lines of "spec file, tab, test, tab, mutant" (switch.mjs)
 */
export function readReach(reachFile, { tests, files }) {
  const seconds = new Map(tests.map(({ id, seconds }) => [id, seconds]));
  const passing = new Map(files.map(({ file }) => [file, []]));
  const broken = new Set(files.filter(({ state }) => state === 'failed').map(({ file }) => file));
  for (const { file, id, state } of tests) if (state === 'passed') passing.get(file)?.push(id);
  const starts = new Map(files.map(({ file, start }) => [file, start]));
  const byMutant = new Map();
  for (const line of existsSync(reachFile) ? readFileSync(reachFile, 'utf8').split('\n') : []) {
    if (line === '') continue;
    const [file, test, id] = line.split('\t');
    const byFile = getOrCreate(byMutant, Number(id), () => new Map());
    getOrCreate(byFile, file, () => new Set()).add(test);
  }
  /** What is run of a spec file, and how long it takes; none if all its tests fail anyway. */
  const select = (file, reaching) => {
    const all = passing.get(file) ?? [];
    const testIds = reaching === undefined || reaching.has('') ? all : all.filter((id) => reaching.has(id));
    if (testIds.length === 0) return undefined;
    const isWhole = testIds.length === all.length && !broken.has(file);
    const cost = testIds.reduce((sum, id) => sum + seconds.get(id), starts.get(file));
    return { file, cost, ...(isWhole ? {} : { testIds }) };
  };
  return { byMutant, select };
}

function getOrCreate(map, key, create) {
  if (!map.has(key)) map.set(key, create());
  return map.get(key);
}

/** For each file, the spec files that load it, with the number of imports between them. */
export function readImporters(copy, specs) {
  const importers = new Map();
  const cache = new Map();
  const imports = (file) => {
    if (!cache.has(file)) cache.set(file, existsSync(`${copy}/${file}`) ? [...importsOf(copy, file)] : []);
    return cache.get(file);
  };
  for (const spec of specs) {
    const distances = new Map([[spec, 0]]);
    for (const [file, distance] of distances)
      for (const next of imports(file)) if (!distances.has(next)) distances.set(next, distance + 1);
    for (const [file, distance] of distances) getOrCreate(importers, file, () => new Map()).set(spec, distance);
  }
  return importers;
}

/** The spec files to run for a mutant: its unit's own first, then those that import the unit, then the others by cost. */
export function orderSpecs(mutant, { byMutant, select }, importers) {
  const distances = importers.get(mutant.file) ?? new Map();
  // What is evaluated at load was seen only in the first spec file that shares a process.
  const reaching = mutant.atLoad
    ? new Map([...distances.keys()].map((file) => [file, undefined]))
    : byMutant.get(mutant.id);
  if (reaching === undefined) return [];
  const own = mutant.file.replace(/\.ts$/, '.spec.ts');
  const rank = ({ file }) => (file === own ? 0 : distances.get(file) === 1 ? 1 : 2);
  return [...reaching]
    .map(([file, tests]) => select(file, tests))
    .filter((one) => one !== undefined)
    .sort((a, b) => rank(a) - rank(b) || a.cost - b.cost);
}
