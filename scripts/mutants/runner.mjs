// A process that runs tests of the copy (run-tests.mjs), replaced when a mutant keeps it from ending.
import { fork } from 'node:child_process';
import { join } from 'node:path';

export class Runner {
  #copy;
  #workers;
  #child;
  #ready;

  constructor(copy, workers) {
    this.#copy = copy;
    this.#workers = workers;
  }

  /** The spec files of the copy, each with its project. */
  async listSpecs() {
    await this.#start();
    return this.#ready;
  }

  /**
   * Runs tests and returns their results, or 'timeout' if they did not end within so many seconds.
   *
   * @param {{ env: Record<string, string>, bail: number, specs: { file: string, testIds?: string[] }[] }} request
   */
  async run(request, seconds) {
    await this.#start();
    const child = this.#child;
    const answer = new Promise((resolve) => {
      child.once('message', resolve);
      child.once('exit', () => resolve('crash'));
    });
    child.send(request);
    let timer;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(() => resolve('timeout'), seconds * 1000);
    });
    const result = await Promise.race([answer, timeout]);
    clearTimeout(timer);
    child.removeAllListeners('message').removeAllListeners('exit');
    if (typeof result === 'string') this.stop();
    return result;
  }

  stop() {
    if (!this.#child) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL'); // with the processes of its tests
    } catch {
      // It has ended.
    }
    this.#child = undefined;
  }

  async #start() {
    if (this.#child) return;
    this.#child = fork(join(import.meta.dirname, 'run-tests.mjs'), {
      cwd: this.#copy,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, CRAWLWAY_MUTANT_WORKERS: String(this.#workers) },
    });
    this.#ready = await new Promise((resolve, reject) => {
      this.#child.once('message', resolve);
      this.#child.once('exit', () => reject(new Error('Vitest did not start')));
    });
    this.#child.removeAllListeners('exit');
  }
}
