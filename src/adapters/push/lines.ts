import { addAbortSignal, type Readable } from 'node:stream';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import type { SinkClient, SinkRequest } from './sink-client.js';

/** Maximum characters of a line: more than any URL and stamp that were ever pushed. */
const LONGEST_LINE = 1 << 20;

/**
 * Yields the lines of a response as they arrive. Throws SinkUnavailable if the sink is silent for longer than its
 * timeout, or the response is incomplete.
 */
export async function* readLines(
  client: SinkClient,
  request: SinkRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const body = addAbortSignal(signal, await client.stream(request, signal));
  let rest = '';
  try {
    for await (const chunk of readChunks(body, client.timeout)) {
      const pieces = (rest + chunk).split('\n');
      rest = pieces.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw new Error(`a line is longer than ${LONGEST_LINE} characters`);
      yield* pieces;
    }
  } catch (error) {
    throw new SinkUnavailable(`${client.displayName}: the listing broke off: ${(error as Error).message}`);
  } finally {
    body.destroy();
  }
  if (rest !== '') yield rest;
}

/** The timeout applies only while data is awaited, so that a reader may take its time. */
async function* readChunks(body: Readable, timeoutMs: number): AsyncGenerator<string> {
  const iterator = body.setEncoding('utf8')[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error(`silent for ${timeoutMs} ms`)), timeoutMs);
    const next = await iterator.next().finally(() => clearTimeout(timer));
    if (next.done) return;
    yield next.value;
  }
}
