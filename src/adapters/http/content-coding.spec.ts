import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { get, inShort, testServer } from '../../../test/support/fetch-harness.js';
import { milliseconds } from '../../domain/time/units.js';
import { decodeBody, decodePrefix } from './content-coding.js';
import { FetchFailure } from './fetch-failure.js';

const CODINGS: [string, (input: Uint8Array) => Buffer][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', (input) => brotliCompressSync(input, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ['zstd', (input) => zstdCompressSync(input)],
];
const LIMIT = 100_000;
const BOMB = Buffer.alloc(8_000_000);

const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'none';
  } catch (error) {
    return error instanceof FetchFailure ? error.code : String(error);
  }
};

describe.each(CODINGS)('%s', (name, encode) => {
  it('is decoded, whatever was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (input) => {
        expect(Buffer.from(decodeBody(encode(input), name, LIMIT))).toEqual(Buffer.from(input));
      }),
      { numRuns: 20 },
    );
  });

  it('is decoded up to exactly the limit', () => {
    const input = Buffer.alloc(LIMIT, 'x');
    expect(decodeBody(encode(input), name, LIMIT)).toHaveLength(LIMIT);
    expect(codeOf(() => decodeBody(encode(Buffer.alloc(LIMIT + 1, 'x')), name, LIMIT))).toBe('body-too-large');
  });

  it('does not let a small body expand beyond the limit', () => {
    const bomb = encode(BOMB);
    expect(bomb.length).toBeLessThan(LIMIT);
    expect(codeOf(() => decodeBody(bomb, name, LIMIT))).toBe('body-too-large');
  });

  it('truncated is never taken for complete', () => {
    const encoded = encode(Buffer.from('hello '.repeat(1000)));
    for (const end of [1, 5, encoded.length >> 1, encoded.length - 1]) {
      expect(codeOf(() => decodeBody(encoded.subarray(0, end), name, LIMIT))).toMatch(
        /^body-(?:truncated|undecodable)$/,
      );
    }
  });

  it('of random bytes fails with its error code only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (input) => {
        expect(codeOf(() => decodeBody(input, name, LIMIT))).toMatch(
          /^(?:none|body-(?:truncated|undecodable|too-large))$/,
        );
      }),
    );
  });

  it('returns the beginning of a truncated or oversized body where that is enough', async () => {
    // A megabyte, because zstd decodes only whole blocks of 128 KB.
    const text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');
    const head = Buffer.from(await decodePrefix(encode(Buffer.from(text)), name, 5000)).toString();
    expect(head).toBe(text.slice(0, 5000));
    const encoded = encode(Buffer.from(text));
    const cut = Buffer.from(await decodePrefix(encoded.subarray(0, encoded.length >> 1), name, LIMIT)).toString();
    expect(cut).not.toBe('');
    expect(text.startsWith(cut)).toBe(true);
    expect(await decodePrefix(encode(BOMB), name, LIMIT)).toHaveLength(LIMIT);
  });
});

describe('content encodings', () => {
  const hello = Buffer.from('hello');

  it('may be stacked, up to three', () => {
    const twice = brotliCompressSync(gzipSync(hello));
    expect(Buffer.from(decodeBody(twice, 'gzip, br', LIMIT)).toString()).toBe('hello');
    const thrice = zstdCompressSync(twice);
    expect(Buffer.from(decodeBody(thrice, 'GZIP,BR , Zstd', LIMIT)).toString()).toBe('hello');
    expect(codeOf(() => decodeBody(gzipSync(thrice), 'gzip, br, zstd, gzip', LIMIT))).toBe('body-undecodable');
    expect(codeOf(() => decodeBody(hello, Array(10_000).fill('gzip').join(), LIMIT))).toBe('body-undecodable');
  });

  it('are bounded at every stage when stacked', () => {
    expect(codeOf(() => decodeBody(gzipSync(gzipSync(BOMB)), 'gzip, gzip', LIMIT))).toBe('body-too-large');
  });

  it.each(['', 'identity', 'none', 'UTF-8', 'identity, identity', 'ISO-8859-1', 'binary', 'aws-chunked', 'text/html'])(
    'that mean no encoding: %j',
    (name) => {
      expect(decodeBody(hello, name, LIMIT)).toEqual(hello);
    },
  );

  it.each(['compress', 'x', 'gzip2', 'gzip;q=1'])('that are unknown: %j', (name) => {
    expect(codeOf(() => decodeBody(hello, name, LIMIT))).toBe('body-undecodable');
  });

  it('may be several zstd frames, skippable ones between them', () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const frames = [zstdCompressSync(hello), skippable, zstdCompressSync(Buffer.from(' world'))];
    expect(Buffer.from(decodeBody(Buffer.concat(frames), 'zstd', LIMIT)).toString()).toBe('hello world');
    expect(codeOf(() => decodeBody(Buffer.concat(frames), 'zstd', 5))).toBe('body-too-large');
    const oneMore = Buffer.concat([frames[0]!, zstdCompressSync(Buffer.from('!'))]);
    expect(codeOf(() => decodeBody(oneMore, 'zstd', 5))).toBe('body-too-large');
    const checked = zstdCompressSync(hello, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    expect(Buffer.from(decodeBody(Buffer.concat([checked, checked]), 'zstd', LIMIT)).toString()).toBe('hellohello');
    expect(codeOf(() => decodeBody(Buffer.concat([...frames, hello]), 'zstd', LIMIT))).toBe('body-undecodable');
    expect(codeOf(() => decodeBody(Buffer.concat(Array(1001).fill(frames[0])), 'zstd', LIMIT))).toBe(
      'body-undecodable',
    );
  });

  it('may be several gzip members', () => {
    const members = [gzipSync(hello), gzipSync(' world')];
    expect(Buffer.from(decodeBody(Buffer.concat(members), 'gzip', LIMIT)).toString()).toBe('hello world');
  });

  it.each(['\r\n', '<!-- cached -->'])('may be followed by what is not gzip: %j', (more) => {
    const members = Buffer.concat([gzipSync(hello), gzipSync(' world'), Buffer.from(more, 'latin1')]);
    expect(Buffer.from(decodeBody(members, 'gzip', LIMIT)).toString()).toBe('hello world');
    expect(codeOf(() => decodeBody(Buffer.concat([members, members]), 'gzip', LIMIT))).toBe('none');
    expect(codeOf(() => decodeBody(Buffer.concat([gzipSync(BOMB), Buffer.from(more)]), 'gzip', LIMIT))).toBe(
      'body-too-large',
    );
    const broken = Buffer.from(members);
    broken[members.length - more.length - 5]! ^= 1;
    expect(codeOf(() => decodeBody(broken, 'gzip', LIMIT))).toBe('body-undecodable');
  });

  it('are decoded no further than the wanted beginning', async () => {
    const gigabyte = Buffer.concat(Array(125).fill(gzipSync(BOMB)));
    const before = process.memoryUsage.rss();
    expect(await decodePrefix(gigabyte, 'gzip', LIMIT)).toHaveLength(LIMIT);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
  });

  it('of an empty body give an empty body', () => {
    expect(decodeBody(new Uint8Array(0), 'gzip', LIMIT)).toHaveLength(0);
  });
});

describe('an encoded response', () => {
  const serve = (status: string, encoding: string, body: Buffer) =>
    testServer((socket) => {
      socket.write(`HTTP/1.1 ${status}\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });

  it('is decoded, and its size on the wire is reported', async () => {
    const body = gzipSync('hello '.repeat(1000));
    const site = await serve('200 OK', 'gzip', body);
    const outcome = await get(site.url);
    expect(outcome).toMatchObject({ kind: 'response', transferred: body.length });
    expect(inShort(outcome)).toBe(`200 ${'hello '.repeat(1000).trim()}`);
  });

  it.each(CODINGS)('that is a bomb of %s fails', async (name, encode) => {
    const site = await serve('200 OK', name, encode(BOMB));
    expect(inShort(await get(site.url))).toBe('failure body-too-large');
  });

  it.each([
    ['is broken', gzipSync('hello').subarray(5), 'body-undecodable'],
    ['ends early', gzipSync('hello').subarray(0, 15), 'body-truncated'],
    ['is neither encoded nor text', Buffer.from('hello\x00\x01'), 'body-undecodable'],
  ])('that %s fails', async (_, body, code) => {
    const site = await serve('200 OK', 'gzip', body);
    expect(inShort(await get(site.url))).toBe(`failure ${code}`);
  });

  it.each(CODINGS)('that announces %s but is plain text is taken as it is', async (name) => {
    const page = '<!doctype html><p>Grüße, 你好</p>';
    const { url } = await serve('200 OK', name, Buffer.from(page));
    expect(await get(url)).toMatchObject({ kind: 'response', body: Buffer.from(page) });
  });

  it.each(['deflate', 'br', 'zstd'])('that announces %s but is gzip is decoded', async (name) => {
    const page = '<!doctype html><p>Grüße, 你好</p>';
    const { url } = await serve('200 OK', name, gzipSync(page));
    expect(await get(url)).toMatchObject({ kind: 'response', body: Buffer.from(page) });
    expect(inShort(await get((await serve('200 OK', name, gzipSync(page).subarray(0, -4))).url))).toMatch(/^failure/);
  });

  it('that announces gzip but is a plain document is taken as it is', async () => {
    const pdf = Buffer.from('%PDF-1.4\n\x00\x01');
    expect(await get((await serve('200 OK', 'gzip', pdf)).url)).toMatchObject({ kind: 'response', body: pdf });
  });

  it('that is an error page is decoded as far as it goes, and never fails for its body', async () => {
    const site = await serve('404 Not Found', 'gzip', gzipSync('gone'));
    expect(inShort(await get(site.url))).toBe('404 gone');
    const plain = await serve('404 Not Found', 'gzip', Buffer.from('gone'));
    expect(inShort(await get(plain.url))).toBe('404 gone');
    const broken = await serve('404 Not Found', 'gzip', gzipSync('gone').subarray(3));
    expect(inShort(await get(broken.url))).toBe('404');
    const unknown = await serve('404 Not Found', 'x-unknown', Buffer.from('gone'));
    expect(inShort(await get(unknown.url))).toBe('404');
    const bomb = await serve('500 Oops', 'gzip', gzipSync(BOMB));
    expect(await get(bomb.url)).toMatchObject({ kind: 'response', status: 500, body: { length: 65_536 } });
  });

  it('that is too large is truncated if the caller wants it, plain or encoded', async () => {
    for (const [name, encode] of [['identity', (input: Buffer) => input], ...CODINGS] as typeof CODINGS) {
      const site = await serve('200 OK', name, encode(Buffer.alloc(2_000_000, 'x')));
      expect(await get(site.url, { truncate: true, maxSize: 1000 })).toMatchObject({
        status: 200,
        body: { length: 1000 },
      });
    }
  });
});

describe('Transfer-Encoding', () => {
  const page = Buffer.from('<p>a page</p>');
  const answering = async (header: string, body: Buffer): Promise<string> => {
    const { url } = await testServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n${header}\r\n\r\n`);
      socket.end(body);
    });
    return inShort(await get(url));
  };
  const chunk = (body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

  it.each([
    ['gzip', 'transfer-encoding: gzip', gzipSync(page)],
    ['deflate', 'transfer-encoding: deflate', deflateSync(page)],
    ['gzip in chunks', 'transfer-encoding: gzip, chunked', chunk(gzipSync(page))],
    ['around a content coding', 'content-encoding: gzip\r\ntransfer-encoding: deflate', deflateSync(gzipSync(page))],
  ])('%s is decoded', async (_, header, body) => expect(await answering(header, body)).toBe('200 <p>a page</p>'));

  it('of an unknown coding is refused', async () =>
    expect(await answering('transfer-encoding: lzma', page)).toBe('failure body-undecodable'));
});

describe('A response that does not end as announced', () => {
  const page = '<p>a page</p>'.repeat(100);
  const serveRaw = async (fields: string, body: Buffer, keepOpen = false, maxSize?: number): Promise<string> => {
    const { url } = await testServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n${fields}\r\n\r\n`);
      socket.write(body);
      if (!keepOpen) socket.end();
    });
    return inShort(await get(url, { maxSize, ...(keepOpen ? { readTimeout: milliseconds(300) } : {}) }));
  };
  const openChunk = (body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
  const tooLong = `content-length: ${page.length}`;
  const gzipped = gzipSync(page);
  const wrongCrc = Buffer.from(gzipped);
  wrongCrc.writeUInt32LE(1, wrongCrc.length - 8);
  const wrongLength = Buffer.from(gzipped);
  wrongLength.writeUInt32LE(1, wrongLength.length - 4);

  it.each([
    ['gzip with the length of the page', `content-encoding: gzip\r\n${tooLong}`, gzipped],
    ['x-gzip with the length of the page', `content-encoding: x-gzip\r\n${tooLong}`, gzipped],
    ['br with the length of the page', `content-encoding: br\r\n${tooLong}`, brotliCompressSync(page)],
    ['deflate with the length of the page', `content-encoding: deflate\r\n${tooLong}`, deflateSync(page)],
    ['gzip without the last chunk', 'content-encoding: gzip\r\ntransfer-encoding: chunked', openChunk(gzipped)],
  ])('is taken if its body proves that it is whole: %s', async (_, fields, body) =>
    expect(await serveRaw(fields, body)).toBe(`200 ${page}`),
  );

  it('is taken after the time limit if its body proves that it is whole', async () =>
    expect(await serveRaw(`content-encoding: gzip\r\n${tooLong}`, gzipped, true)).toBe(`200 ${page}`));

  it('is too large if its body is, although it is whole, and the page is not', async () =>
    expect(await serveRaw('content-encoding: gzip', gzipSync(page, { level: 0 }), false, page.length)).toBe(
      'failure body-too-large',
    ));

  it.each([
    ['is plain text', tooLong, Buffer.from('<p>a page</p>')],
    ['lacks a byte of its gzip trailer', `content-encoding: gzip\r\n${tooLong}`, gzipped.subarray(0, -1)],
    ['has a wrong gzip checksum', `content-encoding: gzip\r\n${tooLong}`, wrongCrc],
    ['has a wrong gzip length', `content-encoding: gzip\r\n${tooLong}`, wrongLength],
    [
      'is gzip of two members, of which one more may follow',
      `content-encoding: gzip\r\n${tooLong}`,
      Buffer.concat([gzipped, gzipSync('<p>more</p>')]),
    ],
    ['is br cut short', `content-encoding: br\r\n${tooLong}`, brotliCompressSync(page).subarray(0, -1)],
    ['is encoded twice', `content-encoding: gzip, gzip\r\ncontent-length: ${2 * page.length}`, gzipSync(gzipped)],
  ])('fails if its body %s', async (_, fields, body) =>
    expect(await serveRaw(fields, body)).toBe('failure body-truncated'),
  );
});
