import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Form, type FormLimits, readForm } from './form.js';

const ROOMY: FormLimits = { body: 100_000, file: 10_000, field: 1_000, parts: 10 };

/** Reads one body that was actually sent over a socket; rejects with the refusal's message. */
async function read(body: FormData | URLSearchParams | string, limits: Partial<FormLimits> = {}): Promise<Form> {
  const outcome = Promise.withResolvers<Form>();
  const server = createServer((request, response) => {
    void readForm(request, { ...ROOMY, ...limits })
      .then(outcome.resolve, outcome.reject)
      .finally(() => {
        request.resume();
        response.end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const [form] = await Promise.all([
    outcome.promise,
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', body }),
  ]);
  return form;
}

function formData(...fields: [string, string | Blob][]): FormData {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
}

const text = (length: number) => 'x'.repeat(length);
const file = (length: number) => new Blob([text(length)], { type: 'text/html' });

describe('reading a form', () => {
  it('gives fields and parts of bytes in the order sent', async () => {
    const form = await read(
      formData(['PAPI_1:uri', 'é'], ['PAPI_1:part_bytes:master', file(10)], ['PAPI_1:meta:a', '']),
    );
    expect(form.fields).toEqual([
      { name: 'PAPI_1:uri', value: 'é' },
      { name: 'PAPI_1:meta:a', value: '' },
    ]);
    expect(form.files).toMatchObject([
      { name: 'PAPI_1:part_bytes:master', mimeType: 'text/html', bytes: Buffer.from(text(10)) },
    ]);
  });

  it('reads urlencoded bodies as well', async () => {
    const { fields } = await read(new URLSearchParams({ PAPI_uri: 'http://a/é?b=c&d' }));
    expect(fields).toEqual([{ name: 'PAPI_uri', value: 'http://a/é?b=c&d' }]);
  });

  it('takes what is as large as its limits', async () => {
    const form = await read(formData(['PAPI_1:meta:a', text(1_000)], ['PAPI_1:part_bytes:master', file(10_000)]));
    expect([form.fields[0]?.value.length, form.files[0]?.bytes.length]).toEqual([1_000, 10_000]);
  });

  it.each([
    ['a field', formData(['PAPI_1:meta:a', text(1_001)]), {}, 'field PAPI_1:meta:a is larger than 1000 bytes'],
    [
      'a part',
      formData(['PAPI_1:part_bytes:master', file(10_001)]),
      {},
      'part PAPI_1:part_bytes:master is larger than 10000',
    ],
    ['the body', formData(['PAPI_1:meta:a', text(600)]), { body: 500 }, 'the request is larger than 500 bytes'],
    [
      'the number of parts',
      formData(...Array.from({ length: 11 }, (): [string, string] => ['a', 'b'])),
      {},
      'more than 10 parts',
    ],
    ['the number of fields', new URLSearchParams('a=b&'.repeat(11)), {}, 'more than 10 fields'],
  ])('refuses %s beyond its limit', async (_, body, limits, message) => {
    await expect(read(body, limits)).rejects.toThrow(message);
  });

  it('refuses a body of another type', async () => {
    await expect(read('plain')).rejects.toThrow(/must be multipart\/form-data/);
  });
});
