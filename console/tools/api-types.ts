/**
 * Makes client/schema.ts from openapi.yaml: one interface a schema, and one entry a call with what it takes and
 * what it answers. `npm run openapi` runs it; test/console/api-types.spec.ts fails when the two differ.
 *
 * Ours because the known generators build on the compiler's own API, which TypeScript 7 does not have.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Call {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const ROOT = join(import.meta.dirname, '..', '..');
const TARGET = join(ROOT, 'client', 'schema.ts');
const HEADER = `// Made from openapi.yaml by \`npm run openapi\`; do not edit.

export type Nothing = Readonly<Record<never, never>>;
`;

/** Schemas are named after what they describe; components of the console have the same names. */
const interfaceOf = (schema: string): string => `${schema}Dto`;

/** The text of schema.ts. */
function apiTypes(yaml: string): string {
  const { paths, components } = load(yaml) as Description;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export interface ${interfaceOf(name)} ${typeOf(schema)}\n`,
  );
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => callType(`${method.toUpperCase()} ${path}`, call)),
  );
  return `${HEADER}\n${schemas.join('\n')}\nexport interface Calls {\n${calls.join('')}}\n`;
}

function callType(name: string, call: Call): string {
  const of = (place: Parameter['in']): string =>
    parametersType((call.parameters ?? []).filter((one) => one.in === place));
  const answer = Object.entries(call.responses).find(([status]) => status.startsWith('2'))?.[1];
  return `  '${name}': {
    path: ${of('path')};
    query: ${of('query')};
    body: ${contentType(call.requestBody?.content)};
    answer: ${contentType(answer?.content)};
  };\n`;
}

const parametersType = (parameters: readonly Parameter[]): string =>
  parameters.length === 0
    ? 'Nothing'
    : `{ ${parameters.map((one) => `${key(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`).join('; ')} }`;

function contentType(content: Content | undefined): string {
  const kinds = new Set(Object.values(content ?? {}).map(({ schema }) => (schema ? typeOf(schema) : 'unknown')));
  return kinds.size === 0 ? 'undefined' : [...kinds].join(' | ');
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return interfaceOf(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  if (typeof schema.type === 'object') return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'array':
      return `readonly ${wrapped(typeOf(schema.items ?? {}))}[]`;
    case 'object':
      return objectType(schema);
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

const wrapped = (type: string): string => (/[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type);

function objectType(schema: Schema): string {
  if (!schema.properties) {
    const value = schema.additionalProperties;
    return `Readonly<Record<string, ${typeof value === 'object' ? typeOf(value) : 'unknown'}>>`;
  }
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties).map(
    ([name, member]) =>
      `${comment(member)}  readonly ${key(name)}${required.has(name) ? '' : '?'}: ${typeOf(member)};\n`,
  );
  return `{\n${members.join('')}}`;
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

const comment = ({ description }: Schema): string =>
  description ? `  /** ${description.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n` : '';

export const committedTypes = (): string => readFileSync(TARGET, 'utf8');

export const describedTypes = (): string => apiTypes(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'));

export const writeTypes = (): void => writeFileSync(TARGET, describedTypes());

if (process.argv[1] === import.meta.filename) writeTypes();
