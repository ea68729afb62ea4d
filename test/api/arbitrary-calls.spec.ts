import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { anyText } from '../support/any-text.js';
import { ApiWorld } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly bodies: readonly string[];
}

/** Every call but the endless stream, and reconciliation, which takes its time. */
function allCalls(): Call[] {
  const { paths } = load(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, { parameters?: Parameter[]; requestBody?: { content: object } }>>;
  };
  return Object.entries(paths)
    .filter(([path]) => !path.endsWith('/events') && !path.endsWith('/reconcile'))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        bodies: Object.keys(requestBody?.content ?? {}),
      })),
    );
}

const word = fc.oneof(
  anyText(50),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e99',
    'NaN',
    'true',
    'null',
    '%',
    '%00',
    '../..',
    '%2e%2e',
    "'--",
    '\u0000',
    'http://',
    'test',
  ),
  // Nothing but this machine: a name that must be looked up would make the test wait for the network.
  fc.webPath().map((path) => `http://127.0.0.1:9${path}`),
);

const known = fc.constantFrom(
  'url',
  'like',
  'match',
  'actions',
  'element',
  'children',
  'metas',
  'name',
  'value',
  'from',
  'to',
  'xml',
);
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(known, fc.oneof(word, fc.integer(), fc.array(fc.dictionary(known, fc.oneof(word, fc.jsonValue()))))),
);
const xml = fc.oneof(
  word,
  fc.constantFrom('<a', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<Rule/>', '<CrawlConfig/>', '<a><b></a></b>'),
);

/** A call that takes longer hangs: what is asked here is small. */
const LONGEST_ANSWER_MS = 20_000;

it('no call, whatever its input, makes the server fail or hang', async () => {
  const etag = await world.etag();
  const call = fc.constantFrom(...allCalls()).chain((one) =>
    fc.record({
      method: fc.constant(one.method),
      path: fc.array(word, { minLength: 3, maxLength: 3 }).map((parts) => filled(one.path, parts)),
      query: fc.dictionary(fc.constantFrom('cursor', 'confirm', 'nonsense', ...one.query), word),
      body: one.bodies.length === 0 ? fc.constant(undefined) : body(fc.constantFrom(...one.bodies)),
    }),
  );
  await fc.assert(
    fc.asyncProperty(call, async ({ method, path, query, body: sent }) => {
      const address = `${path}?${new URLSearchParams(query)}`;
      const headers = { 'if-match': etag, ...(sent && { 'content-type': sent.type }) };
      const answer = await fetch(world.server.url + address, {
        method,
        headers,
        body: sent?.text,
        signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
      });
      const text = await answer.text();
      expect(answer.status, `${method} ${address} ${sent?.text}: ${text}`).toBeLessThan(500);
      if (answer.status >= 400)
        expect(JSON.parse(text)).toMatchObject({ status: answer.status, detail: expect.any(String) });
    }),
    { numRuns: 300, endOnFailure: true },
  );
  expect((await world.get('/health/ready')).status).toBe(200);
  expect(world.logged.filter((line) => line.startsWith('a call failed'))).toEqual([]);
});

/** Some parameters of the path are right, so that what lies behind them is reached too. */
function filled(path: string, parts: string[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = parts.pop()!;
    if (name === 'crawler' && part.length % 3 !== 0) return 'test';
    if (name === 'index' && part.length % 2 !== 0) return '0';
    return encodeURIComponent(part.toWellFormed()) || '-';
  });
}

function body(types: fc.Arbitrary<string>) {
  return types.chain((type) =>
    (type === 'application/json'
      ? json.map((value) => JSON.stringify(value))
      : type === 'application/xml'
        ? xml
        : word
    ).map((text) => ({ type, text: text.toWellFormed() })),
  );
}
