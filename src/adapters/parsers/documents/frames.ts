/** The transport format of documents and their results: two 32-bit lengths, then a JSON head and a body. */

export interface Frame {
  readonly head: string;
  readonly body: Uint8Array;
}

const LENGTHS_SIZE = 8;

export function encodeFrame(head: unknown, body: Uint8Array = new Uint8Array(0)): [head: Buffer, body: Uint8Array] {
  const json = JSON.stringify(head);
  const length = Buffer.byteLength(json);
  const start = Buffer.allocUnsafe(LENGTHS_SIZE + length);
  start.writeUInt32LE(length, 0);
  start.writeUInt32LE(body.byteLength, 4);
  start.write(json, LENGTHS_SIZE);
  return [start, body];
}

/** Accepts pieces as they arrive and returns whole frames. */
export class FrameReader {
  private chunks: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly maxSize: number) {}

  /** Returns undefined until a frame is complete. Throws if one is larger than allowed. */
  push(chunk: Uint8Array): Frame | undefined {
    this.chunks.push(chunk);
    this.length += chunk.byteLength;
    if (this.length < LENGTHS_SIZE) return undefined;
    const start = this.chunks[0]!.byteLength >= LENGTHS_SIZE ? this.chunks[0]! : this.joinChunks();
    const view = new DataView(start.buffer, start.byteOffset, LENGTHS_SIZE);
    const headLength = view.getUint32(0, true);
    const frameSize = LENGTHS_SIZE + headLength + view.getUint32(4, true);
    if (frameSize > this.maxSize)
      throw new Error(`a message of ${frameSize} bytes exceeds the limit of ${this.maxSize} bytes`);
    if (this.length < frameSize) return undefined;
    const frame = this.joinChunks();
    this.chunks = [];
    this.length = 0;
    return {
      head: Buffer.from(frame.buffer, frame.byteOffset + LENGTHS_SIZE, headLength).toString('utf8'),
      body: frame.subarray(LENGTHS_SIZE + headLength, frameSize),
    };
  }

  private joinChunks(): Uint8Array {
    const joined = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }
}
