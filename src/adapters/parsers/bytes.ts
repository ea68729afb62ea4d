/** Returns a Buffer that shares the memory of the body. */
export const toBuffer = (body: Uint8Array): Buffer => Buffer.from(body.buffer, body.byteOffset, body.byteLength);
