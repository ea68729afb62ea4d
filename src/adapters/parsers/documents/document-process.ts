/** The server's side of a process that reads one document at a time, with limited time, memory and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Extraction, ExtractorUnavailable, type Refusal } from '../../../engine/ports/content-extractor.js';
import type { DocumentRequest } from './document-content.js';
import { encodeFrame, FrameReader } from './frames.js';

export interface ProcessLimits {
  /** Limit of processor time for one document in milliseconds. */
  readonly timeLimit: number;
  /** Memory limit of the process in bytes. */
  readonly memoryLimit: number;
  /** Folders that the process may read, besides those of the program. */
  readonly readableFolders?: readonly string[];
  /** Whether everything else on the machine goes first. */
  readonly isInBackground?: boolean;
}

export interface Reply {
  readonly result: Extraction | Refusal;
  /** The process will end after this document. */
  readonly isLast: boolean;
}

const MAX_REPLY_SIZE = 64 * 1024 * 1024;
/** Whether the system tells how much processor time a process has taken. Otherwise, time is that of the clock. */
const KNOWS_PROCESSOR_TIME = process.platform === 'linux';
/** A busy machine gives a process a part of its time only: on the clock, documents may take several times as long. */
const CLOCK_FACTOR = KNOWS_PROCESSOR_TIME ? 4 : 1;
/** Additional time before the process is killed, because it enforces the time limit itself. */
const GRACE_MS = 2_000;
const WATCH_INTERVAL_MS = 50;
const MEBIBYTE = 1024 * 1024;

/** A refusal blames the document; the error means that something else ended the process. */
type EndReason = Refusal | ExtractorUnavailable;

/** The program's exit code if a document made it fail. Node exits with other codes if it cannot load the program. */
export const DOCUMENT_FAILURE_EXIT_CODE = 70;

interface PendingRead {
  readonly resolve: (result: Extraction | Refusal) => void;
  readonly reject: (error: ExtractorUnavailable) => void;
  readonly timer: NodeJS.Timeout;
  readonly watch: NodeJS.Timeout;
}

export class DocumentProcess {
  private readonly child: ChildProcess;
  private readonly frames = new FrameReader(MAX_REPLY_SIZE);
  private inFlight: PendingRead | undefined;
  private killReason: EndReason | undefined;
  ended = false;

  constructor(
    private readonly limits: ProcessLimits,
    private readonly onEnd: (process: DocumentProcess) => void,
    entry = ENTRY,
  ) {
    const file = fileURLToPath(entry);
    this.child = spawn(process.execPath, [...buildNodeFlags(file, limits), file], {
      stdio: ['pipe', 'pipe', 'ignore'],
      // The process gets none of the server's environment, which may contain keys and passwords.
      env: {},
      cwd: dirname(file),
      windowsHide: true,
    });
    if (limits.isInBackground) lowerPriority(this.child.pid);
    this.child.on('error', (error) =>
      this.retireAndSettle(
        new ExtractorUnavailable(`the process that reads documents could not be started: ${error.message}`),
      ),
    );
    this.child.on('exit', (code, signal) => this.retireAndSettle(this.killReason ?? classifyExit(code, signal)));
    this.child.stdin!.on('error', () => undefined);
    this.child.stdout!.on('data', (chunk: Buffer) => this.onData(chunk));
    // The server may end even while a document is being read here.
    this.child.unref();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws ExtractorUnavailable */
  read(body: Uint8Array, request: Omit<DocumentRequest, 'timeLimit' | 'clockLimit'>): Promise<Extraction | Refusal> {
    const { timeLimit, memoryLimit } = this.limits;
    return new Promise((resolve, reject) => {
      const clockLimit = timeLimit * CLOCK_FACTOR;
      const timer = setTimeout(() => this.kill(createClockTimeout(clockLimit)), clockLimit + GRACE_MS);
      const startedAt = readProcessorTime(this.child.pid);
      const watch = setInterval(() => {
        this.checkMemory();
        this.checkProcessorTime(startedAt);
      }, WATCH_INTERVAL_MS);
      this.inFlight = { resolve, reject, timer, watch };
      const [head, bytes] = encodeFrame({ ...request, timeLimit, clockLimit, memoryLimit }, body);
      this.child.stdin!.write(head);
      if (bytes.byteLength > 0) this.child.stdin!.write(bytes);
    });
  }

  kill(reason: EndReason): void {
    this.killReason ??= reason;
    this.child.kill('SIGKILL');
  }

  private onData(chunk: Buffer): void {
    let reply: Reply | undefined;
    try {
      const frame = this.frames.push(chunk);
      if (frame) reply = JSON.parse(frame.head) as Reply;
    } catch (error) {
      this.kill({ refused: 'extract-memory', detail: `the reader returned too much: ${String(error)}` });
    }
    if (!reply) return;
    if (reply.isLast) this.retire();
    this.settle(reply.result);
  }

  private checkMemory(): void {
    const { memoryLimit } = this.limits;
    if (readMemory(this.child.pid) <= memoryLimit) return;
    const detail = `reading the document took more than ${Math.round(memoryLimit / MEBIBYTE)} MB of memory`;
    this.kill({ refused: 'extract-memory', detail });
  }

  private checkProcessorTime(startedAt: number): void {
    const { timeLimit } = this.limits;
    if (readProcessorTime(this.child.pid) - startedAt <= timeLimit) return;
    const detail = `reading the document took longer than ${timeLimit / 1000} s of processor time`;
    this.kill({ refused: 'extract-timeout', detail });
  }

  private retireAndSettle(reason: EndReason): void {
    this.retire();
    this.settle(reason);
  }

  private retire(): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd(this);
  }

  private settle(result: Extraction | EndReason): void {
    const { inFlight } = this;
    if (!inFlight) return;
    this.inFlight = undefined;
    clearTimeout(inFlight.timer);
    clearInterval(inFlight.watch);
    if (result instanceof ExtractorUnavailable) inFlight.reject(result);
    else inFlight.resolve(result);
  }
}

const ENTRY = new URL('./documents.process.js', import.meta.url);

/**
 * Flags for Node's permission model: no files except the program, no processes, no threads, no native add-ons and,
 * since Node 25, no network.
 */
function buildNodeFlags(entry: string, { memoryLimit, readableFolders = [] }: ProcessLimits): string[] {
  const heapMb = Math.max(64, Math.round(memoryLimit / MEBIBYTE / 2));
  return [
    '--permission',
    ...[...listProgramFolders(entry), ...readableFolders.map((folder) => join(folder, '*'))].map(
      (folder) => `--allow-fs-read=${folder}`,
    ),
    `--max-old-space-size=${heapMb}`,
    '--max-semi-space-size=8',
    '--disable-proto=delete',
    '--no-warnings',
  ];
}

/** When bundled, the program is one folder; otherwise it consists of the compiled sources and the packages. */
function listProgramFolders(entry: string): string[] {
  const folder = dirname(entry);
  if (existsSync(join(folder, 'pdfium.wasm'))) return [join(folder, '*')];
  const packages = dirname(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  return [join(dirname(dirname(dirname(folder))), '*'), join(dirname(dirname(dirname(packages))), '*')];
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}

function classifyExit(code: number | null, signal: NodeJS.Signals | null): EndReason {
  // V8 aborts the process when its heap is full; the kernel kills a process that takes the machine's last memory.
  if (signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134)
    return { refused: 'extract-memory', detail: 'the reader ran out of memory' };
  const exitStatus = signal ?? `code ${code}`;
  if (signal || code === DOCUMENT_FAILURE_EXIT_CODE || code === 0)
    return { refused: 'extract-corrupt', detail: `the reader ended before it was done (${exitStatus})` };
  return new ExtractorUnavailable(`the process that reads documents could not be started (${exitStatus})`);
}

export const createClockTimeout = (clockLimit: number): Refusal => ({
  refused: 'extract-timeout',
  detail: `reading the document took longer than ${clockLimit / 1000} s`,
  isPassing: CLOCK_FACTOR > 1,
});

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

/** Processor time that the process has taken, in milliseconds; 0 if the system does not report it. */
function readProcessorTime(pid: number | undefined): number {
  try {
    // The name of the program, in parentheses, may contain blanks.
    const facts = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(facts[11]) + Number(facts[12])) * TICK_MS;
  } catch {
    return 0;
  }
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
