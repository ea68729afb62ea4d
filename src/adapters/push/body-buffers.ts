const STEP = 256 * 1024;
const MOST_KEPT = 4;
/** Larger bodies are rare, and their memory goes back to the system. */
const LARGEST_KEPT = 4 * 1024 * 1024;

/**
 * Memory for the bodies of requests, used again and again. Made again for each request it would be free only after a look
 * through the whole heap, and bring such looks about: every third one of a crawl at full speed.
 */
export class BodyBuffers {
  private free: Buffer[] = [];

  /** The bytes are whatever was there. */
  take(length: number): Buffer {
    const at = this.free.findIndex((buffer) => buffer.length >= length);
    const [found] = at < 0 ? [] : this.free.splice(at, 1);
    return (found ?? Buffer.allocUnsafeSlow(Math.ceil(length / STEP) * STEP)).subarray(0, length);
  }

  /** Nobody reads or writes the body any more. */
  giveBack(body: Buffer): void {
    if (body.buffer.byteLength > LARGEST_KEPT) return;
    this.free.unshift(Buffer.from(body.buffer));
    if (this.free.length > MOST_KEPT) this.free.pop();
  }
}
