import { addAbortSignal, type Readable } from 'node:stream';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import type { SinkClient, SinkRequest } from './sink-client.js';

/** Maximum number of characters in a line, which is more than any pushed URL and stamp have together. */
const MAX_LINE_LENGTH = 1 << 20;

/**
 * Yields the lines of a response as they arrive. Throws SinkUnavailable if the sink sends nothing for longer than its
 * timeout, or if the response is incomplete.
 */
export async function* readLines(
  client: SinkClient,
  request: SinkRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const body = addAbortSignal(signal, await client.stream(request, signal));
  let incompleteLine = '';
  try {
    for await (const chunk of readChunks(body, client.timeout)) {
      const lines = (incompleteLine + chunk).split('\n');
      incompleteLine = lines.pop() ?? '';
      if (incompleteLine.length > MAX_LINE_LENGTH)
        throw new Error(`a line is longer than ${MAX_LINE_LENGTH} characters`);
      yield* lines;
    }
  } catch (error) {
    throw new SinkUnavailable(`${client.displayName}: the listing was interrupted: ${(error as Error).message}`);
  } finally {
    body.destroy();
  }
  if (incompleteLine !== '') yield incompleteLine;
}

/** The timeout applies only while waiting for data, so the consumer may be slow. */
async function* readChunks(body: Readable, timeoutMs: number): AsyncGenerator<string> {
  const iterator = body.setEncoding('utf8')[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error(`no data within ${timeoutMs} ms`)), timeoutMs);
    const result = await iterator.next().finally(() => clearTimeout(timer));
    if (result.done) return;
    yield result.value;
  }
}
