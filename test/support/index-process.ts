import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface IndexProcess {
  readonly url: string;
  /** Kills the process like `kill -9` and resolves when it has ended. */
  kill(): Promise<void>;
}

/** The bundled index as its own process. With `port` 0 it uses any free port. */
export async function startIndexProcess(data: string, port = 0): Promise<IndexProcess> {
  const program = ['--import', path('./register-typescript.mjs'), path('../../demo-index/main.ts')];
  const child = spawn(process.execPath, ['--no-warnings', ...program, '--data', data, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return { url: await announcedUrl(child), kill };
}

async function announcedUrl(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    const url = /index: (http:\/\/\S+)\n/.exec(output)?.[1];
    if (url) return url;
  }
  throw new Error(`the index did not start: ${output}`);
}
