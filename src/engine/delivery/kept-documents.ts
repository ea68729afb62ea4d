import { type KeptDocument, type Sink, SinkUnavailable } from '../ports/sink.js';
import { Batcher } from '../support/batcher.js';

const BATCH_SIZE = 100;
/** A sink is down if it fails with as many documents one by one, and has returned none. */
const MAX_FAILURES = 3;

/** Reads documents back from sinks that keep them; concurrent requests are combined into one. */
export class KeptDocuments {
  private readonly readers = new Map<Sink, Batcher<string, KeptDocument | undefined>>();

  constructor(private readonly findSink: (name: string) => Sink | undefined) {}

  /**
   * Reads the document of a URI back from a sink; undefined if the sink does not have it.
   * @throws SinkUnavailable
   */
  async find(name: string, uri: string): Promise<KeptDocument | undefined> {
    const sink = this.findSink(name);
    if (!sink?.readDocuments) return undefined;
    return this.getReader(sink).add(uri);
  }

  /** Forgets all readers, so that sinks out of service do not stay in memory. */
  forgetReaders(): void {
    this.readers.clear();
  }

  private getReader(sink: Sink): Batcher<string, KeptDocument | undefined> {
    let reader = this.readers.get(sink);
    if (!reader) {
      reader = new Batcher((uris) => readDocuments(sink, uris), BATCH_SIZE);
      this.readers.set(sink, reader);
    }
    return reader;
  }
}

/**
 * If a request for several documents fails, each is requested separately: together they may exceed the size limit of a
 * response.
 */
async function readDocuments(sink: Sink, uris: readonly string[]): Promise<(KeptDocument | undefined)[]> {
  const signal = new AbortController().signal;
  try {
    const byUri = new Map((await sink.readDocuments!(uris, signal)).map((kept) => [kept.document.uri, kept]));
    return uris.map((uri) => byUri.get(uri));
  } catch (error) {
    if (!(error instanceof SinkUnavailable) || uris.length === 1) throw error;
  }
  const documents: (KeptDocument | undefined)[] = [];
  let failures = 0;
  for (const uri of uris) {
    try {
      documents.push((await readDocuments(sink, [uri]))[0]);
    } catch (error) {
      documents.push(undefined);
      const isDown = ++failures === Math.min(uris.length, MAX_FAILURES) && documents.length === failures;
      if (isDown) throw error;
    }
  }
  return documents;
}
