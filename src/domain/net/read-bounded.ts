/**
 * Reads a body of a counterpart (identity provider, Tika server) up to a size: of one that is longer, `bytes` has the chunks
 * that fit, and the rest is not waited for. The time is limited by the request's signal.
 */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly truncated: boolean }> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the response.
    if (size > maxBytes) return { bytes: Buffer.concat(read), truncated: true };
    read.push(chunk);
  }
  return { bytes: Buffer.concat(read), truncated: false };
}
