/** The console that the tests look at is the one of the sources: built once, and again when they have changed. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..', '..');
const CONSOLE = join(ROOT, 'console');
const STAMP = join(CONSOLE, 'dist', '.built');
/** Spec files run beside each other: whoever makes this folder builds, the others wait. */
const LOCK = join(CONSOLE, 'dist.lock');
const WAIT_MS = 100;
const LOCK_AGE_MS = 60_000;

export async function buildConsole(): Promise<void> {
  while (!isFresh()) {
    if (!takeLock()) {
      await sleep(WAIT_MS);
      continue;
    }
    try {
      const started = new Date();
      await build({ root: CONSOLE, configFile: join(CONSOLE, 'vite.config.ts'), logLevel: 'error' });
      writeFileSync(STAMP, `${started.toISOString()}\n`);
    } finally {
      rmSync(LOCK, { recursive: true, force: true });
    }
  }
}

function isFresh(): boolean {
  const built = statSync(STAMP, { throwIfNoEntry: false });
  const inputs = [join(CONSOLE, 'index.html'), join(CONSOLE, 'vite.config.ts'), ...sources()];
  return built !== undefined && inputs.every((path) => statSync(path).mtimeMs <= built.mtimeMs);
}

const sources = (): string[] =>
  readdirSync(join(CONSOLE, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

function takeLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > LOCK_AGE_MS) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}
