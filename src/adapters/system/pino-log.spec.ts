import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs a line of code with a log, in a process of its own because pino writes to standard output. */
function readLog(line: string): Record<string, unknown> {
  const code = `import { PinoLog } from './src/adapters/system/pino-log.ts'; const log = PinoLog.create('info', false); ${line}`;
  const options = { encoding: 'utf8', cwd: new URL('../../..', import.meta.url) } as const;
  const register = './test/support/register-typescript.mjs';
  return JSON.parse(
    execFileSync(process.execPath, ['--import', register, '--input-type=module', '--no-warnings', '-e', code], options),
  );
}

describe('an error in the log', () => {
  it('is readable if it is a text', () => {
    const { error } = readLog("log.warn('sign-in failed', { error: 'invalid state, see http://a:b@c.example/' });");
    expect(error).toBe('invalid state, see http://***@c.example/');
  });

  it('has its type, message and stack if it is an exception', () => {
    const { error } = readLog("log.warn('sign-in failed', { error: new TypeError('invalid state') });");
    expect(error).toMatchObject({
      type: 'TypeError',
      message: 'invalid state',
      stack: expect.stringContaining('TypeError'),
    });
  });
});
