import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pushDocument } from '../../../../test/support/push-orders.js';
import { BodyBuffers, encodeDocuments } from './multipart.js';

/** Node's own multipart parser is the reference. */
const parsed = (body: Buffer, contentType: string): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();

// A parser turns `%22` back into a quote: which of the two a name contained cannot be told apart on the wire.
const anyName = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes('%'));

describe('a multipart body', () => {
  it('has every field of every document under its key', async () => {
    const { body, contentType } = encodeDocuments([pushDocument('http://a/'), pushDocument('http://b/')]);
    const form = await parsed(body, contentType);
    expect([...form.keys()].filter((name) => name.startsWith('PAPI_1:'))).toEqual([
      'PAPI_1:uri',
      'PAPI_1:stamp',
      'PAPI_1:meta:title',
      'PAPI_1:part_directive:master:encoding',
      'PAPI_1:part_directive:master:filename',
      'PAPI_1:part_directive:master:mimeHint',
      'PAPI_1:part_bytes:master',
    ]);
  });

  it('carries any text and any bytes', async () => {
    const meta = fc.record({ name: anyName, value: fc.string({ unit: 'grapheme' }) });
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(meta, bytes, fc.string(), async ({ name, value }, content, mimeType) => {
        const master = { bytes: content, mimeType, fileName: 'f' };
        const { body, contentType } = encodeDocuments([
          pushDocument('http://a/', { metas: [{ name, value }], master }),
        ]);
        const form = await parsed(body, contentType);
        expect(form.get(`PAPI_0:meta:${name}`)).toBe(value);
        const file = form.get('PAPI_0:part_bytes:master') as File;
        expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array(content));
      }),
    );
  });
});

describe('buffers for bodies', () => {
  it('are as long as requested, and reused only after their release', () => {
    const buffers = new BodyBuffers();
    const first = buffers.acquire(1_000);
    const second = buffers.acquire(1_000);
    expect([first.length, second.length]).toEqual([1_000, 1_000]);
    expect(second.buffer).not.toBe(first.buffer);
    buffers.release(first);
    expect(buffers.acquire(300_000).buffer).not.toBe(first.buffer);
    const again = buffers.acquire(2_000);
    expect([again.length, again.buffer]).toEqual([2_000, first.buffer]);
  });

  it('are kept in a bounded number, and no large ones', () => {
    const buffers = new BodyBuffers();
    const large = buffers.acquire(5 << 20);
    buffers.release(large);
    expect(buffers.acquire(5 << 20).buffer).not.toBe(large.buffer);
    const taken = Array.from({ length: 10 }, () => buffers.acquire(100));
    for (const body of taken) buffers.release(body);
    const again = new Set(Array.from({ length: 10 }, () => buffers.acquire(100).buffer));
    expect(taken.filter(({ buffer }) => again.has(buffer))).toHaveLength(4);
  });
});
