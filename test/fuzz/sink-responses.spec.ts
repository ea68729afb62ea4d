/** Whatever a sink answers: its orders are acknowledged, refused in a few words, or tried again; a listing ends. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parseJson } from '../../src/adapters/push/answers.js';
import { createSink } from '../../src/adapters/push/create-sink.js';
import { milliseconds } from '../../src/domain/time/units.js';
import { type Sink, SinkUnavailable } from '../../src/engine/ports/sink.js';
import { anyText } from '../support/any-text.js';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../support/push-orders.js';

const LONGEST_MESSAGE = 2_000;
const MOST_ENTRIES = 20_000;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string;
}

let script: readonly Answer[] = [];
let asked = 0;
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const { status, body, retryAfter } = script[asked++ % script.length]!;
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const word = fc.oneof(anyText(12), fc.constant('x'.repeat(3_000)));
const anything = fc.jsonValue({ maxDepth: 3 });
/** A value of the expected form, or once in a while any other. */
const mostly = <T>(expected: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: expected }, { weight: 1, arbitrary: anything });

const status = fc.constantFrom(200, 200, 201, 400, 404, 409, 413, 429, 500, 503);
const failure = fc.record({ type: mostly(word), reason: mostly(word) }, { requiredKeys: [] });
const item = fc.record({ status: mostly(status), error: mostly(failure) }, { requiredKeys: [] });
const items = fc.array(mostly(fc.dictionary(fc.constantFrom('index', 'delete', 'x'), mostly(item), { maxKeys: 2 })), {
  minLength: 2,
  maxLength: 3,
});
const hit = fc.record({
  _source: mostly(fc.record({ uri: mostly(word), stamp: mostly(word) }, { requiredKeys: [] })),
  sort: anything,
});
const document = fc.record({ id: mostly(word), stamp_s: mostly(word) }, { requiredKeys: [] });
const documents = mostly(fc.array(mostly(document), { maxLength: 4 }));

const json = fc.oneof(
  fc.record({ items: mostly(items) }),
  fc.record({ id: mostly(word), pit_id: mostly(word) }),
  fc.record({ hits: mostly(fc.record({ hits: mostly(fc.array(mostly(hit), { maxLength: 4 })) })), pit_id: anything }),
  fc
    .tuple(hit, fc.constantFrom(999, 1_000, 1_001))
    .map(([one, count]) => ({ hits: { hits: Array.from({ length: count }, () => one) } })),
  fc.record({ response: mostly(fc.record({ docs: documents })), nextCursorMark: mostly(word) }),
  fc.record({ error: mostly(fc.record({ msg: mostly(word) })) }),
  anything,
);
const line = fc.oneof(fc.constantFrom('http%3A%2F%2Fa%2F s1', '%zz s', 'a  ', ' x', 'a\\n b\\'), word);
const body = fc.oneof(
  json.map((value) => JSON.stringify(value) ?? ''),
  fc.constantFrom('17', '-3', ' 5 \n', '<error>no</error>', '<'.repeat(5_000), ''),
  fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n')),
);
const retryAfter = fc.constantFrom('1', '-1', '1e99', 'Thu, 01 Jan 1970 00:00:00 GMT', '99999999999999999999', 'x');
const answer: fc.Arbitrary<Answer> = fc.record(
  { status: fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, { weight: 1, arbitrary: status }), body, retryAfter },
  { requiredKeys: ['status', 'body'] },
);

async function outcome(action: () => Promise<void>): Promise<void> {
  asked = 0;
  try {
    await action();
  } catch (error) {
    expect(error, `${(error as Error).stack}\n${JSON.stringify(script).slice(0, 2_000)}`).toBeInstanceOf(
      SinkUnavailable,
    );
    const { message, retryAfterMs } = error as SinkUnavailable;
    expect(message.length).toBeLessThanOrEqual(LONGEST_MESSAGE);
    expect(retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
  }
}

async function delivered(sink: Sink): Promise<void> {
  const batch = [addOrder('http://a/'), deleteOrder('http://b/')];
  const answers = await sink.deliver(batch, stillWanted());
  expect(answers).toHaveLength(batch.length);
  for (const one of answers) {
    expect(['acknowledged', 'refused']).toContain(one.state);
    if (one.state === 'refused') expect(one.message.length).toBeLessThanOrEqual(LONGEST_MESSAGE);
  }
}

async function listed(sink: Sink): Promise<void> {
  let entries = 0;
  for await (const { uri, stamp } of sink.listEntries?.(stillWanted()) ?? []) {
    expect([typeof uri, typeof stamp]).toEqual(['string', 'string']);
    if (++entries > MOST_ENTRIES) throw new Error('the listing does not end');
  }
}

/** To whatever a sink is asked that may be on several indexes. */
async function answerOf(body: string, options = {}): Promise<string> {
  script = [{ status: 200, body }];
  const sink = createSink(
    sinkDefinition({ type: 'elasticsearch', url, options: { index: 'pages', ...options } as never }),
  );
  onTestFinished(() => sink.close());
  return JSON.stringify([
    await sink.checkSchema!(stillWanted()).catch(String),
    await sink.identify!(stillWanted()).catch(String),
    await sink.deliver([deleteOrder('http://b/')], stillWanted()).catch(String),
  ]);
}

const members = (length: number, member: (i: number) => string): string =>
  `{${Array.from({ length }, (_, i) => member(i)).join()}}`;

it.each([
  [
    'of a long name',
    JSON.stringify({ ['i'.repeat(100_000)]: { mappings: { properties: { uri: { type: 'long' } } } } }),
  ],
  ['with a long id', JSON.stringify({ i: { settings: { index: { uuid: 'u'.repeat(100_000) } }, mappings: {} } })],
  ['with many ids', members(100_000, (i) => `"i${i}":{"settings":{"index":{"uuid":"${i}"}}}`)],
])('an index %s is told in a few words', async (_, body) => {
  expect((await answerOf(body)).length).toBeLessThanOrEqual(3 * LONGEST_MESSAGE);
});

it('an alias on more indexes than there can be is not written to', async () => {
  const answer = await answerOf(
    members(101, (i) => `"i${i}":{"mappings":{}}`),
    { alias: 'web' },
  );
  expect(answer).toContain('the alias web is on more than 100 indexes');
});

it('of JSON with millions of values, none is taken apart', () => {
  const inStrings = JSON.stringify([',[{'.repeat(1_000_000), '"\\'.repeat(10)]);
  expect(parseJson(inStrings)).toEqual(JSON.parse(inStrings));
  expect(parseJson(`[${'0,'.repeat(999_000)}0]`)).toHaveLength(999_001);
  for (const text of [`[${'[],'.repeat(1_000_000)}0]`, '['.repeat(1_100_000), `{"a":${'{"":'.repeat(1_100_000)}`])
    expect(() => parseJson(text)).toThrow('more than 1000000 values');
});

it.each(['papi', 'json', 'elasticsearch', 'opensearch', 'solr'] as const)(
  '%s: orders and listings end with a known result, whatever the response',
  async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), async (answers) => {
        script = answers;
        const sink = createSink(sinkDefinition({ type, url, timeout: milliseconds(5_000) }));
        await outcome(() => delivered(sink));
        await outcome(() => listed(sink));
        if (sink.probe) await outcome(() => sink.probe!(stillWanted()));
        await sink.close();
      }),
      { numRuns: 30, seed: 20_261_122 },
    );
  },
);
