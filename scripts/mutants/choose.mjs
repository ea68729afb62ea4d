// Which mutants are tested: chosen by a seed, and without those that do not compile.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { applyMutants, countLines } from './copy.mjs';
import { findSites } from './sites.mjs';

const FOLDERS = ['src', 'import'];
/** What the gate does not run: it needs PostgreSQL or a browser, or runs in processes that have no mutants (copy.mjs). */
const BEYOND = /^src\/adapters\/(?:browser|parsers\/documents|push\/postgresql|storage\/(?:cluster|postgres))\//;
/** Complaints that are about style: what a mutant has made superfluous. */
const STYLE = new Set(['TS6133', 'TS6192', 'TS6196', 'TS6198', 'TS7027']);

/**
 * All sites in the order of a seed, each with one of its mutations. Both follow from the seed and the code of the site
 * alone: a change elsewhere leaves the order as it is, so that the survivors of a seed can be tried again when they have
 * tests.
 */
export function orderMutants(root, within, seed) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
    .filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && file.startsWith(within) && !BEYOND.test(file),
    )
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const seen = new Map();
      return findSites(file, source).map(({ mutations, ...site }) => {
        const original = source.slice(site.start, site.end);
        const code = `${file}\n${mutations[0].kind}\n${original}`;
        seen.set(code, (seen.get(code) ?? 0) + 1);
        const rank = computeRank(`${seed}\n${code}\n${seen.get(code)}`);
        return {
          ...site,
          ...mutations[rank % mutations.length],
          file,
          line: countLines(source.slice(0, site.start)),
          unitLines: site.unit.map((at) => countLines(source.slice(0, at))),
          original,
          rank,
        };
      });
    })
    .sort((a, b) => a.rank - b.rank);
}

/** A whole number below 2^48 that looks random. */
const computeRank = (text) => createHash('sha256').update(text).digest().readUIntBE(0, 6);

/** The product alone, which compiles in a quarter of the time of the whole. */
const TSCONFIG = {
  extends: './tsconfig.json',
  compilerOptions: { incremental: true, tsBuildInfoFile: '../types.tsbuildinfo', pretty: false },
  include: FOLDERS,
  exclude: ['**/*.spec.ts'],
};

/** The first mutants that compile, in their order; each gets a number. The compiler sees one mutant of each declaration at a time. */
export function chooseCompiling(copy, mutants, count, progress) {
  writeFileSync(join(copy, 'tsconfig.mutants.json'), JSON.stringify(TSCONFIG));
  const chosen = [];
  let rest = mutants;
  let uncompiled = 0;
  while (chosen.length < count && rest.length > 0) {
    const candidates = rest.slice(0, Math.ceil((count - chosen.length) * 1.5) + 5);
    rest = rest.slice(candidates.length);
    const failing = findFailing(copy, candidates);
    const compiling = candidates.filter((one) => !failing.has(one)).slice(0, count - chosen.length);
    uncompiled += failing.size;
    chosen.push(...compiling);
    progress(`${chosen.length} mutants compile, ${uncompiled} do not`);
  }
  return { mutants: chosen.map((one, id) => ({ ...one, id })), uncompiled };
}

/** Those of which the compiler complains in the declaration that they have changed. */
function findFailing(copy, candidates) {
  const failing = new Set();
  for (const round of formRounds(candidates))
    for (const { file, line } of compile(copy, round)) {
      const culprit = round.find(({ file: of, unitLines: [from, to] }) => of === file && from <= line && line <= to);
      if (culprit) failing.add(culprit);
    }
  return failing;
}

/** Lists with at most one mutant of each declaration, or of each file. */
function* formRounds(mutants, keyOf = ({ file, unit }) => `${file} ${unit}`) {
  let waiting = mutants;
  while (waiting.length > 0) {
    const round = [...new Map(waiting.toReversed().map((mutant) => [keyOf(mutant), mutant])).values()];
    yield round;
    waiting = waiting.filter((mutant) => !round.includes(mutant));
  }
}

/** Those of which the compiler complains in another place, for example where a type is used that follows from a value. */
export function findFailingElsewhere(copy, mutants) {
  const failing = [];
  for (const round of formRounds(mutants, ({ file }) => file)) {
    const near = compile(copy, round).map(({ file }) => importsOf(copy, file).add(file));
    const suspects = round.filter(({ file }) => near.some((files) => files.has(file)));
    failing.push(...suspects.filter((mutant) => compile(copy, [mutant]).length > 0));
  }
  return failing;
}

/** Applies mutants to their files, and returns where the compiler complains. */
function compile(copy, mutants) {
  const sources = new Map(mutants.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]));
  for (const [file, source] of sources)
    writeFileSync(
      join(copy, file),
      applyMutants(
        source,
        mutants.filter((mutant) => mutant.file === file),
      ),
    );
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.mutants.json'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const [file, source] of sources) writeFileSync(join(copy, file), source);
  return [...stdout.matchAll(/^(\S[^(\n]*)\((\d+),\d+\): error (TS\d+)/gm)]
    .filter(([, , , code]) => !STYLE.has(code))
    .map(([, file, line]) => ({ file, line: Number(line) }));
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
