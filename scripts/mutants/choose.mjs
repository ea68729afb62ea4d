// Which mutants are tested: chosen by a seed, and without those that do not compile.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { applyMutant } from './copy.mjs';
import { findSites } from './sites.mjs';

const FOLDERS = ['src/domain', 'src/engine'];
/** Complaints that are about style: what a mutant has made superfluous. */
const STYLE = new Set(['TS6133', 'TS6192', 'TS6196', 'TS6198', 'TS7027']);

/** A generator of numbers from 0 to 1, the same for each seed (mulberry32). */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All sites in random order, each with one of its mutations. */
export function shuffleMutants(root, within, seed) {
  const random = createRandom(seed);
  const mutants = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && file.startsWith(within))
    .sort()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return findSites(file, source).map(({ mutations, ...site }) => ({
        ...site,
        ...mutations[Math.floor(random() * mutations.length)],
        file,
        line: source.slice(0, site.start).split('\n').length,
        original: source.slice(site.start, site.end),
      }));
    });
  for (let i = mutants.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [mutants[i], mutants[j]] = [mutants[j], mutants[i]];
  }
  return mutants;
}

/** The product alone, which compiles in a quarter of the time of the whole. */
const TSCONFIG = {
  extends: './tsconfig.json',
  compilerOptions: { incremental: true, tsBuildInfoFile: '../types.tsbuildinfo', pretty: false },
  include: ['src'],
  exclude: ['**/*.spec.ts'],
};

/** The first mutants that compile, in their order; each gets a number. The compiler sees one mutant of each file at a time. */
export function chooseCompiling(copy, mutants, count, progress) {
  writeFileSync(join(copy, 'tsconfig.mutants.json'), JSON.stringify(TSCONFIG));
  const chosen = [];
  let rest = mutants;
  let uncompiled = 0;
  while (chosen.length < count && rest.length > 0) {
    const candidates = rest.slice(0, Math.ceil((count - chosen.length) * 1.2) + 5);
    rest = rest.slice(candidates.length);
    const failing = findFailing(copy, candidates);
    const compiling = candidates.filter((one) => !failing.has(one)).slice(0, count - chosen.length);
    uncompiled += failing.size;
    chosen.push(...compiling);
    progress(`${chosen.length} mutants compile, ${uncompiled} do not`);
  }
  return { mutants: chosen.map((one, id) => ({ ...one, id })), uncompiled };
}

function findFailing(copy, candidates) {
  const failing = new Set();
  let waiting = candidates;
  while (waiting.length > 0) {
    const round = new Map();
    for (const mutant of waiting) if (!round.has(mutant.file)) round.set(mutant.file, mutant);
    waiting = waiting.filter((mutant) => round.get(mutant.file) !== mutant);
    for (const mutant of compileTogether(copy, [...round.values()])) failing.add(mutant);
  }
  return failing;
}

/** Returns those that the compiler complains of. What it says of an importer may be about any mutant there: these are tried alone. */
function compileTogether(copy, mutants) {
  const complaints = compile(copy, mutants);
  const failing = new Set(mutants.filter(({ file }) => complaints.has(file)));
  const suspects = new Set();
  for (const file of complaints) {
    if (mutants.some((mutant) => mutant.file === file)) continue;
    const imported = importsOf(copy, file);
    const among = mutants.filter((mutant) => imported.has(mutant.file) && !failing.has(mutant));
    for (const mutant of among.length > 0 ? among : mutants.filter((one) => !failing.has(one))) suspects.add(mutant);
  }
  for (const mutant of suspects) if (mutants.length === 1 || compile(copy, [mutant]).size > 0) failing.add(mutant);
  return failing;
}

/** Applies mutants to their files, and returns the files that do not compile. */
function compile(copy, mutants) {
  const sources = new Map(mutants.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]));
  for (const mutant of mutants) writeFileSync(join(copy, mutant.file), applyMutant(sources.get(mutant.file), mutant));
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.mutants.json'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const [file, source] of sources) writeFileSync(join(copy, file), source);
  const complaints = [...stdout.matchAll(/^(\S[^(\n]*)\(\d+,\d+\): error (TS\d+)/gm)];
  return new Set(complaints.filter(([, , code]) => !STYLE.has(code)).map(([, file]) => file));
}

/** The files that a file imports. */
export function importsOf(root, file) {
  const source = readFileSync(join(root, file), 'utf8');
  return new Set(
    [...source.matchAll(/(?:from|import\(|^import) ?'(\.[^']+)\.js'/gm)].map(([, name]) =>
      normalize(join(dirname(file), `${name}.ts`)),
    ),
  );
}
