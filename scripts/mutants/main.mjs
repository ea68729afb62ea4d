// `npm run test:mutants -- --seed N --count M`: changes one thing at a time in src or import and sees whether a test
// fails. CONTRIBUTING.md says what the figures mean.
//
//   --seed N     which mutants; without it, a new one each time (it is printed)
//   --count M    how many; 40 without it, 0 for all
//   --in PATH    only in files whose path begins so
//   --specs PATH,PATH  only with spec files whose paths begin so
//   --budget S   seconds of tests per mutant, measured without it; the nearest tests first (60)
//   --jobs J     runs beside each other (2)
//   --floor P    fails if fewer percent are killed
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { SUITES } from '../suites.mjs';
import { chooseCompiling, findFailingElsewhere, orderMutants } from './choose.mjs';
import { addSwitch, copyProject, instrument } from './copy.mjs';
import { orderSpecs, readImporters, readReach } from './reach.mjs';
import { Runner } from './runner.mjs';

/** The projects of `npm test` but the one whose tests start processes of the built program, which has no mutants. */
const PROJECTS = SUITES.gate.projects.filter((name) => name !== 'processes');

const root = dirname(dirname(import.meta.dirname));
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    count: { type: 'string', default: '40' },
    in: { type: 'string', default: '' },
    specs: { type: 'string', default: '' },
    budget: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '2' },
    floor: { type: 'string', default: '0' },
  },
});
const seed = Number(values.seed);
const budget = Number(values.budget);
const jobs = Number(values.jobs);
const started = Date.now();
const progress = (text) => console.log(`${String(Math.round((Date.now() - started) / 1000)).padStart(5)} s  ${text}`);

const folder = join(root, '.runtime', 'mutants', String(seed));
const [copy, plainCopy, reachFile] = ['copy', 'plain', 'reach'].map((name) => join(folder, name));
rmSync(folder, { recursive: true, force: true });
for (const to of [copy, plainCopy]) copyProject(root, to);
console.log(`seed ${seed}`);
const { mutants } = chooseCompiling(
  plainCopy,
  orderMutants(root, values.in, seed),
  Number(values.count) || Infinity,
  progress,
);
for (const [file, ofFile] of Map.groupBy(mutants, ({ file }) => file)) instrument(copy, file, ofFile);
addSwitch(copy);

const runners = Array.from({ length: jobs }, () => new Runner(copy, 1));
const observer = new Runner(copy, jobs);
const specs = (await observer.listSpecs())
  .filter(
    ({ file, project }) => PROJECTS.includes(project) && values.specs.split(',').some((path) => file.startsWith(path)),
  )
  .map(({ file }) => file);
progress(`${specs.length} spec files run once without a mutant`);
const observed = await observer.run(
  { env: { CRAWLWAY_MUTANT_REACH: reachFile }, bail: 0, specs: specs.map((file) => ({ file })) },
  3600,
);
observer.stop();
if (typeof observed === 'string') throw new Error(`the tests ended in a ${observed} without a mutant`);
const failing = observed.files.filter(({ state }) => state === 'failed').map(({ file }) => file);
if (failing.length > 0) progress(`fail without a mutant, and count for none: ${failing.join(' ')}`);
const reach = readReach(reachFile, observed);
const importers = readImporters(copy, specs);

/** Runs tests until one fails: first the nearest, then more and more at a time. */
async function test(runner, mutant) {
  const order = orderSpecs(mutant, reach, importers);
  let spent = 0;
  let atATime = 1;
  for (let next = 0; next < order.length && spent < budget; atATime *= 4) {
    const group = [];
    let cost = 0;
    do {
      group.push(order[next]);
      cost += order[next++].cost;
    } while (next < order.length && cost + order[next].cost <= atATime && spent + cost < budget);
    spent += cost;
    const result = await runner.run(
      {
        env: { CRAWLWAY_MUTANT: String(mutant.id) },
        bail: 1,
        specs: group.map(({ file, testIds }) => ({ file, testIds })),
      },
      30 + 10 * cost,
    );
    if (typeof result === 'string') return { killedBy: { file: group[0].file, test: '', why: result } };
    if (result.failed) return { killedBy: result.failed };
    if (result.tests.length === 0) throw new Error(`no test ran for mutant ${mutant.id}: ${JSON.stringify(group)}`);
  }
  return { reachedBy: order.length, isExhausted: spent < budget };
}

progress('the mutants, one after the other; these survive:');
const results = new Map();
const doubtful = [];
/** No test failed, or one did because it took long, as a test does that waits for a processor. */
const isDoubtful = ({ killedBy }) => killedBy?.test === '' || /timed out|in time/.test(killedBy?.why);
const waiting = [...mutants];
await Promise.all(
  runners.map(async (runner) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const result = await test(runner, mutant);
      if (isDoubtful(result)) doubtful.push(mutant);
      settle(mutant, result);
      if (results.size % 20 === 0) {
        const killed = [...results.values()].filter(({ killedBy }) => killedBy).length;
        progress(`${killed} of ${results.size} killed, ${mutants.length - results.size} to go`);
      }
    }
    runner.stop();
  }),
);

progress(`${doubtful.length} took too long or failed outside of a test; of these, survive when tried alone:`);
const alone = new Runner(copy, 1);
for (const mutant of doubtful) settle(mutant, await test(alone, mutant));
alone.stop();

function settle(mutant, result) {
  results.set(mutant, result);
  if (!result.killedBy) progress(`${mutant.file}:${mutant.line} ${mutant.kind}`);
}

const oneLine = (text) => text.replace(/\s+/g, ' ').slice(0, 100);
const alive = mutants.filter((mutant) => !results.get(mutant).killedBy);
progress(`${alive.length} survived; do they compile?`);
const failingElsewhere = findFailingElsewhere(plainCopy, alive);
const survivors = alive.filter((mutant) => !failingElsewhere.includes(mutant));
for (const mutant of survivors.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)) {
  const { reachedBy, isExhausted } = results.get(mutant);
  const tried =
    reachedBy === 0
      ? 'no test reaches it'
      : `${reachedBy} spec files reach it${isExhausted ? '' : ', not all were run'}`;
  console.log(
    `survived: ${mutant.file}:${mutant.line} ${mutant.kind} (${tried})\n    ${oneLine(mutant.original)}\n    ${oneLine(mutant.text)}`,
  );
}
writeFileSync(
  join(root, '.runtime', 'mutants', `${seed}.json`),
  JSON.stringify(
    mutants.map((mutant) => ({ ...mutant, ...results.get(mutant) })),
    undefined,
    1,
  ),
);
const total = mutants.length - failingElsewhere.length;
const killed = total - survivors.length;
const slow = doubtful.filter((mutant) => isDoubtful(results.get(mutant))).length;
const share = (100 * killed) / total;
progress(
  `seed ${seed}: ${killed} of ${total} mutants killed, ${share.toFixed(1)} %; ${slow} of them by a time limit or outside of a test`,
);
rmSync(folder, { recursive: true, force: true });
if (share < Number(values.floor)) {
  console.log(`below the floor of ${values.floor} %`);
  process.exitCode = 1;
}
