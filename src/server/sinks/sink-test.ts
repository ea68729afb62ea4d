/** Tests whether a sink can be reached and would accept orders, without sending one. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { Sink } from '../../engine/ports/sink.js';

export interface SinkTest {
  readonly name: string;
  readonly type: string;
  readonly ok: boolean;
  /** The request and its response, or what is wrong. */
  readonly message: string;
  readonly milliseconds: number;
}

/** Tests the sink of a definition that need not be in force. Never throws. */
export type TestSink = (definition: SinkDefinition) => Promise<SinkTest>;

const TIMEOUT_MS = 15_000;
/** URI of a document that no sink holds. */
const NOBODY = 'urn:crawlway:test';

export const createSinkTester =
  (createSink: (definition: SinkDefinition) => Sink, now: () => number): TestSink =>
  async (definition) => {
    const { name, type } = definition;
    const began = now();
    const toResult = (ok: boolean, message: string): SinkTest => ({
      name,
      type,
      ok,
      message,
      milliseconds: Math.round(now() - began),
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
    await access(dirname(resolve(url)), constants.W_OK);
    return "The sink's folder is writable.";
  }
  if (sink.probe) await sink.probe(signal);
  else if (sink.readDocuments) await sink.readDocuments([NOBODY], signal);
  else return 'This sink can only be tested by sending an order; its configuration is complete.';
  return 'The sink is responding and accepts the credentials.';
}

function toMessage(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return `No response within ${TIMEOUT_MS / 1000} s.`;
  if (code === 'ENOENT') return "The sink's folder does not exist.";
  if (code === 'EACCES') return "This user may not write to the sink's folder.";
  return message;
}
