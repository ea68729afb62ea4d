/** This side of one process that reads documents, one at a time, bounded in time, memory and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Extraction, ExtractorUnavailable, type Refusal } from '../../../engine/ports/content-extractor.js';
import type { DocumentRequest } from './document-content.js';
import { encodeFrame, FrameReader } from './frames.js';

export interface ProcessLimits {
  /** Milliseconds for one document. */
  readonly timeLimit: number;
  /** Bytes of memory that the process may hold. */
  readonly memoryLimit: number;
}

export interface Reply {
  readonly read: Extraction | Refusal;
  /** The process ends after this one. */
  readonly last: boolean;
}

const MOST_ANSWER = 64 * 1024 * 1024;
/** The process limits the time itself; this is for one that fails to do so. */
const GRACE_MS = 2_000;
const WATCH_MS = 50;
const MEBIBYTE = 1024 * 1024;

/** A refusal concerns the document; the error means that something else ended the process. */
type End = Refusal | ExtractorUnavailable;

/** Exit code of the program when a document made it fail. Node ends with other codes when it cannot load the program. */
export const FAILED_WITHIN_DOCUMENT = 70;

interface InFlight {
  readonly resolve: (read: Extraction | Refusal) => void;
  readonly reject: (error: ExtractorUnavailable) => void;
  readonly timer: NodeJS.Timeout;
  readonly watch: NodeJS.Timeout;
}

export class DocumentProcess {
  private readonly child: ChildProcess;
  private readonly frames = new FrameReader(MOST_ANSWER);
  private inFlight: InFlight | undefined;
  private killed: End | undefined;
  ended = false;

  constructor(
    private readonly limits: ProcessLimits,
    private readonly onEnd: (process: DocumentProcess) => void,
    entry = ENTRY,
  ) {
    const file = fileURLToPath(entry);
    this.child = spawn(process.execPath, [...nodeFlags(file, limits), file], {
      stdio: ['pipe', 'pipe', 'ignore'],
      // Nothing of the server's environment: it may contain keys and passwords.
      env: {},
      cwd: dirname(file),
      windowsHide: true,
    });
    this.child.on('error', (error) =>
      this.endWith(new ExtractorUnavailable(`the process that reads documents does not start: ${error.message}`)),
    );
    this.child.on('exit', (code, signal) => this.endWith(this.killed ?? classifyExit(code, signal)));
    this.child.stdin!.on('error', () => undefined);
    this.child.stdout!.on('data', (piece: Buffer) => this.onData(piece));
    // The server may end whatever is in flight here.
    this.child.unref();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws ExtractorUnavailable */
  read(body: Uint8Array, request: Omit<DocumentRequest, 'timeLimit'>): Promise<Extraction | Refusal> {
    const { timeLimit, memoryLimit } = this.limits;
    return new Promise((resolve, reject) => {
      const late: Refusal = { refused: 'extract-timeout', detail: `reading it took longer than ${timeLimit / 1000} s` };
      const timer = setTimeout(() => this.kill(late), timeLimit + GRACE_MS);
      const watch = setInterval(() => this.checkMemory(), WATCH_MS);
      this.inFlight = { resolve, reject, timer, watch };
      const [head, bytes] = encodeFrame({ ...request, timeLimit, memoryLimit }, body);
      this.child.stdin!.write(head);
      if (bytes.byteLength > 0) this.child.stdin!.write(bytes);
    });
  }

  kill(reason: End): void {
    this.killed ??= reason;
    this.child.kill('SIGKILL');
  }

  private onData(piece: Buffer): void {
    let reply: Reply | undefined;
    try {
      const frame = this.frames.push(piece);
      if (frame) reply = JSON.parse(frame.head) as Reply;
    } catch (error) {
      this.kill({ refused: 'extract-memory', detail: `the reader returned too much: ${String(error)}` });
    }
    if (!reply) return;
    if (reply.last) this.retire();
    this.settle(reply.read);
  }

  private checkMemory(): void {
    const { memoryLimit } = this.limits;
    if (readMemory(this.child.pid) <= memoryLimit) return;
    const detail = `reading it took more than ${Math.round(memoryLimit / MEBIBYTE)} MB of memory`;
    this.kill({ refused: 'extract-memory', detail });
  }

  private endWith(end: End): void {
    this.retire();
    this.settle(end);
  }

  private retire(): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd(this);
  }

  private settle(read: Extraction | End): void {
    const { inFlight } = this;
    if (!inFlight) return;
    this.inFlight = undefined;
    clearTimeout(inFlight.timer);
    clearInterval(inFlight.watch);
    if (read instanceof ExtractorUnavailable) inFlight.reject(read);
    else inFlight.resolve(read);
  }
}

const ENTRY = new URL('./documents.process.js', import.meta.url);

/**
 * Node's permission model: no files except the program, no processes, no threads, no compiled add-ons; since Node 25 no network
 * either.
 */
function nodeFlags(entry: string, { memoryLimit }: ProcessLimits): string[] {
  const heap = Math.max(64, Math.round(memoryLimit / MEBIBYTE / 2));
  return [
    '--permission',
    ...programFolders(entry).map((folder) => `--allow-fs-read=${folder}`),
    `--max-old-space-size=${heap}`,
    '--max-semi-space-size=8',
    '--disable-proto=delete',
    '--no-warnings',
  ];
}

/** Packed, the program is one folder; otherwise it is the compiled sources and the packages. */
function programFolders(entry: string): string[] {
  const folder = dirname(entry);
  if (existsSync(join(folder, 'pdfium.wasm'))) return [join(folder, '*')];
  const packages = dirname(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  return [join(dirname(dirname(dirname(folder))), '*'), join(dirname(dirname(dirname(packages))), '*')];
}

function classifyExit(code: number | null, signal: NodeJS.Signals | null): End {
  // V8 aborts when its heap is full; the kernel kills what takes the machine's last memory.
  if (signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134)
    return { refused: 'extract-memory', detail: 'the reader ran out of memory' };
  const how = signal ?? `code ${code}`;
  if (signal || code === FAILED_WITHIN_DOCUMENT || code === 0)
    return { refused: 'extract-corrupt', detail: `the reader ended before it was done (${how})` };
  return new ExtractorUnavailable(`the process that reads documents does not start (${how})`);
}

/** Memory of the process in bytes; 0 if the system does not report it, so that V8's own limit is the only one. */
function readMemory(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
