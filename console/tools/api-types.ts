/**
 * Generates client/schema.ts from openapi.yaml: one interface per schema, and one entry per call with its parameters,
 * request body and response. `npm run openapi` runs it; test/console/api-types.spec.ts fails if the two files differ.
 *
 * Crawlway has its own generator because the usual ones need the compiler API, which TypeScript 7 does not have.
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
const HEADER = `// Generated from openapi.yaml by \`npm run openapi\`; do not edit.

export type Nothing = Readonly<Record<never, never>>;
`;

/** The suffix distinguishes a schema from a component of the console with the same name. */
const getTypeName = (schema: string): string => `${schema}Dto`;

/** Returns the text of schema.ts. */
function buildApiTypes(yaml: string): string {
  const { paths, components } = load(yaml) as Description;
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    schema.enum
      ? `export type ${getTypeName(name)} = ${buildType(schema)};\n`
      : `export interface ${getTypeName(name)} ${buildType(schema)}\n`,
  );
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => buildCallType(`${method.toUpperCase()} ${path}`, call)),
  );
  return `${HEADER}\n${schemas.join('\n')}\nexport interface Calls {\n${calls.join('')}}\n`;
}

function buildCallType(name: string, call: Call): string {
  const buildTypeOf = (place: Parameter['in']): string =>
    buildParametersType((call.parameters ?? []).filter((parameter) => parameter.in === place));
  const answer = Object.entries(call.responses).find(([status]) => status.startsWith('2'))?.[1];
  return `  '${name}': {
    path: ${buildTypeOf('path')};
    query: ${buildTypeOf('query')};
    body: ${buildContentType(call.requestBody?.content)};
    answer: ${buildContentType(selectAnswer(answer?.content))};
  };\n`;
}

const buildParametersType = (parameters: readonly Parameter[]): string =>
  parameters.length === 0
    ? 'Nothing'
    : `{ ${parameters.map((parameter) => `${formatKey(parameter.name)}${parameter.required ? '' : '?'}: ${buildType(parameter.schema)}`).join('; ')} }`;

/** Calls that answer in JSON and in other types do the latter only if asked to. */
const selectAnswer = (content: Content | undefined): Content | undefined => {
  const json = content?.['application/json'];
  return json ? { 'application/json': json } : content;
};

function buildContentType(content: Content | undefined): string {
  const kinds = new Set(Object.values(content ?? {}).map(({ schema }) => (schema ? buildType(schema) : 'unknown')));
  return kinds.size === 0 ? 'undefined' : [...kinds].join(' | ');
}

function buildType(schema: Schema): string {
  if (schema.$ref) return getTypeName(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  if (schema.oneOf) return schema.oneOf.map(buildType).join(' | ');
  if (schema.allOf) return schema.allOf.map(buildType).join(' & ');
  if (typeof schema.type === 'object') return schema.type.map((type) => buildType({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'array':
      return `readonly ${parenthesize(buildType(schema.items ?? {}))}[]`;
    case 'object':
      return buildObjectType(schema);
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

const parenthesize = (type: string): string => (/[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type);

function buildObjectType(schema: Schema): string {
  if (!schema.properties) {
    const value = schema.additionalProperties;
    return `Readonly<Record<string, ${typeof value === 'object' ? buildType(value) : 'unknown'}>>`;
  }
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties).map(
    ([name, member]) =>
      `${formatComment(member)}  readonly ${formatKey(name)}${required.has(name) ? '' : '?'}: ${buildType(member)};\n`,
  );
  return `{\n${members.join('')}}`;
}

const formatKey = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

const formatComment = ({ description }: Schema): string =>
  description ? `  /** ${description.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n` : '';

export const readCommittedTypes = (): string => readFileSync(TARGET, 'utf8');

export const generateTypes = (): string => buildApiTypes(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'));

export const writeTypes = (): void => writeFileSync(TARGET, generateTypes());

if (process.argv[1] === import.meta.filename) writeTypes();
