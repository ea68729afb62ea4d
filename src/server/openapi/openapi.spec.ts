import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { DISCOVERED_VIA } from '../../domain/crawl/url-state.js';
import { PROJECT_ROOT } from '../project-root.js';
import { describeApiAsYaml } from './describe.js';
import { ExampleBuilder } from './examples.js';

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: Answer;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Media {
  readonly example?: unknown;
  readonly examples?: unknown;
}

interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

const description = await describeApiAsYaml();
const { paths, components } = load(description) as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    responses: Record<string, Answer>;
    schemas: Record<string, { properties: Record<string, { enum?: readonly string[] }> }>;
  };
};
const resolved = (answer: Answer): Answer =>
  answer.$ref ? components.responses[answer.$ref.slice(answer.$ref.lastIndexOf('/') + 1)]! : answer;
const contentsOf = (name: string, body: Answer | undefined) =>
  Object.entries(body?.content ?? {}).map(([type, media]) => ({ name: `${name} ${type}`, media }));
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

describe('openapi.yaml', () => {
  it('matches the code (npm run openapi generates it)', () => {
    expect(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')).toBe(description);
  });

  it('describes every call, with a unique operation id', () => {
    const unexplained = operations.filter(({ operation }) => !operation.summary || !operation.description);
    expect(unexplained.map(({ name }) => name)).toEqual([]);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });

  it('has an example for every request and response', () => {
    const bodies = operations.flatMap(({ name, operation: { requestBody, responses } }) => [
      ...contentsOf(`${name} request`, requestBody),
      ...Object.entries(responses).flatMap(([status, answer]) => contentsOf(`${name} ${status}`, resolved(answer))),
    ]);
    const without = bodies.filter(({ media }) => media.example === undefined && media.examples === undefined);
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(bodies.length).toBeGreaterThan(100);
  });

  it('has an example for every property', () => {
    const builder = new ExampleBuilder(components.schemas as never);
    for (const [name, schema] of Object.entries(components.schemas))
      expect(() => builder.createExample(schema as never, name)).not.toThrow();
  });

  it('has no empty description', () => {
    expect(description).not.toMatch(/description: (?:''|"")$/m);
    const silent = operations.flatMap(({ name, operation: { parameters = [] } }) =>
      parameters.filter(({ description: text }) => !text).map((parameter) => `${name} ${parameter.name}`),
    );
    expect(silent).toEqual([]);
  });

  it('describes every failure as a problem document', () => {
    const failures = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status, answer]) => Number(status) >= 400 && !resolved(answer).content?.['application/problem+json'])
        .map(([status]) => `${name} ${status}`),
    );
    // The body of the readiness probe is the same for 503 as for 200.
    expect(failures).toEqual(['GET /health/ready 503']);
  });

  it('lists for every call that its URL may be too long, and for one with a body that it may be refused', () => {
    const silent = operations.filter(({ operation: { requestBody, responses } }) =>
      ['431', ...(requestBody ? ['413', '415'] : [])].some((status) => !responses[status]),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
    expect(operations.filter(({ operation }) => operation.requestBody).length).toBeGreaterThan(5);
  });

  it('lists every way in which a URL is discovered, and every member of a problem', () => {
    expect(components.schemas['UrlState']!.properties['discoveredVia']!.enum).toEqual([...DISCOVERED_VIA]);
    expect(Object.keys(components.schemas['Problem']!.properties)).toEqual(
      expect.arrayContaining(['errors', 'explanation', 'count', 'crawlers']),
    );
  });
});
