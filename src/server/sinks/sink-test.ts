/** Tests whether a sink can be reached and would accept orders, without sending one. */
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { Sink } from '../../engine/ports/sink.js';
import { type Answer, boolean, integer, ownSchema, text } from '../http/schema.js';

export const sinkTestSchema = ownSchema('SinkTest', {
  name: text('search'),
  type: text('opensearch'),
  ok: boolean('Whether the sink is responding and would accept orders.'),
  message: text('GET http://192.0.2.7:9200/docs: 200', 'The request and its response, or what is wrong.'),
  milliseconds: integer(42),
});

export type SinkTest = Answer<typeof sinkTestSchema>;

/** Tests the sink of a definition that need not be in force. Never throws. */
export type SinkTester = (definition: SinkDefinition) => Promise<SinkTest>;

const TIMEOUT_MS = 15_000;
/** URI for which no sink holds a document. */
const UNKNOWN_URI = 'urn:crawlway:test';

export const createSinkTester =
  (createSink: (definition: SinkDefinition) => Sink, now: () => number): SinkTester =>
  async (definition) => {
    const { name, type } = definition;
    const startedAt = now();
    const toResult = (ok: boolean, message: string): SinkTest => ({
      name,
      type,
      ok,
      message,
      milliseconds: Math.round(now() - startedAt),
    });
    let sink: Sink | undefined;
    try {
      sink = createSink(definition);
      return toResult(true, await checkSink(sink, definition));
    } catch (error) {
      return toResult(false, toMessage(error));
    } finally {
      await sink?.close().catch(() => undefined);
    }
  };

async function checkSink(sink: Sink, { type, url }: SinkDefinition): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (type === 'file') {
    // The sink creates what is missing.
    let folder = dirname(resolve(url));
    while (!existsSync(folder)) folder = dirname(folder);
    await access(folder, constants.W_OK);
    return "The sink's folder is writable.";
  }
  if (sink.probe) await sink.probe(signal);
  else if (sink.readDocuments) await sink.readDocuments([UNKNOWN_URI], signal);
  else if (!sink.checkSchema) return 'This sink can only be tested by sending an order; its configuration is complete.';
  const note = await sink.checkSchema?.(signal);
  // Few receivers support OPTIONS, and none of them can verify the signature of a request without a body.
  if (type === 'json') return 'The sink is responding; whether it accepts orders, the first one shows.';
  return `The sink is responding and accepts the credentials.${note === undefined ? '' : ` ${note}.`}`;
}

function toMessage(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return `No response within ${TIMEOUT_MS / 1000} s.`;
  if (code === 'EACCES') return "The server's user is not allowed to write to the sink's folder.";
  return message;
}
