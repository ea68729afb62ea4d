import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { crawlwayCommand } from './crawlway-command.js';

const OUTPUT_KEPT = 50_000;

export interface ServerFlags {
  readonly config: string;
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
}

/** `crawlway serve` as a process of its own, on any free port. */
export class ServerProcess {
  /** The end of what it said on both streams. */
  output = '';
  private readonly child: ChildProcess;

  constructor({ config, data, env, node = [] }: ServerFlags) {
    const flags = ['serve', '--config', config, '--data', data, '--port', '0'];
    this.child = spawn(process.execPath, ['--no-warnings', ...node, ...crawlwayCommand(), ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const hear = (chunk: Buffer): void => {
      this.output = (this.output + chunk.toString()).slice(-OUTPUT_KEPT);
    };
    this.child.stdout?.on('data', hear);
    this.child.stderr?.on('data', hear);
  }

  /** Resolves when it serves, rejects with what it said when it ends instead. */
  async ready(): Promise<this> {
    while (!this.output.includes('Crawlway is ready')) {
      if (this.hasEnded) throw new Error(`the server ended with ${this.child.exitCode}: ${this.output}`);
      await Promise.race([once(this.child.stdout!, 'data'), once(this.child, 'close')]);
    }
    return this;
  }

  /** Sends the signal and waits for the end; the exit code, or null when the signal ended it. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.ended();
  }

  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'close');
    return this.child.exitCode;
  }

  /** `http://host:port`, once it is ready. */
  get url(): string {
    const [, url] = /Crawlway is ready\. Console: (http:\/\/\S+?)\//.exec(this.output) ?? [];
    if (url === undefined) throw new Error(`the server has not told its address: ${this.output}`);
    return url;
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
