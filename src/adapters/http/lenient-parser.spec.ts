import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FetchFailure } from './fetch-failure.js';
import { LenientParser } from './lenient-parser.js';

interface Read {
  status: number;
  fields: Record<string, string[]>;
  body: string;
  whole: boolean;
}

/** What the parser makes of the pieces of a response; `closed`: the connection ends after them. */
function read(pieces: readonly (string | Uint8Array)[], closed = true): Read {
  const result: Read = { status: 0, fields: {}, body: '', whole: false };
  const parser = new LenientParser(
    {
      onHeader: (status, fields) => Object.assign(result, { status, fields: { ...fields } }),
      onBody: (piece) => {
        result.body += Buffer.from(piece).toString('latin1');
      },
      onEnd: () => {
        expect(result.whole).toBe(false);
        result.whole = true;
      },
    },
    1000,
  );
  for (const piece of pieces)
    parser.push(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece));
  if (closed) parser.finish();
  return result;
}

const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'none';
  } catch (error) {
    return error instanceof FetchFailure ? error.code : String(error);
  }
};

describe('status lines', () => {
  it.each([
    ['HTTP/1.1 200 OK', 200],
    ['HTTP/1.1 404', 404],
    ['http/1.1 200 OK', 200],
    ['HTTP/1.1  200  OK', 200],
    ['HTTP/1.1\t200', 200],
    ['HTTP/1.1 0200 OK', 200],
    ['HTTP/1.1 200OK', 200],
    ['HTTP/2 200', 200],
    ['HTTP/1.99 500 x', 500],
    ['HTTP/ 200 OK', 200],
    ['HTTP 200 OK', 200],
    ['ICY 200 OK', 200],
    ['HTTP/1.1 200 \xff\x00', 200],
  ])('%j', (line, status) => expect(read([`${line}\n\n`]).status).toBe(status));

  it.each([
    '',
    ' ',
    '200 OK',
    'HTTP/1.1',
    'HTTP/1.1 OK',
    'HTTP/1.1 99',
    'HTTP/1.1 2000',
    'HTTPS/1.1 200',
    '<html>',
    '101 x',
    'HTTP/1.1 101 Switching',
  ])('%j is not one', (line) => expect(codeOf(() => read([`${line}\nA: b\n\n`]))).toBe('protocol'));
});

describe('header fields', () => {
  it('are read whatever their line ends, blanks, folding and repetition', () => {
    const text =
      'HTTP/1.1 200 OK\nA: 1\r\nB : 2\r\r\nno colon\n: no name\nC:3\n  folded\n\tagain\na: 4\nD:\n__proto__: x\n\n';
    expect(Object.entries(read([text]).fields)).toEqual([
      ['a', ['1', '4']],
      ['b', ['2']],
      ['c', ['3 folded again']],
      ['d', ['']],
      ['__proto__', ['x']],
    ]);
  });

  it('contain no line end that could be sent back', () => {
    expect(read(['HTTP/1.1 200 OK\nETag: "a\rb\0c"\n\n']).fields['etag']).toEqual(['"a b c"']);
  });

  it('after blank lines and interim responses are those of the final response', () => {
    const result = read(['\r\n\nHTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early\nA: 1\n\nHTTP/1.1 200 OK\nB: 2\n\nx']);
    expect(result).toEqual({ status: 200, fields: { b: ['2'] }, body: 'x', whole: true });
  });

  it('that are endless are refused', () => {
    expect(codeOf(() => read([`HTTP/1.1 200 OK\nA: ${'x'.repeat(1000)}`]))).toBe('header-too-large');
    expect(codeOf(() => read(Array(500).fill('HTTP/1.1 200 OK\nA: b\n')))).toBe('header-too-large');
    expect(codeOf(() => read(['\n'.repeat(2000)]))).toBe('header-too-large');
  });
});

describe('bodies', () => {
  it.each([
    ['of a length', 'Content-Length: 5', 'hello', 'hello'],
    ['of a length written twice', 'Content-Length: 5\nContent-Length: 5', 'hello', 'hello'],
    ['of a length written twice in one field', 'Content-Length: 5, 5', 'hello', 'hello'],
    ['longer than their length', 'Content-Length: 5', 'hello world', 'hello'],
    ['of no length', 'X: y', 'hello', 'hello'],
    ['of an unusable length', 'Content-Length: -5', 'hello', 'hello'],
    ['in chunks', 'Transfer-Encoding: chunked', '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n', 'hello'],
    ['in sloppy chunks', 'Transfer-Encoding: chunked', ' 2 ;a=b\nhe\n03\r\nllo\n0\n', 'hello'],
    ['in chunks beside a length', 'Content-Length: 2\nTransfer-Encoding: gzip, Chunked', '5\nhello\n0\n\n', 'hello'],
    ['in chunks followed by rubbish', 'Transfer-Encoding: chunked', '5\nhello\n0\nHTTP/1.1 500 no\n\n', 'hello'],
  ])('%s', (_, fields, sent, body) =>
    expect(read([`HTTP/1.1 200 OK\n${fields}\n\n${sent}`])).toMatchObject({ body, whole: true }),
  );

  it.each(['204 No Content', '304 Not Modified'])('of %s are empty', (status) => {
    expect(read([`HTTP/1.1 ${status}\nContent-Length: 5\n\n`])).toMatchObject({ body: '', whole: true });
  });

  it.each([
    ['shorter than their length', 'Content-Length: 6\n\nhello', 'body-truncated'],
    ['cut in a chunk', 'Transfer-Encoding: chunked\n\n6\nhello', 'body-truncated'],
    ['cut between chunks', 'Transfer-Encoding: chunked\n\n5\nhello\n', 'body-truncated'],
    ['of two lengths', 'Content-Length: 5\nContent-Length: 6\n\nhello', 'protocol'],
    ['with a chunk of no size', 'Transfer-Encoding: chunked\n\nx\nhello', 'body-undecodable'],
    ['with a chunk longer than its size', 'Transfer-Encoding: chunked\n\n4\nhello\n0\n\n', 'body-undecodable'],
    ['with an endless chunk size', `Transfer-Encoding: chunked\n\n5;${'x'.repeat(5000)}`, 'body-undecodable'],
    ['before which the header is cut', 'Content-Le', 'connection-reset'],
  ])('%s are refused', (_, rest, code) => expect(codeOf(() => read([`HTTP/1.1 200 OK\n${rest}`]))).toBe(code));
});

describe('any bytes', () => {
  const answer = fc
    .tuple(
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('Content-Length: 11', 'Transfer-Encoding: chunked', 'X: y'),
      fc.uint8Array({ minLength: 11, maxLength: 11 }),
    )
    .map(([eol, framing, body]) => {
      const chunk = framing.startsWith('T');
      const head = `HTTP/1.1 200 OK${eol}${framing}${eol}${eol}${chunk ? `b${eol}` : ''}`;
      return Buffer.concat([Buffer.from(head), body, Buffer.from(chunk ? `${eol}0${eol}${eol}` : '')]);
    });

  it('give the same result in whatever chunks they arrive', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(120), { maxLength: 8 }), (bytes, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(read(pieces)).toEqual(read([bytes]));
      }),
    );
  });

  it('end in a response or in a failure with an error code', () => {
    const line = fc.constantFrom(
      'HTTP/1.1 200 OK',
      'A: b',
      'Content-Length: 3',
      'Transfer-Encoding: chunked',
      '',
      ' x',
      '3',
      '0',
      'zz',
      '\r',
      '\0',
    );
    const text = fc.array(line, { maxLength: 12 }).map((lines) => Buffer.from(lines.join('\n')));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 300 })), (bytes) => {
        expect(codeOf(() => read([bytes]))).toMatch(
          /^(?:none|protocol|connection-reset|body-truncated|body-undecodable|header-too-large)$/,
        );
      }),
      { numRuns: 1000 },
    );
  });
});
