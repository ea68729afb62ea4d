import type { MessagePort } from 'node:worker_threads';
import type { PageProcessor } from '../../engine/ports/page-processor.js';
import {
  collectTransferableBuffers,
  type FromPageThread,
  type PageAnswer,
  type PageCall,
  type PageNotice,
  type PageThreadData,
  type ToPageThread,
  uptime,
} from './page-thread-protocol.js';
import type { RemoteEngine } from './remote-engine.js';
import type { RemotePlugins } from './remote-plugins.js';
import { unpackSecrets } from './secrets-across.js';

/**
 * Maximum number of results that are sent together. Bodies arrive together, so one turn of the event loop may read a
 * page for every fetch in flight: if their results were held back until its end, first the main thread and then this
 * one would be idle.
 */
const MOST_TOGETHER = 8;

const BEAT_MS = 500;

/** The other side of a PageThread: handles calls from a port with a processor that works in this thread. */
export function servePages(
  port: MessagePort,
  processor: PageProcessor,
  data: PageThreadData,
  browser?: RemoteEngine,
  plugins?: RemotePlugins,
): void {
  const reading = new Int32Array(data.reading);
  const sendHeartbeat = (): void => void Atomics.add(reading, 2, 1);
  // Also sent at once, so that something that blocks the thread in its first half second is noticed, too.
  sendHeartbeat();
  setInterval(sendHeartbeat, BEAT_MS).unref();
  let answers: PageAnswer[] = [];
  let transfers: ArrayBuffer[] = [];

  const send = (answer: PageAnswer, transfer: ArrayBuffer[] = []): void => {
    if (answers.length === 0) setImmediate(flush);
    answers.push(answer);
    transfers.push(...transfer);
    if (answers.length >= MOST_TOGETHER) flush();
  };
  const flush = (): void => {
    if (answers.length === 0) return;
    const message: FromPageThread = answers;
    const list = transfers;
    answers = [];
    transfers = [];
    port.postMessage(message, list);
  };

  const run = async (call: PageCall): Promise<void> => {
    try {
      const stopwatch = new ReadingStopwatch(reading, call.seq);
      const answer = await perform(processor, call, (isRead) => stopwatch.recordReading(isRead));
      send({ seq: call.seq, answer, at: uptime(), read: stopwatch.total }, collectTransferableBuffers(answer));
    } catch (error) {
      send({ seq: call.seq, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };

  port.on('message', (messages: ToPageThread) => {
    for (const message of messages) {
      if ('call' in message) void run(message);
      else if (message.notice === 'renderer') browser?.connect(message.port);
      else if (message.notice === 'plugins') {
        if (message.port) plugins?.connect(message.port);
        processor.setPlugins?.(message.facts);
      } else applyNotice(processor, message, port);
    }
  });
}

/**
 * Tells the main thread what is being read and since when, and adds up the time, because a page may be read in several
 * stretches.
 */
class ReadingStopwatch {
  total = 0;
  private since = 0;

  constructor(
    private readonly cells: Int32Array,
    private readonly seq: number,
  ) {}

  recordReading(isRead: boolean): void {
    const now = uptime();
    if (isRead) this.since = now;
    else this.total += now - this.since;
    Atomics.store(this.cells, 1, Math.trunc(now) | 0);
    Atomics.store(this.cells, 0, isRead ? this.seq : 0);
  }
}

function perform(processor: PageProcessor, call: PageCall, reading: (isRead: boolean) => void): Promise<unknown> {
  switch (call.call) {
    case 'configure':
      return processor.configure(unpackSecrets(call.argument));
    case 'process':
      return processor.process(call.argument, reading);
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
