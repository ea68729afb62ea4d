import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pushDocument } from '../../../../test/support/push-orders.js';
import { encodeDocuments } from './multipart.js';

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
