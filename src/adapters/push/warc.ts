import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BoundedMap } from '../../domain/bounded-map.js';
import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { isStillAt } from './file.js';
import { formsToMetas } from './metas.js';
import { acknowledgeAll } from './splitting.js';

const NEW_FILE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_NOFOLLOW;
const DEFAULT_ROTATE_BYTES = 1 << 30;
/** Maximum number of payloads that are remembered for revisit records. */
const MAX_PAYLOADS = 100_000;
const REVISIT = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';

interface ArchivedPayload {
  readonly uri: string;
  readonly date: string;
  readonly recordId: string;
}

/**
 * Writes fetched documents to WARC 1.1 files: for each document, a `resource` record with its bytes, or a `revisit`
 * record if the same bytes have been archived before, and a `metadata` record with its metas. A deletion is recorded
 * but removes nothing from the archive. A new file (`pages-20260131100000000-00001.warc.gz`) is started after each
 * start of the server and whenever a file is full. Records are on disk before they are acknowledged. With `.gz`, each
 * record is a separate gzip member, as WARC readers expect.
 */
export class WarcSink implements Sink {
  readonly name: string;
  private file: FileHandle | undefined;
  /** The path of the open file. */
  private path = '';
  /** False on a file system that numbers a file anew each time it is looked up. */
  private isRecognizable = true;
  private fileSize = 0;
  private fileNumber = 0;
  private lastDelivery: Promise<unknown> = Promise.resolve();
  private readonly payloads = new BoundedMap<string, ArchivedPayload>(MAX_PAYLOADS);

  constructor(private readonly definition: SinkDefinitionOf<'warc'>) {
    this.name = definition.name;
  }

  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const delivery = this.lastDelivery.then(() => this.append(batch, signal));
    this.lastDelivery = delivery.catch(() => undefined);
    return delivery;
  }

  async close(): Promise<void> {
    await this.lastDelivery;
    await this.closeFile();
  }

  private async append(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    if (this.file && this.isRecognizable && !(await isStillAt(this.file, this.path))) {
      this.payloads.clear(); // they may be gone with the file
      await this.closeFile().catch(() => undefined);
    }
    const newPayloads = new Map<string, ArchivedPayload>();
    const records = Buffer.concat(batch.flatMap((order) => this.buildRecords(order, newPayloads)));
    try {
      signal.throwIfAborted();
      this.file ??= await this.openNewFile();
      await this.write(this.file, records);
      for (const [digest, payload] of newPayloads) this.payloads.set(digest, payload);
      if (this.fileSize >= (this.definition.options.rotateBytes ?? DEFAULT_ROTATE_BYTES)) await this.closeFile();
      return acknowledgeAll(batch);
    } catch (error) {
      await this.closeFile().catch(() => undefined);
      throw new SinkUnavailable(`sink ${this.name} at ${this.definition.url}: ${(error as Error).message}`);
    }
  }

  private async write(file: FileHandle, bytes: Buffer): Promise<void> {
    try {
      await file.appendFile(bytes);
      await file.datasync();
      this.fileSize += bytes.length;
    } catch (error) {
      await file.truncate(this.fileSize).catch(() => undefined); // the whole batch will be sent again
      throw error;
    }
  }

  private async openNewFile(): Promise<FileHandle> {
    const { url } = this.definition;
    const timestamp = new Date().toISOString().replace(/\D/g, '');
    const path = url.replace(/(\.warc(?:\.gz)?)$/i, `-${timestamp}-${String(++this.fileNumber).padStart(5, '0')}$1`);
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, NEW_FILE_FLAGS, 0o600);
    this.path = path;
    this.isRecognizable = await isStillAt(file, path);
    this.fileSize = 0;
    const warcInfo = 'software: Crawlway\r\nformat: WARC File Format 1.1\r\n';
    await this.write(
      file,
      this.buildRecord('warcinfo', { 'Content-Type': 'application/warc-fields' }, Buffer.from(warcInfo)),
    );
    return file;
  }

  private async closeFile(): Promise<void> {
    const file = this.file;
    this.file = undefined;
    await file?.close();
  }

  private buildRecords(order: PushOrder, newPayloads: Map<string, ArchivedPayload>): Buffer[] {
    const date = new Date(order.decidedAt).toISOString();
    const targetFields = { 'WARC-Target-URI': order.uri, 'WARC-Date': date };
    if (order.kind === 'delete') return [this.buildMetadata(targetFields, `deleted: ${order.reason}\r\n`)];
    const { master, metas, stamp } = order.document;
    const digest = `sha256:${createHash('sha256').update(master.bytes).digest('hex')}`;
    const id = `<urn:uuid:${randomUUID()}>`;
    const previous = this.payloads.get(digest) ?? newPayloads.get(digest);
    const fields = { ...targetFields, 'WARC-Record-ID': id, 'WARC-Payload-Digest': digest };
    if (!previous) newPayloads.set(digest, { uri: order.uri, date, recordId: id });
    const mainRecord = previous
      ? this.buildRecord('revisit', { ...fields, ...createRevisitFields(previous) }, Buffer.alloc(0))
      : this.buildRecord(
          'resource',
          { ...fields, 'Content-Type': formatContentType(master) },
          Buffer.from(master.bytes),
        );
    // A field must be a single line, but Markdown needs its line breaks.
    const forms = formsToMetas(order.document).map(({ name, value }) => [
      name,
      name === 'markdown' ? JSON.stringify(value) : value,
    ]);
    const lines = [['contentHash', stamp], ...metas.map(({ name, value }) => [name, value]), ...forms];
    const text = lines.map(([name, value]) => `${toSingleLine(name!)}: ${toSingleLine(value!)}\r\n`).join('');
    return [mainRecord, this.buildMetadata({ ...targetFields, 'WARC-Refers-To': id }, text)];
  }

  private buildMetadata(fields: Readonly<Record<string, string>>, text: string): Buffer {
    return this.buildRecord('metadata', { ...fields, 'Content-Type': 'application/warc-fields' }, Buffer.from(text));
  }

  private buildRecord(type: string, fields: Readonly<Record<string, string>>, block: Buffer): Buffer {
    const allFields = {
      'WARC-Type': type,
      'WARC-Record-ID': `<urn:uuid:${randomUUID()}>`,
      'WARC-Date': new Date().toISOString(),
      ...fields,
      'Content-Length': String(block.length),
    };
    const headerLines = Object.entries(allFields).map(([name, value]) => `${name}: ${toSingleLine(value)}\r\n`);
    const bytes = Buffer.concat([
      Buffer.from(`WARC/1.1\r\n${headerLines.join('')}\r\n`),
      block,
      Buffer.from('\r\n\r\n'),
    ]);
    return this.definition.url.toLowerCase().endsWith('.gz') ? gzipSync(bytes) : bytes;
  }
}

const createRevisitFields = ({ uri, date, recordId }: ArchivedPayload) => ({
  'WARC-Profile': REVISIT,
  'WARC-Refers-To': recordId,
  'WARC-Refers-To-Target-URI': uri,
  'WARC-Refers-To-Date': date,
});

const formatContentType = ({
  mimeType,
  encoding,
}: {
  readonly mimeType: string;
  readonly encoding?: string;
}): string => (encoding === undefined ? mimeType : `${mimeType}; charset=${encoding}`);

/** A field must be a single line. */
const toSingleLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ');
