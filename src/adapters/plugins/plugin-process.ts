/**
 * Starts the process that runs one plug-in, sends it calls, and limits their time and the memory of the process. A
 * function that does not return blocks the whole process, which is then killed; the other calls in flight are not at
 * fault and are reported as `onLost`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, milliseconds, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { PluginHook } from '../../engine/ports/plugins.js';
import type { FromPlugin, LoadedPlugin, ToPlugin } from './plugin-protocol.js';

export interface PluginModule {
  readonly name: string;
  readonly file: string;
  readonly settings: Readonly<Record<string, string>>;
  /** In bytes. */
  readonly memoryLimit: number;
}

export interface PluginCall {
  readonly hook: PluginHook;
  readonly argument: unknown;
  /** In milliseconds. */
  readonly limit: number;
  readonly onAnswer: (answer: unknown) => void;
  readonly onFailure: (message: string) => void;
  /** Called if the process ended before it answered. If the call had begun, it may be the cause. */
  readonly onLost: (reason: string, hasBegun: boolean) => void;
}

interface InFlight extends PluginCall {
  cancelTimer: () => void;
  hasBegun: boolean;
}

/** Maximum time in which a process must respond to a ping; otherwise, a call is blocking it. */
const PONG_TIMEOUT = seconds(2);
/** Time between two checks of the process's memory; a check takes only a few microseconds. */
const MEMORY_CHECK_INTERVAL_MS = 200;
const MEBIBYTE = 1024 * 1024;
/** Maximum number of bytes that are logged of one piece of output. */
const MAX_OUTPUT_BYTES = 2_000;
/** When the server runs from source, Node also runs the TypeScript file. */
const ENTRY = new URL(`./plugins.process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class PluginProcess {
  private readonly child: ChildProcess;
  private readonly inFlight = new Map<number, InFlight>();
  private lastId = 0;
  private endReason: string | undefined;
  private pendingLoad: { resolve: (loaded: LoadedPlugin) => void; reject: (error: Error) => void } | undefined;
  private cancelPongTimer: (() => void) | undefined;
  private readonly memoryTimer: NodeJS.Timeout;
  private isRetiring = false;
  memory = 0;
  /** Number of calls that the process has answered. */
  answerCount = 0;

  constructor(
    private readonly module: PluginModule,
    private readonly clock: Clock,
    private readonly events: {
      /** Called when the process has written to its output. */
      readonly onOutput: (text: string) => void;
      readonly onEnd: (reason: string) => void;
    },
  ) {
    const heapMebibytes = Math.max(32, Math.round((module.memoryLimit / MEBIBYTE) * 0.75));
    this.child = fork(fileURLToPath(ENTRY), [], {
      // The process does not inherit the server's environment and options, because they may contain keys and passwords.
      env: {},
      execArgv: [`--max-old-space-size=${heapMebibytes}`, '--no-warnings'],
      cwd: dirname(module.file),
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.on('data', (chunk: Buffer) => events.onOutput(chunk.toString('utf8', 0, MAX_OUTPUT_BYTES).trimEnd()));
      (stream as Socket).unref();
    }
    this.child.on('message', (message: FromPlugin) => this.handleMessage(message));
    this.child.on('error', (error) => this.handleEnd(`its process failed: ${error.message}`));
    this.child.on('exit', (code, signal) => this.handleEnd(this.endReason ?? describeExit(code, signal)));
    this.memoryTimer = setInterval(() => this.checkMemory(), MEMORY_CHECK_INTERVAL_MS);
    this.memoryTimer.unref();
    this.child.unref();
    this.child.channel?.unref();
  }

  /** Rejects if the module cannot be used. */
  loadModule(limit: number): Promise<LoadedPlugin> {
    const { name, file, settings } = this.module;
    const cancelTimer = this.clock.at(after(this.clock.now(), milliseconds(limit)), () =>
      this.kill(`loading it took longer than ${limit / 1000} s`),
    );
    return new Promise<LoadedPlugin>((resolve, reject) => {
      this.pendingLoad = { resolve, reject };
      this.send({ do: 'load', name, file, settings });
    }).finally(cancelTimer);
  }

  call(call: PluginCall): void {
    this.lastId++;
    const id = this.lastId;
    this.inFlight.set(id, { ...call, hasBegun: false, cancelTimer: this.startTimer(id, call.limit) });
    this.send({ do: 'call', id, hook: call.hook, argument: call.argument });
  }

  /** Ends the process once all calls in flight have ended. */
  retire(): void {
    this.isRetiring = true;
    if (this.inFlight.size === 0) this.kill('it is no longer needed');
  }

  kill(reason: string): void {
    this.endReason ??= reason;
    this.child.kill('SIGKILL');
  }

  private startTimer(id: number, limit: number): () => void {
    return this.clock.at(after(this.clock.now(), milliseconds(limit)), () => this.onTimeout(id));
  }

  private onTimeout(id: number): void {
    const call = this.inFlight.get(id)!;
    // If this call has not begun, another one is blocking the process.
    if (call.hasBegun) {
      this.removeInFlight(id)?.onFailure(`it took longer than ${call.limit / 1000} s`);
      this.send({ do: 'abort', id });
    } else call.cancelTimer = this.startTimer(id, call.limit);
    if (this.cancelPongTimer) return;
    this.send({ do: 'ping' });
    this.cancelPongTimer = this.clock.at(after(this.clock.now(), PONG_TIMEOUT), () =>
      this.kill('one of its functions did not return'),
    );
  }

  private handleMessage(message: FromPlugin): void {
    switch (message.is) {
      case 'loaded':
        this.pendingLoad?.resolve(message.plugin);
        return;
      case 'unusable':
        this.pendingLoad?.reject(new Error(message.message));
        return;
      case 'pong':
        this.cancelPongTimer?.();
        this.cancelPongTimer = undefined;
        return;
      case 'started': {
        const call = this.inFlight.get(message.id);
        if (!call) return;
        call.cancelTimer();
        call.hasBegun = true;
        call.cancelTimer = this.startTimer(message.id, call.limit);
        return;
      }
      case 'crashed':
        this.endReason ??= message.message;
        return;
      case 'answered':
        this.endCall(message.id)?.onAnswer(message.answer);
        return;
      case 'failed':
        this.endCall(message.id)?.onFailure(message.message);
    }
  }

  private endCall(id: number): InFlight | undefined {
    this.answerCount++;
    this.checkMemory();
    return this.removeInFlight(id);
  }

  private removeInFlight(id: number): InFlight | undefined {
    const call = this.inFlight.get(id);
    this.inFlight.delete(id);
    call?.cancelTimer();
    if (this.isRetiring && this.inFlight.size === 0) this.kill('it is no longer needed');
    return call;
  }

  private checkMemory(): void {
    const { memoryLimit } = this.module;
    this.memory = readMemory(this.child.pid);
    if (this.memory > memoryLimit) this.kill(`it used more than ${Math.round(memoryLimit / MEBIBYTE)} MB of memory`);
  }

  private send(message: ToPlugin): void {
    if (!this.child.connected) return; // the `exit` event will follow
    this.child.send(message, () => undefined);
  }

  private handleEnd(reason: string): void {
    clearInterval(this.memoryTimer);
    this.cancelPongTimer?.();
    this.memory = 0;
    this.pendingLoad?.reject(new Error(reason));
    const calls = [...this.inFlight.values()];
    this.inFlight.clear();
    for (const call of calls) call.cancelTimer();
    this.events.onEnd(reason);
    for (const call of calls) call.onLost(reason, call.hasBegun);
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  // V8 aborts the process when its heap is full.
  if (signal === 'SIGABRT' || code === 134) return 'it ran out of memory';
  return `its process ended unexpectedly (${signal ?? `code ${code}`})`;
}

/** Returns the memory of the process in bytes; 0 if the system does not report it, so that only V8's limit applies. */
function readMemory(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
