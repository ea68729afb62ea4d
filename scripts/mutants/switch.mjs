// Goes into the copy of the sources as src/mutant-switch.ts. Every mutant is in the code; the environment says which one is
// active. In a run without one, it writes down which test reaches which mutant.
import { appendFileSync } from 'node:fs';

const active = Number(process.env.CRAWLWAY_MUTANT ?? -1);
const reachFile = process.env.CRAWLWAY_MUTANT_REACH;
/** A mutant that is evaluated as often as this loops without end. */
const LOOP = 50_000_000;

let evaluations = 0;
const reached = new Map();

function isActive(id) {
  if (id !== active) return false;
  if (++evaluations > LOOP) throw new Error('the mutant loops');
  return true;
}

/** Lines of "spec file, tab, test, tab, mutant"; the test is empty outside of tests and in other threads and processes. */
function reach(id) {
  const place = globalThis.mutantPlace?.name ?? process.env.CRAWLWAY_MUTANT_PLACE ?? '\t';
  if (!reached.has(place)) reached.set(place, new Set());
  if (reached.get(place).has(id)) return;
  reached.get(place).add(id);
  try {
    appendFileSync(reachFile, `${place}\t${id}\n`);
  } catch {
    // A process that may not write files.
  }
}

/** For code that cannot be evaluated twice: whether the mutant is active. */
export function mutantIsActive(id) {
  if (isActive(id)) return true;
  if (reachFile !== undefined) reach(id);
  return false;
}

/** For code without effects: the value of the mutant if it is active. A test reaches it only if the values differ. */
export function mutantValue(id, original, evaluateMutant) {
  if (isActive(id)) return evaluateMutant();
  if (
    reachFile !== undefined &&
    !reached.get(globalThis.mutantPlace?.name)?.has(id) &&
    differs(original, evaluateMutant)
  )
    reach(id);
  return original;
}

function differs(original, evaluateMutant) {
  try {
    return !Object.is(original, evaluateMutant());
  } catch {
    return true;
  }
}
