import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../src/server/project-root.js';

const LAUNCHER = pathToFileURL(join(PROJECT_ROOT, 'scripts/launch.mjs')).href;
const SERVER = `process.on('SIGTERM', () => { console.log('ended in good order'); process.exit(); });
  setInterval(() => {}, 1000); console.error('runs');`;
const LAUNCH = `import { forward } from ${JSON.stringify(LAUNCHER)};
  forward(process.execPath, ['-e', ${JSON.stringify(SERVER)}], process.env);`;

it('a server started by npm stops when npm is terminated, although npm only ends the shell between them', async () => {
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; :', process.execPath, LAUNCH], {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = text(shell.stdout);
  await once(shell.stderr, 'data');
  shell.kill('SIGTERM');
  expect(await output).toBe('ended in good order\n');
});

it('a server shuts down cleanly when its launcher is killed, which cannot forward a signal', async () => {
  const ending = pathToFileURL(join(PROJECT_ROOT, 'src/server/end-with-launcher.ts')).href;
  const server = `import(${JSON.stringify(ending)}).then(() => { ${SERVER} });`;
  const launch = `import { forward } from ${JSON.stringify(LAUNCHER)};
    forward(process.execPath, ['-e', ${JSON.stringify(server)}], process.env);`;
  // One launcher starts the other, as under a Node that is too old.
  const outer = `import { forward } from ${JSON.stringify(LAUNCHER)};
    forward(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(launch)}], process.env);`;
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', outer], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = text(launcher.stdout);
  await once(launcher.stderr, 'data');
  launcher.kill('SIGKILL');
  expect(await output).toBe('ended in good order\n');
});

it('a mistyped option of npm start is explained, without a stack trace', async () => {
  const launch = `import { launch } from ${JSON.stringify(LAUNCHER)}; launch('start', ['--prot', '1']);`;
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', launch], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(launcher.stderr), once(launcher, 'exit')]);
  expect(errors).toContain("error: unknown option '--prot'\n(Did you mean --port?)");
  expect(errors).not.toMatch(/^ +at /m);
  expect(code).toBe(1);
});
