const STEP = 256 * 1024;
const MOST_KEPT = 4;
/** In bytes. Larger bodies are rare, and their memory is returned to the system. */
const LARGEST_KEPT = 4 * 1024 * 1024;

/**
 * Reusable memory for request bodies. If it were allocated for each request, only a full garbage collection would free
 * it, and the allocations would trigger every third such collection in a crawl at full speed.
 */
export class BodyBuffers {
  private free: Buffer[] = [];

  /** The buffer's initial contents are undefined. */
  acquire(length: number): Buffer {
    const at = this.free.findIndex((buffer) => buffer.length >= length);
    const [found] = at < 0 ? [] : this.free.splice(at, 1);
    return (found ?? Buffer.allocUnsafeSlow(Math.ceil(length / STEP) * STEP)).subarray(0, length);
  }

  /** To be called when no one reads or writes the body any longer. */
  release(body: Buffer): void {
    if (body.buffer.byteLength > LARGEST_KEPT) return;
    this.free.unshift(Buffer.from(body.buffer));
    if (this.free.length > MOST_KEPT) this.free.pop();
  }
}
