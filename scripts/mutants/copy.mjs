// The copy of the project in which mutants are tested.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const here = import.meta.dirname;

/** Tests start processes that read documents from the build: these have permission to read nothing else. It has no mutants. */
const BUILT = ['dist/program', 'dist/help'];

/** Copies everything that git knows or would add, and the build. Without its stamp, all other processes are those of the sources. */
export function copyProject(root, copy) {
  rmSync(copy, { recursive: true, force: true });
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of new Set(files.split('\0'))) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  for (const folder of BUILT) cpSync(join(root, folder), join(copy, folder), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
}

/** Applies mutants that do not overlap to the text of their file. Every line keeps its number. */
export function applyMutants(source, mutants) {
  const fromTheEnd = [...mutants].sort((a, b) => b.start - a.start);
  return fromTheEnd.reduce((text, { start, end, text: mutated, form }) => {
    const lines = countLines(source.slice(start, end)) - countLines(mutated);
    const replacement = `${form === 'statement' ? mutated : `(${mutated}`}${'\n'.repeat(Math.max(0, lines))}`;
    return `${text.slice(0, start)}${replacement}${form === 'statement' ? '' : ')'}${text.slice(end)}`;
  }, source);
}

export const countLines = (text) => text.split('\n').length;

/** Writes the code of all mutants of a file, with switches between them, into the copy. */
export function instrument(copy, file, mutants) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const insertions = mutants.flatMap((mutant) => {
    const { start, end } = mutant;
    const [before, after] = writeSwitch(mutant, source.slice(start, end));
    return [
      { at: start, isEnd: false, length: end - start, text: before },
      { at: end, isEnd: true, length: end - start, text: after },
    ];
  });
  insertions.sort((a, b) => a.at - b.at || orderOfInsertions(a, b));
  let code = importSwitch(copy, path);
  let written = 0;
  for (const { at, text } of insertions) {
    code += source.slice(written, at) + text;
    written = at;
  }
  writeFileSync(path, code + source.slice(written));
}

/** At one place, what ends comes before what begins; of what begins, the longest first, and of what ends, the shortest. */
function orderOfInsertions(a, b) {
  if (a.isEnd !== b.isEnd) return a.isEnd ? -1 : 1;
  return a.isEnd ? a.length - b.length : b.length - a.length;
}

function writeSwitch({ id, form, text }) {
  if (form === 'statement') return [`{ if (!mutantIsActive(${id})) { `, '} }'];
  if (form === 'pure') return [`mutantValue(${id}, (`, `), () => (${text}))`];
  return [`(mutantIsActive(${id}) ? (${text}) : (`, '))'];
}

function importSwitch(copy, path) {
  const specifier = relative(dirname(path), join(copy, 'src', 'mutant-switch.js'));
  const local = specifier.startsWith('.') ? specifier : `./${specifier}`;
  return `import { mutantIsActive, mutantValue } from '${local}'; `;
}

/** Adds to the copy what tells the mutants apart at run time, and which test runs. */
export function addSwitch(copy) {
  copyFileSync(join(here, 'switch.mjs'), join(copy, 'src', 'mutant-switch.ts'));
  copyFileSync(join(here, 'place.mjs'), join(copy, 'test', 'support', 'mutant-place.mjs'));
  const config = join(copy, 'vitest.config.ts');
  copyFileSync(config, join(copy, 'vitest.original.config.ts'));
  copyFileSync(join(here, 'vitest.mutants.config.mjs'), config);
}
