/** Schemathesis makes calls from openapi.yaml, valid and invalid ones, and compares the answers with what the description says. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { ApiWorld } from '../api/api-world.js';
import { itUnless } from '../support/left-out.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Where .ci/run installs it. */
const INSTALLED = join(PROJECT_ROOT, '.runtime/schemathesis/bin/schemathesis');
const PROGRAM = process.env['SCHEMATHESIS'] ?? (existsSync(INSTALLED) ? INSTALLED : 'schemathesis');
const missing =
  spawnSync(PROGRAM, ['--version']).status === 0
    ? undefined
    : 'schemathesis is missing: python3 -m venv .runtime/schemathesis, pip install schemathesis==4.32.5';

const SEED = process.env['CRAWLWAY_TEST_SEED'] ?? '1';

/** Roles, and for how long each makes calls. An administrator gets furthest. */
const SECONDS = { admin: 32, operate: 12, read: 12, 'admin@test': 12 };
const keyOf = (role: string): string => role.replace('@', '-').padEnd(40, 'k');
const KEYS = Object.keys(SECONDS)
  .map((role) => `${role.replace('@', '-')}:${role}:${keyOf(role)}`)
  .join(',');

/**
 * 412: the version that If-Match names is not the one in force. 422: the call is well-formed, but cannot be carried out, such
 * as a configuration with errors. 428: If-Match is missing. 431: what is too long is not looked at further. What `check`
 * is given is its subject: it answers anything. Calls with a wrong key are soon refused with 429, whatever they ask for: which role
 * may do what is the subject of test/api/security.spec.ts.
 */
const SETTINGS = (role: string): string => `
[auth.openapi.apiKey]
api_key = "${keyOf(role)}"
[checks]
missing_required_header.expected-statuses = [400, 401, 403, 406, 415, 422, 428]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 412, 422, 429]
ignored_auth.enabled = false
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429, 431]
[[operations]]
include-operation-id = "checkConfiguration"
checks.negative_data_rejection.enabled = false
`;

async function findFaults(server: string, role: keyof typeof SECONDS): Promise<string> {
  const folder = temporaryDirectory();
  const settings = join(folder, 'schemathesis.toml');
  writeFileSync(settings, SETTINGS(role));
  const bounds = ['--seed', SEED, '--max-time', `${SECONDS[role]}`, '--max-examples', '10', '--no-shrink'];
  const calls = ['--exclude-path-regex', '/events$', '--generation-allow-x00', 'false', '--continue-on-failure'];
  const output = ['--no-color', '--warnings', 'off', '--generation-database', 'none', '--suppress-health-check', 'all'];
  const description = join(PROJECT_ROOT, 'openapi.yaml');
  const child = spawn(
    PROGRAM,
    ['--config-file', settings, 'run', description, '--url', server, ...bounds, ...calls, ...output],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(said).toMatch(/\d+ generated/);
  return child.exitCode === 0 ? '' : `with the role ${role}:\n${said}`;
}

itUnless(missing, 'the API answers every role as openapi.yaml describes it', async () => {
  const world = await ApiWorld.start({ keys: KEYS, callsPerMinute: 1_000_000 });
  try {
    const faults: string[] = [];
    for (const role of Object.keys(SECONDS) as (keyof typeof SECONDS)[])
      faults.push(await findFaults(world.server.url, role));
    expect(faults.join('')).toBe('');
  } finally {
    await world.stop();
  }
});
