import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import { type Sink, SinkUnsuitable, WrappedSink } from '../ports/sink.js';
import { withTimeLimit } from '../support/within.js';

const MAX_ENTRIES = 1_000;
const MAX_INSPECTION_TIME = seconds(10);
/**
 * Delay before another attempt to list a sink, so that a receiver that only accepts orders is not queried before each
 * batch.
 */
const PAUSE_AFTER_FAILURE = minutes(1);

interface InspectionServices {
  readonly clock: Clock;
  readonly log: Log;
  /** Says whether a crawler of this server knows the URL. */
  readonly isKnown: (uri: string) => Promise<boolean>;
}

/**
 * Checks the documents of a sink that can list them before the first order goes out: documents that no crawler here
 * knows belong to another server that pushes under the same name, and each of the two would replace and delete the
 * other's documents. Orders are sent anyway. If a sink cannot be listed now, the next attempt is made a minute later or
 * after that.
 */
export class InspectedSink extends WrappedSink {
  override readonly checkSchema: Sink['checkSchema'];
  private isSchemaChecked = false;
  private foreignNote: string | undefined;
  private schemaNote: string | undefined;
  private inspection: Promise<void> | undefined;
  private inspectAgainAt: Instant | undefined;

  constructor(
    sink: Sink,
    private readonly services: InspectionServices,
  ) {
    super(sink);
    this.checkSchema = sink.checkSchema && (async (signal) => (this.schemaNote = await sink.checkSchema!(signal)));
  }

  /** A human-readable description of what was found. */
  get warning(): string | undefined {
    const notes = [this.foreignNote, this.schemaNote].filter((note) => note !== undefined);
    return notes.length === 0 ? undefined : notes.join('. ');
  }

  override async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    if (!this.isSchemaChecked) await this.checkSchemaOnce(signal);
    if (this.sink.listEntries) {
      if (this.inspectAgainAt !== undefined && this.services.clock.now() >= this.inspectAgainAt)
        this.inspection = undefined;
      this.inspection ??= this.inspect();
      await this.inspection;
    }
    return this.sink.deliver(batch, signal);
  }

  /** @throws SinkUnsuitable, so that orders wait instead of being refused one by one */
  private async checkSchemaOnce(signal: AbortSignal): Promise<void> {
    try {
      this.schemaNote = await this.sink.checkSchema?.(signal);
    } catch (error) {
      if (error instanceof SinkUnsuitable) throw error;
      return; // delivery reports what is wrong with the sink
    }
    this.isSchemaChecked = true;
  }

  private async inspect(): Promise<void> {
    this.inspectAgainAt = undefined;
    try {
      await withTimeLimit(this.services.clock, MAX_INSPECTION_TIME, (signal) => this.examineEntries(signal));
    } catch {
      // Delivery reports what is wrong with the sink.
      this.inspectAgainAt = after(this.services.clock.now(), PAUSE_AFTER_FAILURE);
    }
  }

  private async examineEntries(signal: AbortSignal): Promise<void> {
    let examinedCount = 0;
    let foreignCount = 0;
    let example: string | undefined;
    for await (const { uri } of this.sink.listEntries!(signal)) {
      if (signal.aborted || examinedCount++ === MAX_ENTRIES) break;
      if (await this.services.isKnown(uri)) continue;
      foreignCount++;
      example ??= uri;
    }
    this.foreignNote =
      foreignCount === 0
        ? undefined
        : `It holds documents that belong to no crawler on this server (${foreignCount} of the ${Math.min(examinedCount, MAX_ENTRIES)} examined, such as ${example}). If another server pushes there, give this sink its own connector or index; if this one takes its place, adopt them (crawlway sinks adopt); if they are left over, reconcile the sink with repair`;
    if (this.foreignNote)
      this.services.log.warn("a sink holds documents that are not this server's", {
        sink: this.name,
        message: this.foreignNote,
      });
  }
}
