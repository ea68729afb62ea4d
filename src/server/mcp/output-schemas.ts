/** What the tools return, from the schemas of the API's answers. The protocol's SDK checks each result against them. */
import { z } from 'zod';
import { previewSchema } from '../configuration/configuration.schema.js';
import { crawlerSchema } from '../crawlers/crawler.schema.js';
import { type Fields, type JsonSchema, SCHEMAS, type Schema } from '../http/schema.js';
import { urlListOutcomeSchema } from '../roots/root.schema.js';
import { sinkSchema } from '../sinks/sink.schema.js';
import { errorClassSchema, errorHostSchema } from '../urls/error.schema.js';
import { judgedSchema } from '../urls/url-history.schema.js';
import { urlPageSchema } from '../urls/url-state.schema.js';

const REFERENCE = '#/components/schemas/';
/** What only the reader of the API description needs; without these, a list of the tools is half as long. */
const LEFT_OUT = new Set(['example', 'format']);

/** Creates an output schema of an object that has these properties. */
function describeOutput(properties: JsonSchema, optional: readonly string[] = []): z.ZodObject {
  const definitions: Record<string, unknown> = {};
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([key, part]) => !LEFT_OUT.has(key) || typeof part === 'object');
    return Object.fromEntries(entries.map(([key, part]) => [key, key === '$ref' ? refer(part) : convert(part)]));
  };
  const refer = (reference: string): string => {
    const name = reference.slice(REFERENCE.length);
    if (!(name in definitions)) {
      definitions[name] = true;
      definitions[name] = convert(SCHEMAS.get(name)!.json);
    }
    return `#/$defs/${name}`;
  };
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  const converted = convert({ type: 'object', properties, required }) as object;
  return z.fromJSONSchema({ ...converted, $defs: definitions } as never) as z.ZodObject;
}

const describeAnswer = ({ json }: Schema<never, Fields>): z.ZodObject => {
  const { properties, required = [] } = json as { properties: JsonSchema; required?: readonly string[] };
  return describeOutput(
    properties,
    Object.keys(properties).filter((name) => !required.includes(name)),
  );
};

const listOfEither = (...schemas: readonly Schema<never, Fields>[]): JsonSchema => ({
  type: 'array',
  items: schemas.length === 1 ? schemas[0]!.ref : { anyOf: schemas.map(({ ref }) => ref) },
});

export const EXPLANATIONS = describeOutput({
  explanations: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        crawler: { type: 'string' },
        explanation: judgedSchema.ref,
        isShortened: { type: 'boolean', description: 'Whether lists in the explanation are shortened.' },
      },
      required: ['crawler', 'explanation', 'isShortened'],
    },
  },
  otherCrawlers: {
    type: 'array',
    items: { type: 'string' },
    description: 'Crawlers that were not asked because there are too many; name one of them to ask it.',
  },
});
export const URL_PAGE = describeAnswer(urlPageSchema);
export const STATUS = describeOutput({ crawlers: listOfEither(crawlerSchema), sinks: listOfEither(sinkSchema) });
export const ERRORS = describeOutput({
  items: listOfEither(errorClassSchema, errorHostSchema),
  next: { type: ['string', 'null'] },
});
export const SUBMITTED = describeAnswer(urlListOutcomeSchema);
export const PREVIEW = describeAnswer(previewSchema);
