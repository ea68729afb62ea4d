/**
 * One plug-in of the configuration: its process, which is restarted when it ends and replaced when its file changes,
 * the calls that are waiting for it, and its reported state.
 */
import { stat } from 'node:fs/promises';
import type { PluginDefinition } from '../../domain/crawl/plugin-definition.js';
import { revealText } from '../../domain/secret.js';
import { after, type Instant, instant, milliseconds, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { PluginFacts, PluginHook, PluginView } from '../../engine/ports/plugins.js';
import { CallCounts } from './call-counts.js';
import { PluginProcess } from './plugin-process.js';
import type { Loaded } from './plugin-protocol.js';

/** Maximum number of calls that are sent to the process at the same time; the others wait. */
const MOST_IN_FLIGHT = 16;
/** How many processes may end during a call before the call is blamed. */
const MOST_ATTEMPTS = 2;
/** How many processes in a row may end without having answered a call before the next start is delayed. */
const MOST_DEATHS = 3;
/** Minimum time between two checks of the plug-in's file. */
const LOOK_EVERY = seconds(1);
const FIRST_RETRY = seconds(1);
const LONGEST_RETRY = seconds(60);
/** Minimum time limit for loading: a module that imports packages may take a while on a slow disk. */
const SHORTEST_LOADING_LIMIT = seconds(10);

interface Waiting {
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
  readonly factsChanged: () => void;
}

export class RunningPlugin {
  readonly counts = new CallCounts();
  private process: PluginProcess | undefined;
  private known: Loaded | undefined;
  private state: PluginView['state'] = 'starting';
  private queue: Waiting[] = [];
  private inFlight = 0;
  private restarts = 0;
  private failures = 0;
  private retryAt: Instant = instant(0);
  private lastLook: Instant = instant(0);
  /** Identifies the version of the file that was loaded last, by modification time, size and inode. */
  private version = '';
  private lastError: { at: Instant; message: string } | undefined;
  private closed = false;
  private starting: Promise<void> | undefined;

  constructor(
    readonly definition: PluginDefinition,
    private readonly tools: PluginTools,
  ) {}

  get facts(): PluginFacts {
    const { name, crawlers, onFailure } = this.definition;
    // Until the plug-in is loaded, it is not known which pages it must see, so all pages wait for it.
    const { hooks, mediaTypes } = this.known ?? { hooks: ['onUrl'] as const, mediaTypes: [] };
    return { name, hooks, mediaTypes, isOptional: onFailure === 'skip', ...(crawlers ? { crawlers } : {}) };
  }

  toView(): PluginView {
    const { definition, state, known, restarts, lastError } = this;
    return {
      name: definition.name,
      file: definition.file,
      state,
      ...(known?.version === undefined ? {} : { version: known.version }),
      hooks: known?.hooks ?? [],
      calls: this.counts.list(),
      restarts,
      memory: this.process?.memory ?? 0,
      ...(lastError ? { lastError } : {}),
    };
  }

  /** Never rejects: errors are shown in the plug-in's view. */
  start(): Promise<void> {
    this.starting ??= this.openProcess().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  call(hook: PluginHook, argument: unknown, limit: number): Promise<unknown> {
    const began = this.tools.clock.now();
    return new Promise((resolve, reject) => {
      const recordCall = (isAnswered: boolean): void =>
        this.counts.add(hook, isAnswered, this.tools.clock.now() - began);
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
      this.checkFile();
      this.sendWaiting();
    });
  }

  close(): void {
    this.closed = true;
    this.process?.kill('the server is stopping');
    this.rejectWaiting('the server is stopping, or the configuration has changed');
  }

  private sendWaiting(): void {
    if (this.closed) {
      this.rejectWaiting('it is no longer in the configuration');
      return;
    }
    if (this.state === 'failed') {
      if (this.tools.clock.now() >= this.retryAt) void this.start();
      else this.rejectWaiting(this.lastError?.message ?? 'it is not running');
    }
    const { process } = this;
    while (process && this.state === 'ready' && this.inFlight < MOST_IN_FLIGHT) {
      const next = this.queue.shift();
      if (!next) return;
      if (this.known?.hooks.includes(next.hook)) this.sendTo(process, next);
      // The calling page does not know yet which of its other parts the plug-in must see.
      else next.reject('it has only just been loaded');
    }
  }

  private sendTo(process: PluginProcess, waiting: Waiting): void {
    const { hook, argument, limit } = waiting;
    this.inFlight++;
    const finishCall = (then: () => void): void => {
      this.inFlight--;
      then();
      this.sendWaiting();
    };
    process.call({
      hook,
      argument,
      limit,
      answered: (answer) => finishCall(() => void settle(waiting, answer)),
      failed: (message) => finishCall(() => waiting.reject(message)),
      lost: (why, begun) =>
        finishCall(() => {
          if (begun) waiting.attempts++;
          if (waiting.attempts < MOST_ATTEMPTS && !this.closed) this.queue.unshift(waiting);
          else waiting.reject(why);
        }),
    });
  }

  /**
   * Loads the module in a new process. The previous process keeps working until that is done, and stays if it fails.
   */
  private async openProcess(): Promise<void> {
    const { definition, tools } = this;
    const { name, file, memoryLimit, settings, timeLimit } = definition;
    const version = await readFileVersion(file);
    const module = {
      name,
      file,
      memoryLimit,
      settings: Object.fromEntries(settings.map((one) => [one.name, revealText(one.value)])),
    };
    const opened: PluginProcess = new PluginProcess(module, tools.clock, {
      printed: (text) => tools.log.info(`plug-in ${name}: ${text}`),
      ended: (why) => this.onProcessEnd(opened, why),
    });
    this.version = version;
    try {
      const loaded = await opened.loadModule(Math.max(timeLimit, SHORTEST_LOADING_LIMIT));
      this.switchTo(opened, loaded);
    } catch (error) {
      opened.kill('it cannot be loaded');
      this.onStartFailure((error as Error).message);
    }
  }

  private switchTo(opened: PluginProcess, loaded: Loaded): void {
    if (this.closed) {
      opened.kill('the server is stopping');
      return;
    }
    const before = this.process;
    this.process = opened;
    this.known = loaded;
    this.state = 'ready';
    this.tools.log.info(`plug-in ${this.definition.name}: loaded`, { hooks: loaded.hooks.join(', ') });
    before?.retire();
    this.tools.factsChanged();
    this.sendWaiting();
  }

  private onStartFailure(message: string): void {
    const { clock, log } = this.tools;
    this.recordError(`it cannot be loaded: ${message}`);
    log.error(`plug-in ${this.definition.name} cannot be loaded`, { message, file: this.definition.file });
    this.failures++;
    const wait = Math.min(FIRST_RETRY * 2 ** Math.min(this.failures - 1, 10), LONGEST_RETRY);
    this.retryAt = after(clock.now(), milliseconds(wait));
    if (this.process) return; // the previous version stays in use
    this.state = 'failed';
    this.tools.factsChanged();
    this.sendWaiting();
  }

  private onProcessEnd(process: PluginProcess, why: string): void {
    if (process !== this.process) return;
    this.process = undefined;
    if (this.closed) return;
    this.restarts++;
    this.recordError(why);
    this.tools.log.warn(`the process of plug-in ${this.definition.name} ended`, { why });
    this.state = 'starting';
    this.failures = process.answers > 0 ? 0 : this.failures + 1;
    if (this.failures < MOST_DEATHS) void this.start();
    else this.onStartFailure(why);
  }

  /** Called when there is work for the plug-in: checks whether its file has changed. */
  private checkFile(): void {
    const now = this.tools.clock.now();
    if (this.starting || this.closed || now < after(this.lastLook, LOOK_EVERY)) return;
    this.lastLook = now;
    void readFileVersion(this.definition.file).then((version) => {
      if (version === this.version || version === '' || this.starting || this.closed) return;
      this.failures = 0;
      void this.start();
    });
  }

  private recordError(message: string): void {
    this.lastError = { at: this.tools.clock.now(), message };
  }

  private rejectWaiting(message: string): void {
    for (const { reject } of this.queue.splice(0)) reject(message);
  }
}

/** The library that validates answers is loaded with the first answer, because most servers run without plug-ins. */
async function settle({ hook, resolve, reject }: Waiting, given: unknown): Promise<void> {
  try {
    const { validateResponse: checkedAnswer } = await import('./plugin-answers.js');
    resolve(checkedAnswer(hook, given));
  } catch (error) {
    reject((error as Error).message);
  }
}

/** Empty if the file does not exist, perhaps because it is being replaced. */
async function readFileVersion(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}
