/**
 * The server's side of the process that runs one plug-in: limits the time of its calls and the memory of the process. A
 * function that does not return blocks the whole process, which is then ended; the other calls in flight are not at
 * fault and are reported as `lost`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, milliseconds, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { PluginHook } from '../../engine/ports/plugins.js';
import type { FromPlugin, Loaded, ToPlugin } from './plugin-protocol.js';

export interface PluginModule {
  readonly name: string;
  readonly file: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly memoryLimit: number;
}

export interface PluginCall {
  readonly hook: PluginHook;
  readonly argument: unknown;
  /** Milliseconds. */
  readonly limit: number;
  readonly answered: (answer: unknown) => void;
  readonly failed: (message: string) => void;
  /** Called if the process ended; if the call had begun, it may have been the reason. */
  readonly lost: (why: string, begun: boolean) => void;
}

interface InFlight extends PluginCall {
  cancelTimer: () => void;
  started: boolean;
}

/** Maximum time in which a process responds to a ping if the late call is not blocking it. */
const PONG_LIMIT = seconds(2);
/** How often memory is checked; reading a process's memory takes only a few microseconds. */
const WATCH_MS = 200;
const MEBIBYTE = 1024 * 1024;
/** Maximum bytes of output that are logged at once. */
const LONGEST_OUTPUT = 2_000;
/** When the server runs from source, Node also runs the TypeScript file. */
const ENTRY = new URL(`./plugins.process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class PluginProcess {
  private readonly child: ChildProcess;
  private readonly inFlight = new Map<number, InFlight>();
  private lastId = 0;
  private reason: string | undefined;
  private load: { resolve: (loaded: Loaded) => void; reject: (error: Error) => void } | undefined;
  private cancelPongTimer: (() => void) | undefined;
  private readonly watch: NodeJS.Timeout;
  private closing = false;
  memory = 0;
  /** Number of calls that the process has answered. */
  answers = 0;

  constructor(
    private readonly module: PluginModule,
    private readonly clock: Clock,
    private readonly events: {
      /** Called when the process has written to its output. */
      readonly printed: (text: string) => void;
      readonly ended: (why: string) => void;
    },
  ) {
    const heap = Math.max(32, Math.round((module.memoryLimit / MEBIBYTE) * 0.75));
    this.child = fork(fileURLToPath(ENTRY), [], {
      // The process gets none of the server's environment and options: they may contain keys and passwords.
      env: {},
      execArgv: [`--max-old-space-size=${heap}`, '--no-warnings'],
      cwd: dirname(module.file),
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.on('data', (piece: Buffer) => events.printed(piece.toString('utf8', 0, LONGEST_OUTPUT).trimEnd()));
      (stream as Socket).unref();
    }
    this.child.on('message', (message: FromPlugin) => this.receive(message));
    this.child.on('error', (error) => this.finish(`its process failed: ${error.message}`));
    this.child.on('exit', (code, signal) => this.finish(this.reason ?? describeExit(code, signal)));
    this.watch = setInterval(() => this.checkMemory(), WATCH_MS);
    this.watch.unref();
    this.child.unref();
    this.child.channel?.unref();
  }

  /** Rejects if the module cannot be used. */
  loadModule(limit: number): Promise<Loaded> {
    const { name, file, settings } = this.module;
    const cancel = this.clock.at(after(this.clock.now(), milliseconds(limit)), () =>
      this.kill(`loading it took longer than ${limit / 1000} s`),
    );
    return new Promise<Loaded>((resolve, reject) => {
      this.load = { resolve, reject };
      this.send({ do: 'load', name, file, settings });
    }).finally(cancel);
  }

  call(call: PluginCall): void {
    this.lastId++;
    const id = this.lastId;
    this.inFlight.set(id, { ...call, started: false, cancelTimer: this.startTimer(id, call.limit) });
    this.send({ do: 'call', id, hook: call.hook, argument: call.argument });
  }

  /** Ends the process once all calls in flight have ended. */
  retire(): void {
    this.closing = true;
    if (this.inFlight.size === 0) this.kill('it is no longer needed');
  }

  kill(reason: string): void {
    this.reason ??= reason;
    this.child.kill('SIGKILL');
  }

  private startTimer(id: number, limit: number): () => void {
    return this.clock.at(after(this.clock.now(), milliseconds(limit)), () => this.onTimeout(id));
  }

  private onTimeout(id: number): void {
    const call = this.inFlight.get(id)!;
    // If this call has not begun, another one is blocking the process.
    if (call.started) {
      this.removeInFlight(id)?.failed(`it took longer than ${call.limit / 1000} s`);
      this.send({ do: 'abort', id });
    } else call.cancelTimer = this.startTimer(id, call.limit);
    if (this.cancelPongTimer) return;
    this.send({ do: 'ping' });
    this.cancelPongTimer = this.clock.at(after(this.clock.now(), PONG_LIMIT), () =>
      this.kill('a function did not return'),
    );
  }

  private receive(message: FromPlugin): void {
    switch (message.is) {
      case 'loaded':
        this.load?.resolve(message.plugin);
        return;
      case 'unusable':
        this.load?.reject(new Error(message.message));
        return;
      case 'pong':
        this.cancelPongTimer?.();
        this.cancelPongTimer = undefined;
        return;
      case 'started': {
        const call = this.inFlight.get(message.id);
        if (!call) return;
        call.cancelTimer();
        call.started = true;
        call.cancelTimer = this.startTimer(message.id, call.limit);
        return;
      }
      case 'crashed':
        this.reason ??= message.message;
        return;
      case 'answered':
        this.onCallEnd(message.id)?.answered(message.answer);
        return;
      case 'failed':
        this.onCallEnd(message.id)?.failed(message.message);
    }
  }

  private onCallEnd(id: number): InFlight | undefined {
    this.answers++;
    this.checkMemory();
    return this.removeInFlight(id);
  }

  private removeInFlight(id: number): InFlight | undefined {
    const call = this.inFlight.get(id);
    this.inFlight.delete(id);
    call?.cancelTimer();
    if (this.closing && this.inFlight.size === 0) this.kill('it is no longer needed');
    return call;
  }

  private checkMemory(): void {
    const { memoryLimit } = this.module;
    this.memory = readMemory(this.child.pid);
    if (this.memory > memoryLimit) this.kill(`it used more than ${Math.round(memoryLimit / MEBIBYTE)} MB of memory`);
  }

  private send(message: ToPlugin): void {
    if (!this.child.connected) return; // the `exit` event follows
    this.child.send(message, () => undefined);
  }

  private finish(why: string): void {
    clearInterval(this.watch);
    this.cancelPongTimer?.();
    this.memory = 0;
    this.load?.reject(new Error(why));
    const calls = [...this.inFlight.values()];
    this.inFlight.clear();
    for (const call of calls) call.cancelTimer();
    this.events.ended(why);
    for (const call of calls) call.lost(why, call.started);
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  // V8 aborts the process when its heap is full.
  if (signal === 'SIGABRT' || code === 134) return 'it ran out of memory';
  return `its process ended unexpectedly (${signal ?? `code ${code}`})`;
}

/** Memory of the process in bytes; 0 if the system does not report it, in which case V8's own limit is the only one. */
function readMemory(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
