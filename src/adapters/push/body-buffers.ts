const SIZE_STEP = 256 * 1024;
const MAX_FREE_BUFFERS = 4;
/** In bytes. Larger bodies are rare, and their memory is returned to the system. */
const MAX_FREE_BUFFER_BYTES = 4 * 1024 * 1024;

/**
 * Reusable memory for request bodies. If it were allocated for each request, only a full garbage collection would free
 * it, and in a crawl at full speed, one in three such collections would be caused by these allocations.
 */
export class BodyBuffers {
  private freeBuffers: Buffer[] = [];

  /** The buffer's initial contents are undefined. */
  acquire(length: number): Buffer {
    const index = this.freeBuffers.findIndex((buffer) => buffer.length >= length);
    const [found] = index < 0 ? [] : this.freeBuffers.splice(index, 1);
    return (found ?? Buffer.allocUnsafeSlow(Math.ceil(length / SIZE_STEP) * SIZE_STEP)).subarray(0, length);
  }

  /** Must be called only when nothing reads or writes the body any longer. */
  release(body: Buffer): void {
    if (body.buffer.byteLength > MAX_FREE_BUFFER_BYTES) return;
    this.freeBuffers.unshift(Buffer.from(body.buffer));
    if (this.freeBuffers.length > MAX_FREE_BUFFERS) this.freeBuffers.pop();
  }
}
