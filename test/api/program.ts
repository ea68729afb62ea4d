import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { crawlwayCommand } from '../support/crawlway-command.js';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const INHERITED = Object.fromEntries(['PATH', 'HOME', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]));

/** The `crawlway` command as a process of its own; killed when the test is over. */
export class Program {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcess;

  constructor(args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}) {
    this.child = spawn(process.execPath, [...crawlwayCommand(), ...args], {
      cwd: options.cwd ?? PROJECT_ROOT,
      env: { ...INHERITED, NODE_NO_WARNINGS: '1', ...options.env },
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }));
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Ends the standard input with this text. */
  input(text: string): this {
    this.child.stdin!.end(text);
    return this;
  }

  /** As `head` does when it has seen enough. */
  stopReading(): void {
    this.child.stdout!.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** The first match in the output, as soon as there is one; fails when the program ends without. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
      if (found) return found;
      const more = once(this.child.stdout!, 'data').then(() => undefined);
      const end = await Promise.race([more, this.ended]);
      if (end)
        throw new Error(`the program ended with ${end.code} before it said ${pattern}:\n${end.stdout}${end.stderr}`);
    }
  }
}

export const crawlway = (...args: string[]): Program => new Program(args);
