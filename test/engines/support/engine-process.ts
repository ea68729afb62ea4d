import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../support/free-port.js';
import { type JavaEngine, javaIsMissing, startJavaEngine } from './java-engine.js';

/** An engine of the tests' own on this machine. */
export interface EngineProcess {
  readonly port: number;
  restart(): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Why these tests are left out; undefined when they run. */
export const engineIsMissing = (): string | undefined => {
  const missing = javaIsMissing();
  return missing && `${missing} is not installed`;
};

type Arguments = (port: number, folder: string) => readonly string[];

/** `template`: a folder that the data folder begins as a copy of. */
export async function startEngine(
  { engine, main, template }: { engine: string; main: string; template?: string },
  programArguments: Arguments,
): Promise<EngineProcess> {
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), `crawlway-${engine}-`));
  if (template !== undefined) await cp(join(import.meta.dirname, '..', engine, template), folder, { recursive: true });
  const begin = (): Promise<JavaEngine> => startJavaEngine(engine, main, programArguments(port, folder));
  let running = await begin();
  return {
    port,
    restart: async () => {
      await running.stop();
      running = await begin();
    },
    kill: () => running.kill(),
    close: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
