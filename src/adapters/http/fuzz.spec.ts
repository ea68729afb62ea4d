import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { milliseconds } from '../../domain/time/units.js';

/** Responses as servers send them; the fuzzer cuts, repeats and corrupts them. */
const SAMPLES: readonly Buffer[] = [
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>hello</p>',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n',
  'HTTP/1.1 301 Moved\r\nLocation: /caf\xc3\xa9\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=next\r\n\r\nHTTP/1.1 404 Not Found\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\ngone',
  'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nKeep-Alive: timeout=5\r\n\r\n',
  'HTTP/1.0 200 OK\nServer: old\n\nuntil the end',
]
  .map((text) => Buffer.from(text, 'latin1'))
  .concat(
    Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n'),
      gzipSync('hello '.repeat(50)),
    ]),
  );

const mutation = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'repeat', 'insert', 'none'),
  at: fc.nat(400),
  length: fc.nat(40),
  bytes: fc.uint8Array({ maxLength: 8 }),
});

const answer = fc
  .tuple(fc.constantFrom(...SAMPLES), fc.array(mutation, { maxLength: 4 }))
  .map(([sample, mutations]) => mutations.reduce(mutate, sample));

function mutate(
  bytes: Buffer,
  { kind, at, length, bytes: extra }: { kind: string; at: number; length: number; bytes: Uint8Array },
): Buffer {
  const from = Math.min(at, bytes.length);
  const to = Math.min(from + length, bytes.length);
  if (kind === 'cut') return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  if (kind === 'repeat') return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  if (kind === 'insert') return Buffer.concat([bytes.subarray(0, from), extra, bytes.subarray(from)]);
  if (kind === 'flip')
    return Buffer.from(
      bytes.map((byte, index) => (index >= from && index < from + extra.length ? byte ^ extra[index - from]! : byte)),
    );
  return bytes;
}

it('whatever bytes a server sends, in whatever chunks, every fetch ends with a known outcome', async () => {
  let script: { bytes: Buffer; cut: number; end: string } = { bytes: Buffer.alloc(0), cut: 0, end: 'end' };
  const site = await testServer((socket) => {
    const { bytes, cut, end } = script;
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => {
      if (end === 'reset') socket.resetAndDestroy();
      else if (end === 'end') socket.end(bytes.subarray(cut));
      else socket.write(bytes.subarray(cut));
    });
  });
  const limits = { maxSize: 1000, headerTimeout: milliseconds(40), bodyTimeout: milliseconds(40) };
  const ends = fc.constantFrom('end', 'end', 'end', 'end', 'end', 'end', 'reset', 'stay');
  await fc.assert(
    fc.asyncProperty(answer, fc.nat(300), ends, async (bytes, cut, end) => {
      script = { bytes, cut, end };
      // A new fetcher each time: for a host remembered as lenient, the strict parser would no longer be used.
      const outcome = await testFetcher(limits).fetch({ url: site.url, fetcher: 'default' });
      if (outcome.kind === 'failure') expect(ERROR_CODES).toHaveProperty([outcome.code]);
      else {
        expect(outcome.status).toBeGreaterThanOrEqual(200);
        expect(outcome.body.length).toBeLessThanOrEqual(1000);
      }
    }),
    { numRuns: Number(process.env['CRAWLWAY_FUZZ_RUNS'] ?? 150) },
  );
});
