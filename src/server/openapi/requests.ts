/** Describes what a call accepts as exactly as validation checks it, so that a request that fits the description is not refused as malformed. */
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { describeProblem } from '../http/operation.js';

type Schema = Record<string, unknown> & { readonly oneOf?: readonly Schema[] };

/** Bodies that need one of several sets of fields. */
const ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ConfigurationDraftDto: [['xml'], ['files']],
  RuleInputDto: [['xml'], ['match', 'actions']],
};

export function describeRequestsExactly(
  document: OpenAPIObject,
  operations: readonly NonNullable<OpenAPIObject['paths'][string]['get']>[],
): void {
  for (const { parameters = [], requestBody, responses } of operations) {
    for (const parameter of parameters) {
      if (!('in' in parameter)) continue;
      const schema = parameter.schema as unknown as Schema;
      // All numbers in addresses are whole ones; those in paths are positions and identifiers.
      if (schema?.['type'] === 'number')
        Object.assign(schema, { type: 'integer', ...(parameter.in === 'path' ? WHOLE : {}) });
      if (parameter.name === 'cursor')
        responses['422'] ??= describeProblem(422, '`cursor` was not issued by this server.');
    }
    if (!requestBody || !('content' in requestBody)) continue;
    // A body that can be text or an object is text unless it is JSON.
    for (const [type, media] of Object.entries(requestBody.content) as unknown as [string, { schema?: Schema }][]) {
      const text = media.schema?.oneOf?.find((one) => one['type'] === 'string');
      if (text && !type.endsWith('json')) Object.assign(requestBody.content, { [type]: { ...media, schema: text } });
    }
  }
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: Map<new () => object, unknown>;
  };
  for (const target of validationMetadatas.keys()) {
    const schema =
      document.components?.schemas?.[target.name.replace(/Dto$/, '')] ?? document.components?.schemas?.[target.name];
    if (schema) describeFields(target, schema as unknown as Schema);
  }
}

const WHOLE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Adds the bounds that validators have where the description does not say them. Unknown fields are refused; see validation.ts. */
function describeFields(target: new () => object, schema: Schema): void {
  schema['additionalProperties'] ??= false;
  const sets = ALTERNATIVES[target.name];
  if (sets) schema['anyOf'] = sets.map((required) => ({ required }));
  const properties = schema['properties'] as Readonly<Record<string, Schema>>;
  const rules = getMetadataStorage().getTargetValidationMetadatas(target, '', false, false);
  for (const { name, propertyName, constraints, each } of rules) {
    const field = properties[propertyName];
    if (!field || each) continue;
    if (name === 'minLength' || name === 'maxLength') field[name] ??= constraints[0];
    if (name === 'matches') field['pattern'] ??= (constraints[0] as RegExp).source;
    if (name === 'isInt' && field['type'] === 'number') field['type'] = 'integer';
  }
}
