/** The transport format of documents and their results: two 32-bit lengths, then a JSON head and a body. */

export interface Frame {
  readonly head: string;
  readonly body: Uint8Array;
}

const LENGTHS = 8;

export function encodeFrame(head: unknown, body: Uint8Array = new Uint8Array(0)): [head: Buffer, body: Uint8Array] {
  const json = JSON.stringify(head);
  const length = Buffer.byteLength(json);
  const start = Buffer.allocUnsafe(LENGTHS + length);
  start.writeUInt32LE(length, 0);
  start.writeUInt32LE(body.byteLength, 4);
  start.write(json, LENGTHS);
  return [start, body];
}

/** Accepts pieces as they arrive and returns whole frames. */
export class FrameReader {
  private pieces: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly most: number) {}

  /** Undefined until a frame is complete. Throws if one is larger than allowed. */
  push(piece: Uint8Array): Frame | undefined {
    this.pieces.push(piece);
    this.length += piece.byteLength;
    if (this.length < LENGTHS) return undefined;
    const start = this.pieces[0]!.byteLength >= LENGTHS ? this.pieces[0]! : this.joinPieces();
    const view = new DataView(start.buffer, start.byteOffset, LENGTHS);
    const headLength = view.getUint32(0, true);
    const whole = LENGTHS + headLength + view.getUint32(4, true);
    if (whole > this.most) throw new Error(`a message of ${whole} bytes is larger than ${this.most}`);
    if (this.length < whole) return undefined;
    const frame = this.joinPieces();
    this.pieces = [];
    this.length = 0;
    return {
      head: Buffer.from(frame.buffer, frame.byteOffset + LENGTHS, headLength).toString('utf8'),
      body: frame.subarray(LENGTHS + headLength, whole),
    };
  }

  private joinPieces(): Uint8Array {
    const joined = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
    this.pieces = [joined];
    return joined;
  }
}
