import type { MessagePort } from 'node:worker_threads';
import type { PageProcessor } from '../../engine/ports/page-processor.js';
import {
  collectTransferableBuffers,
  type FromPageThread,
  getUptimeMs,
  type PageAnswer,
  type PageCall,
  type PageNotice,
  type PageThreadData,
  type ToPageThread,
} from './page-thread-protocol.js';
import type { RemoteEngine } from './remote-engine.js';
import type { RemotePlugins } from './remote-plugins.js';
import { unpackDefinition, unpackSecrets } from './secrets-across.js';

/**
 * Maximum number of results that are sent together. Bodies often arrive together, so one turn of the event loop may
 * read a page for every fetch in flight: if all results were held back until its end, first the main thread and then
 * this one would be idle.
 */
const MAX_BATCH_SIZE = 8;

const HEARTBEAT_MS = 500;

/** The other side of a PageThread: handles calls from a port with a processor that works in this thread. */
export function servePages(
  port: MessagePort,
  processor: PageProcessor,
  data: PageThreadData,
  browser?: RemoteEngine,
  plugins?: RemotePlugins,
): void {
  const readingCells = new Int32Array(data.reading);
  const sendHeartbeat = (): void => void Atomics.add(readingCells, 2, 1);
  // Also sent immediately, so that a thread that is blocked in its first half second is noticed, too.
  sendHeartbeat();
  setInterval(sendHeartbeat, HEARTBEAT_MS).unref();
  let answers: PageAnswer[] = [];
  let transfers: ArrayBuffer[] = [];

  const send = (answer: PageAnswer, transfer: ArrayBuffer[] = []): void => {
    if (answers.length === 0) setImmediate(flush);
    answers.push(answer);
    transfers.push(...transfer);
    if (answers.length >= MAX_BATCH_SIZE) flush();
  };
  const flush = (): void => {
    if (answers.length === 0) return;
    const message: FromPageThread = answers;
    const transferList = transfers;
    answers = [];
    transfers = [];
    port.postMessage(message, transferList);
  };

  const handleCall = async (call: PageCall): Promise<void> => {
    try {
      const stopwatch = new ReadingStopwatch(readingCells, call.seq);
      const answer = await performCall(processor, call, (isReading) => stopwatch.recordReading(isReading));
      send(
        { seq: call.seq, answer, readyAt: getUptimeMs(), readingMs: stopwatch.totalMs },
        collectTransferableBuffers(answer),
      );
    } catch (error) {
      send({ seq: call.seq, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };

  port.on('message', (messages: ToPageThread) => {
    for (const message of messages) {
      if ('call' in message) void handleCall(message);
      else if (message.notice === 'renderer') browser?.connect(message.port);
      else if (message.notice === 'plugins') {
        if (message.port) plugins?.connect(message.port);
        processor.setPlugins?.(message.facts);
      } else applyNotice(processor, message, port);
    }
  });
}

/**
 * Tells the main thread which page is being read and since when, and adds up the time, because a page may be read in
 * several stretches.
 */
class ReadingStopwatch {
  totalMs = 0;
  private startedAt = 0;

  constructor(
    private readonly readingCells: Int32Array,
    private readonly seq: number,
  ) {}

  recordReading(isReading: boolean): void {
    const now = getUptimeMs();
    if (isReading) this.startedAt = now;
    else this.totalMs += now - this.startedAt;
    Atomics.store(this.readingCells, 1, Math.trunc(now) | 0);
    Atomics.store(this.readingCells, 0, isReading ? this.seq : 0);
  }
}

function performCall(
  processor: PageProcessor,
  call: PageCall,
  setReading: (isReading: boolean) => void,
): Promise<unknown> {
  switch (call.call) {
    case 'configure':
      return processor.configure(unpackDefinition(call.argument));
    case 'process': {
      const { effects } = call.argument;
      const options = unpackSecrets(effects.options);
      return processor.process({ ...call.argument, effects: { ...effects, options } }, setReading);
    }
    case 'fetch':
      return processor.fetch(unpackSecrets(call.argument));
    case 'resolve':
      return processor.resolve(call.argument);
  }
}

function applyNotice(
  processor: PageProcessor,
  notice: Exclude<PageNotice, { notice: 'renderer' | 'plugins' }>,
  port: MessagePort,
): void {
  if (notice.notice === 'root') processor.addRoot(notice.crawler, notice.root);
  else if (notice.notice === 'root removed') processor.removeRoot(notice.crawler, notice.url);
  else if (notice.notice === 'forget') processor.forget(notice.crawler, notice.urls);
  else void processor.close().finally(() => port.close());
}
