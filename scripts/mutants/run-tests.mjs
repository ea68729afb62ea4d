// Runs tests of the copy, which is the working directory, as often as the parent process asks. Vitest stays, with what it has
// compiled; each run gets new processes for its tests, which inherit the environment that names the mutant.
import { createVitest } from 'vitest/node';

let outcome;

function fail(file, test, error) {
  outcome.failed ??= { file, test, why: String(error?.message ?? error).slice(0, 300) };
}

const reporter = {
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    const file = test.module.relativeModuleId;
    outcome.tests.push({ file, id: test.id, state, seconds: (test.diagnostic()?.duration ?? 0) / 1000 });
    if (state === 'failed') fail(file, test.fullName, errors[0]);
  },
  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
    const start = (collectDuration + setupDuration + prepareDuration + environmentSetupDuration) / 1000;
    outcome.files.push({ file: module.relativeModuleId, state: module.state(), start });
    if (module.state() === 'failed') fail(module.relativeModuleId, '', module.errors()[0]);
  },
};

const vitest = await createVitest('test', {
  watch: false,
  maxWorkers: Number(process.env.CRAWLWAY_MUTANT_WORKERS),
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  reporters: [reporter],
  silent: true,
});
await vitest.standalone();
const all = await vitest.globTestSpecifications();
const relativeName = ({ moduleId }) => moduleId.slice(process.cwd().length + 1);
const projects = new Map(all.map((one) => [relativeName(one), one.project]));
process.send([...projects].map(([file, { name }]) => ({ file, project: name })));

process.on('disconnect', () => process.exit());
process.on('message', async ({ env, bail, specs }) => {
  outcome = { tests: [], files: [], failed: undefined };
  Object.assign(process.env, env);
  for (const { config } of [vitest, ...vitest.projects]) config.bail = bail;
  const specifications = specs.map(({ file, testIds }) =>
    projects.get(file).createSpecification(`${process.cwd()}/${file}`, testIds ? { testIds } : undefined),
  );
  try {
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    for (const error of unhandledErrors) fail('', '', error);
  } catch (error) {
    fail('', '', error);
  }
  process.send(outcome);
});
