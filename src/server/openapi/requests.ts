/** Describes what a call accepts as exactly as validation checks it, so that a request that fits the description is not refused as malformed. */
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { describeProblem } from '../http/operation.js';
import { listOperations } from './document.js';

interface Schema {
  $ref?: string;
  type?: string;
  minimum?: number;
  maximum?: number;
  additionalProperties?: boolean | object;
  anyOf?: readonly object[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Bodies that need one of several sets of fields. */
const ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ConfigurationDraftDto: [['xml'], ['files']],
  RuleInputDto: [['xml'], ['match', 'actions']],
};

export function describeRequestsExactly(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const operation of listOperations(document)) {
    for (const parameter of operation.parameters ?? [])
      if ('in' in parameter) describeNumber(parameter.in, parameter.schema as Schema | undefined);
    if (operation.parameters?.some((parameter) => 'name' in parameter && parameter.name === 'cursor'))
      operation.responses['422'] ??= describeProblem(422, '`cursor` was not issued by this server.');
    const { requestBody } = operation;
    if (!requestBody || !('content' in requestBody)) continue;
    const contents = Object.entries(requestBody.content) as [string, { schema?: Schema }][];
    requestBody.content = Object.fromEntries(
      contents.map(([type, media]) => [type, { ...media, schema: chooseByType(type, media.schema) }]),
    ) as typeof requestBody.content;
    for (const [, { schema }] of contents) if (schema) closeObjects(schema, schemas);
  }
  for (const target of listRequestClasses()) {
    const { properties } = schemas[target.name] ?? {};
    if (properties) addBounds(target, properties);
  }
  for (const [name, sets] of Object.entries(ALTERNATIVES)) {
    const schema = schemas[name];
    if (schema) schema.anyOf = sets.map((required) => ({ required }));
  }
}

type RequestClass = new () => object;

const listRequestClasses = (): Iterable<RequestClass> =>
  (getMetadataStorage() as unknown as { validationMetadatas: Map<RequestClass, unknown> }).validationMetadatas.keys();

/** The bounds that validators have, where the description does not say them. */
function addBounds(target: RequestClass, properties: Readonly<Record<string, Schema>>): void {
  for (const { name, propertyName, constraints, each } of getMetadataStorage().getTargetValidationMetadatas(
    target,
    '',
    false,
    false,
  )) {
    const schema = properties[propertyName];
    if (!schema || each) continue;
    if (name === 'minLength' || name === 'maxLength') schema[name] ??= constraints[0];
    if (name === 'matches') schema.pattern ??= (constraints[0] as RegExp).source;
    if (name === 'isInt' && schema.type === 'number') schema.type = 'integer';
  }
}

/** All numbers in addresses are whole ones; those in paths are positions and identifiers. */
function describeNumber(place: string, schema: Schema | undefined): void {
  if (schema?.type !== 'number') return;
  schema.type = 'integer';
  if (place === 'path') Object.assign(schema, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
}

/** A body that can be text or an object is text unless it is JSON. */
function chooseByType(mediaType: string, schema: Schema | undefined): Schema | undefined {
  const text = schema?.oneOf?.find(({ type }) => type === 'string');
  return mediaType.endsWith('json') ? schema : (text ?? schema);
}

/** Unknown fields are refused; see validation.ts. */
function closeObjects(schema: Schema, schemas: Readonly<Record<string, Schema>>, seen = new Set<Schema>()): void {
  const { $ref, oneOf = [], items, properties } = schema;
  const target = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (target?.properties && !seen.has(target)) {
    seen.add(target);
    target.additionalProperties ??= false;
    closeObjects(target, schemas, seen);
  }
  const parts = [...oneOf, ...(items ? [items] : []), ...Object.values(properties ?? {})];
  for (const part of parts) closeObjects(part, schemas, seen);
}
