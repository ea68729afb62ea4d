/**
 * Runs one plug-in of the configuration: restarts its process when it ends, replaces it when the plug-in's file
 * changes, queues calls, and reports the state.
 */
import { stat } from 'node:fs/promises';
import type { PluginDefinition } from '../../domain/crawl/plugin-definition.js';
import { revealText } from '../../domain/secret.js';
import { after, type Instant, instant, milliseconds, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import {
  PLUGIN_HOOKS,
  type PluginCallCount,
  type PluginFacts,
  type PluginHook,
  type PluginView,
} from '../../engine/ports/plugins.js';
import { PluginProcess } from './plugin-process.js';
import type { LoadedPlugin } from './plugin-protocol.js';

/** Maximum number of calls that are sent to the process at the same time; the others wait. */
const MAX_IN_FLIGHT = 16;
/** Number of processes that may end during the same call before the call is rejected as their probable cause. */
const MAX_ATTEMPTS = 2;
/** Number of consecutive processes that may end without having answered a call before the next start is delayed. */
const MAX_FAILED_STARTS = 3;
/** Minimum time between two checks of the plug-in's file. */
const FILE_CHECK_INTERVAL = seconds(1);
const INITIAL_RETRY_DELAY = seconds(1);
const MAX_RETRY_DELAY = seconds(60);
/** Minimum time limit for loading: a module that imports packages may take a while on a slow disk. */
const MIN_LOADING_LIMIT = seconds(10);

interface WaitingCall {
  readonly hook: PluginHook;
  readonly argument: unknown;
  readonly limit: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (message: string) => void;
  attempts: number;
}

export interface PluginTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly onFactsChanged: () => void;
}

export class RunningPlugin {
  readonly counts = new CallCounts();
  private process: PluginProcess | undefined;
  private loadedPlugin: LoadedPlugin | undefined;
  private state: PluginView['state'] = 'starting';
  private queue: WaitingCall[] = [];
  private inFlightCount = 0;
  private restarts = 0;
  private failures = 0;
  private retryAt: Instant = instant(0);
  private lastFileCheck: Instant = instant(0);
  /** Identifies the version of the file that was loaded last, by modification time, size and inode. */
  private version = '';
  private lastError: { at: Instant; message: string } | undefined;
  private closed = false;
  private startPromise: Promise<void> | undefined;

  constructor(
    readonly definition: PluginDefinition,
    private readonly tools: PluginTools,
  ) {}

  get facts(): PluginFacts {
    const { name, crawlers, onFailure } = this.definition;
    // Until the plug-in is loaded, it is unknown which pages it must see, so all pages wait for it.
    const { hooks, mediaTypes } = this.loadedPlugin ?? { hooks: ['onUrl'] as const, mediaTypes: [] };
    return { name, hooks, mediaTypes, isOptional: onFailure === 'skip', ...(crawlers ? { crawlers } : {}) };
  }

  toView(): PluginView {
    const { definition, state, loadedPlugin, restarts, lastError } = this;
    return {
      name: definition.name,
      file: definition.file,
      state,
      ...(loadedPlugin?.version === undefined ? {} : { version: loadedPlugin.version }),
      hooks: loadedPlugin?.hooks ?? [],
      calls: this.counts.list(),
      restarts,
      memory: this.process?.memory ?? 0,
      ...(lastError ? { lastError } : {}),
    };
  }

  /** Never rejects: errors are reported in the plug-in's view. */
  start(): Promise<void> {
    this.startPromise ??= this.openProcess().finally(() => {
      this.startPromise = undefined;
    });
    return this.startPromise;
  }

  call(hook: PluginHook, argument: unknown, limit: number): Promise<unknown> {
    const startedAt = this.tools.clock.now();
    return new Promise((resolve, reject) => {
      const recordCall = (isAnswered: boolean): void =>
        this.counts.add(hook, isAnswered, this.tools.clock.now() - startedAt);
      this.queue.push({
        hook,
        argument,
        limit,
        attempts: 0,
        resolve: (answer) => {
          recordCall(true);
          resolve(answer);
        },
        reject: (message) => {
          recordCall(false);
          if (this.state === 'ready') this.recordError(`${hook}: ${message}`);
          reject(new Error(message));
        },
      });
      this.reloadIfChanged();
      this.sendWaitingCalls();
    });
  }

  close(): void {
    this.closed = true;
    this.process?.kill('the server is stopping');
    this.rejectWaitingCalls('the server is stopping, or the configuration has changed');
  }

  private sendWaitingCalls(): void {
    if (this.closed) {
      this.rejectWaitingCalls('it is no longer in the configuration');
      return;
    }
    if (this.state === 'failed') {
      if (this.tools.clock.now() >= this.retryAt) void this.start();
      else this.rejectWaitingCalls(this.lastError?.message ?? 'it is not running');
    }
    const { process } = this;
    while (process && this.state === 'ready' && this.inFlightCount < MAX_IN_FLIGHT) {
      const next = this.queue.shift();
      if (!next) return;
      if (this.loadedPlugin?.hooks.includes(next.hook)) this.sendTo(process, next);
      // The call was made before the hooks were known, so other hooks may be missing for the same page.
      else next.reject('it was not loaded when the call was made');
    }
  }

  private sendTo(process: PluginProcess, call: WaitingCall): void {
    const { hook, argument, limit } = call;
    this.inFlightCount++;
    const finishCall = (settle: () => void): void => {
      this.inFlightCount--;
      settle();
      this.sendWaitingCalls();
    };
    process.call({
      hook,
      argument,
      limit,
      onAnswer: (answer) => finishCall(() => void settleCall(call, answer)),
      onFailure: (message) => finishCall(() => call.reject(message)),
      onLost: (reason, hasBegun) =>
        finishCall(() => {
          if (hasBegun) call.attempts++;
          if (call.attempts < MAX_ATTEMPTS && !this.closed) this.queue.unshift(call);
          else call.reject(reason);
        }),
    });
  }

  /**
   * Loads the module in a new process. The previous process stays in use until that is done, or if it fails.
   */
  private async openProcess(): Promise<void> {
    const { definition, tools } = this;
    const { name, file, memoryLimit, settings, timeLimit } = definition;
    const version = await readFileVersion(file);
    const module = {
      name,
      file,
      memoryLimit,
      settings: Object.fromEntries(settings.map((setting) => [setting.name, revealText(setting.value)])),
    };
    const newProcess: PluginProcess = new PluginProcess(module, tools.clock, {
      onOutput: (text) => tools.log.info(`plug-in ${name}: ${text}`),
      onEnd: (reason) => this.onProcessEnd(newProcess, reason),
    });
    this.version = version;
    try {
      const loaded = await newProcess.loadModule(Math.max(timeLimit, MIN_LOADING_LIMIT));
      this.switchTo(newProcess, loaded);
    } catch (error) {
      newProcess.kill('it cannot be loaded');
      this.onStartFailure((error as Error).message);
    }
  }

  private switchTo(newProcess: PluginProcess, loaded: LoadedPlugin): void {
    if (this.closed) {
      newProcess.kill('the server is stopping');
      return;
    }
    const previousProcess = this.process;
    this.process = newProcess;
    this.loadedPlugin = loaded;
    this.state = 'ready';
    this.tools.log.info(`plug-in ${this.definition.name}: loaded`, { hooks: loaded.hooks.join(', ') });
    previousProcess?.retire();
    this.tools.onFactsChanged();
    this.sendWaitingCalls();
  }

  private onStartFailure(message: string): void {
    const { clock, log } = this.tools;
    this.recordError(`it cannot be loaded: ${message}`);
    log.error(`plug-in ${this.definition.name} cannot be loaded`, { message, file: this.definition.file });
    this.failures++;
    const delay = Math.min(INITIAL_RETRY_DELAY * 2 ** Math.min(this.failures - 1, 10), MAX_RETRY_DELAY);
    this.retryAt = after(clock.now(), milliseconds(delay));
    if (this.process) return; // the previous version stays in use
    this.state = 'failed';
    this.tools.onFactsChanged();
    this.sendWaitingCalls();
  }

  private onProcessEnd(process: PluginProcess, reason: string): void {
    if (process !== this.process) return;
    this.process = undefined;
    if (this.closed) return;
    this.restarts++;
    this.recordError(reason);
    this.tools.log.warn(`the process for plug-in ${this.definition.name} ended`, { why: reason });
    this.state = 'starting';
    this.failures = process.answerCount > 0 ? 0 : this.failures + 1;
    if (this.failures < MAX_FAILED_STARTS) void this.start();
    else this.onStartFailure(reason);
  }

  /** Starts a new process if the plug-in's file has changed. Called whenever there is work for the plug-in. */
  private reloadIfChanged(): void {
    const now = this.tools.clock.now();
    if (this.startPromise || this.closed || now < after(this.lastFileCheck, FILE_CHECK_INTERVAL)) return;
    this.lastFileCheck = now;
    void readFileVersion(this.definition.file).then((version) => {
      if (version === this.version || version === '' || this.startPromise || this.closed) return;
      this.failures = 0;
      void this.start();
    });
  }

  private recordError(message: string): void {
    this.lastError = { at: this.tools.clock.now(), message };
  }

  private rejectWaitingCalls(message: string): void {
    for (const { reject } of this.queue.splice(0)) reject(message);
  }
}

/** Validates an answer. The validation library is loaded only when needed, because most servers have no plug-ins. */
async function settleCall({ hook, resolve, reject }: WaitingCall, returnValue: unknown): Promise<void> {
  try {
    const { validateResponse: validate } = await import('./plugin-answers.js');
    resolve(validate(hook, returnValue));
  } catch (error) {
    reject((error as Error).message);
  }
}

/** Returns an empty string if the file does not exist, perhaps because it is being replaced. */
async function readFileVersion(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

/** Counts a plug-in's calls by hook and result. */
class CallCounts {
  private readonly counts = new Map<PluginHook, { answered: number; failed: number; milliseconds: number }>();

  /** `ms`: duration in milliseconds, including the time spent waiting. */
  add(hook: PluginHook, isAnswered: boolean, ms: number): void {
    const count = this.counts.get(hook) ?? { answered: 0, failed: 0, milliseconds: 0 };
    if (isAnswered) count.answered++;
    else count.failed++;
    count.milliseconds += ms;
    this.counts.set(hook, count);
  }

  /** Lists the counts of all hooks that have been called. */
  list(): PluginCallCount[] {
    return PLUGIN_HOOKS.flatMap((hook) => {
      const count = this.counts.get(hook);
      return count ? [{ hook, ...count }] : [];
    });
  }
}
