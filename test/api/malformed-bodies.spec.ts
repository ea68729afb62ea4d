import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { ApiWorld, type Problem } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly nullable?: boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Call {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const { paths, components } = load(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')) as {
  paths: Record<string, Record<string, Call>>;
  components: { schemas: Record<string, Schema> };
};

const nameOf = ({ $ref, allOf }: Schema): string | undefined => ($ref ?? allOf?.[0]?.$ref)?.split('/').at(-1);

/** Every field of a body, also of objects in its lists, as a body in which it is null, with the pointer to it. */
function nullFields(schema: Schema, seen: readonly string[] = []): { body: object; pointer: string }[] {
  const name = nameOf(schema);
  if (name !== undefined) {
    return seen.includes(name) ? [] : nullFields(components.schemas[name]!, [...seen, name]);
  }
  if (schema.oneOf) return schema.oneOf.flatMap((one) => nullFields(one, seen));
  return Object.entries(schema.properties ?? {}).flatMap(([field, type]) => [
    ...(type.nullable ? [] : [{ body: { [field]: null }, pointer: `/${field}` }]),
    ...nullFields(type.items ?? {}, seen).map(({ body, pointer }) => ({
      body: { [field]: [body] },
      pointer: `/${field}/0${pointer}`,
    })),
  ]);
}

/** With any value for what the query must have. */
function queryOf(parameters: NonNullable<Call['parameters']>): string {
  const names = parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${name}=x`);
  return names.length === 0 ? '' : `?${names.join('&')}`;
}

/** Calls that protocols of others define answer as those do. */
const own = Object.entries(paths).filter(([path]) => path.startsWith('/api/'));

const cases = own.flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { parameters = [], requestBody }]) =>
    nullFields(requestBody?.content['application/json']?.schema ?? {}).map((field) => ({
      ...field,
      method: method.toUpperCase(),
      path: path.replace('{crawler}', 'test').replace('{index}', '0') + queryOf(parameters),
    })),
  ),
);

const withoutBody = own.flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method, { requestBody }]) => /^(?:post|put|delete)$/.test(method) && !requestBody)
    .map(([method]) => [method.toUpperCase(), path.replace('{crawler}', 'test').replaceAll(/\{\w+\}/g, '1')] as const),
);

const errorsAt = (problem: Problem): (string | undefined)[] => (problem.errors ?? []).map(({ pointer }) => pointer);
const rules = 'config/crawlers/test/rules';
const path = { element: 'Path', value: '/q' };
const ignore = { element: 'Ignore' };

describe('a body', () => {
  it('with null in any field is refused with the name of the field', async () => {
    expect(cases.length).toBeGreaterThan(40);
    const etag = await world.etag();
    for (const { method, path, body, pointer } of cases) {
      const answer = await world.send<Problem>(method, path, body, { 'if-match': etag });
      expect([answer.status, ...errorsAt(answer.body)], `${method} ${path} ${JSON.stringify(body)}`).toEqual(
        expect.arrayContaining([400, pointer]),
      );
    }
    expect(await world.etag()).toBe(etag);
  });

  it('that the call does not read is refused, with the name of its field', async () => {
    expect(withoutBody.length).toBeGreaterThan(10);
    for (const [method, path] of withoutBody) {
      const answer = await world.send<Problem>(method, path, { until: '2h' });
      expect([answer.status, errorsAt(answer.body)], `${method} ${path}`).toEqual([400, ['/until']]);
    }
  });

  it('that is null, a list or a number is refused', async () => {
    const headers = { 'if-match': await world.etag(), 'content-type': 'application/json' };
    for (const [method, address] of [
      ['POST', 'crawlers/test/refresh'],
      ['POST', 'crawlers/test/roots'],
      ['POST', rules],
      ['PUT', 'config/crawlers/test/weights'],
      ['PUT', 'config'],
    ] as const) {
      for (const text of ['null', '[]', '[{}]', '5']) {
        const { status } = await world.send(method, address, text, headers);
        expect(status, `${method} ${address} ${text}`).toBe(400);
      }
    }
  });

  it('with a list instead of an object is refused with the name of the field', async () => {
    const headers = { 'if-match': await world.etag() };
    for (const [address, body, pointer] of [
      [rules, { match: [[]], actions: [[]] }, '/match'],
      [rules, { match: [path], actions: [[ignore]] }, '/actions'],
      [rules, { match: [{ element: 'And', children: [[path]] }], actions: [ignore] }, '/match/0/children'],
      ['crawlers/test/roots', { url: world.site.url('/metas.html'), metas: [[]] }, '/metas'],
    ] as const) {
      const answer = await world.send<Problem>('POST', address, body, headers);
      expect(answer.status).toBe(400);
      expect(errorsAt(answer.body)).toContain(pointer);
    }
  });

  it('without a configuration or rule files is refused', async () => {
    const etag = await world.etag();
    for (const [method, address] of [
      ['POST', 'config/check'],
      ['POST', 'config/preview'],
      ['PUT', 'config'],
    ] as const) {
      const { status, body } = await world.send<Problem>(method, address, {}, { 'if-match': etag });
      expect([status, body.detail], address).toEqual([400, expect.stringContaining('neither xml nor files')]);
    }
    expect(await world.etag()).toBe(etag);
  });

  it('with a field __proto__ is refused', async () => {
    const text = '{"xml": "<CrawlConfig/>", "__proto__": {"files": {}}}';
    const { status, body } = await world.send<Problem>('POST', 'config/check', text, {
      'content-type': 'application/json',
    });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('__proto__')]);
  });

  it('that is nested too deeply is refused before anything walks it; brackets of a text do not count', async () => {
    const send = (text: string) =>
      world.send<Problem>('POST', 'config/check', `{"files": ${text}}`, { 'content-type': 'application/json' });
    const { status, body } = await send('['.repeat(32) + ']'.repeat(32));
    expect([status, body.detail]).toEqual([400, 'The body is nested deeper than 32 levels.']);
    for (const text of ['['.repeat(31) + ']'.repeat(31), `"\\"${'['.repeat(40)}"`])
      expect((await send(text)).body.detail).not.toContain('nested');
  });

  it('with a rule file whose text is not a string is refused with the name of the file', async () => {
    const { status, body } = await world.send<Problem>('POST', 'config/check', { files: { 'a/b~c.rules': null } });
    expect(status).toBe(400);
    expect(errorsAt(body)).toEqual(['/files/a~1b~0c.rules']);
  });
});

it('a missing or unknown field and an unknown call are reported once, in plain words', async () => {
  const wrong = await world.send<Problem>('POST', 'crawlers/test/roots', { ulr: 'x' });
  expect(wrong.body.errors).toEqual([
    { pointer: '/ulr', detail: 'the call has no field ulr' },
    { pointer: '/url', detail: 'url is missing' },
  ]);
  const nothing = await world.get<Problem>('nothing');
  expect(nothing.body.detail).toBe('There is no endpoint GET /api/v1/nothing; see /docs for all endpoints.');
});
