import type { MessagePort } from 'node:worker_threads';
import type { PageProcessor } from '../../engine/ports/page-processor.js';
import {
  type FromPageThread,
  type PageAnswer,
  type PageCall,
  type PageNotice,
  type PageThreadData,
  type ToPageThread,
  transferable,
  uptime,
} from './page-thread-protocol.js';

/**
 * Answers that travel together at most. Bodies arrive together, so one turn of the event loop may read a page for every
 * fetch that is under way: held back to its end, their answers would leave this thread without work and then the other.
 */
const MOST_TOGETHER = 8;

/** The far end of a PageThread: answers calls from a port with a processor that works in this thread. */
export function servePages(port: MessagePort, processor: PageProcessor, data: PageThreadData): void {
  const reading = new Int32Array(data.reading);
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
      const answer = await perform(processor, call, (isRead) => Atomics.store(reading, 0, isRead ? call.seq : 0));
      send({ seq: call.seq, answer, at: uptime() }, transferable(answer));
    } catch (error) {
      send({ seq: call.seq, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };

  port.on('message', (messages: ToPageThread) => {
    for (const message of messages) {
      if ('call' in message) void run(message);
      else heed(processor, message, port);
    }
  });
}

function perform(processor: PageProcessor, call: PageCall, reading: (isRead: boolean) => void): Promise<unknown> {
  switch (call.call) {
    case 'configure':
      return processor.configure(call.argument);
    case 'process':
      return processor.process(call.argument, reading);
    case 'fetch':
      return processor.fetch(call.argument);
    case 'resolve':
      return processor.resolve(call.argument);
  }
}

function heed(processor: PageProcessor, notice: PageNotice, port: MessagePort): void {
  if (notice.notice === 'root') processor.addRoot(notice.crawler, notice.root);
  else if (notice.notice === 'root removed') processor.removeRoot(notice.crawler, notice.url);
  else if (notice.notice === 'forget') processor.forget(notice.crawler, notice.urls);
  else void processor.close().finally(() => port.close());
}
