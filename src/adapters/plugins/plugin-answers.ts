/** Validates return values of plug-ins: they must have the form described in docs/plugins.md and respect the limits. */
import { z } from 'zod';
import type { PluginCalls, PluginHook } from '../../engine/ports/plugins.js';

const MAX_METAS = 500;
const MAX_VALUES = 1_000;
const MAX_VALUE_LENGTH = 16_384;
const MAX_TEXT_LENGTH = 4_000_000;
const MAX_LINKS = 100_000;
const MAX_URL_LENGTH = 8_192;
const MAX_REASON_LENGTH = 1_000;
const MAX_ORDERS = 100_000;

const reason = z.string().transform((text) => text.slice(0, MAX_REASON_LENGTH));
const name = z.string().min(1).max(200);
const value = z.string().max(MAX_VALUE_LENGTH);
const values = z.union([value, z.array(value).max(MAX_VALUES)]);
const isWithinLimit = <T extends Readonly<Record<string, unknown>>>(record: T): boolean =>
  Object.keys(record).length <= MAX_METAS;
const metas = z.record(name, values.nullable()).refine(isWithinLimit, `more than ${MAX_METAS} metas`);
const text = z.string().max(MAX_TEXT_LENGTH);
const bytes = z.instanceof(Uint8Array);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = z
  .string()
  .max(MAX_VALUE_LENGTH)
  .regex(/^[^\0-\x08\x0a-\x1f\x7f]*$/, 'must not contain line breaks or other control characters');
const mediaType = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type');

/** Accepts undefined, or an object with only these members, because misspelled ones must not be ignored silently. */
const createResponseShape = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).optional();

const SHAPES: { readonly [H in PluginHook]: z.ZodType<PluginCalls[H]['answer']> } = {
  onUrl: createResponseShape({
    exclude: reason.optional(),
    headers: z.record(z.string().regex(HEADER_NAME, 'must be a header name'), headerValue).optional(),
  }),
  onResponse: createResponseShape({
    exclude: reason.optional(),
    body: z.union([bytes, z.string()]).optional(),
    mediaType: mediaType.optional(),
  }),
  onDocument: createResponseShape({
    exclude: reason.optional(),
    metas: metas.optional(),
    text: text.optional(),
    bytes: z.literal(true).optional(),
  }),
  onOrder: createResponseShape({
    refuse: reason.optional(),
    metas: metas.optional(),
    text: text.optional(),
    bytes: z.boolean().optional(),
  }),
  extract: z.strictObject({
    title: z.string().max(MAX_VALUE_LENGTH).optional(),
    text: text.optional(),
    language: z.string().max(100).optional(),
    links: z.array(z.string().max(MAX_URL_LENGTH)).max(MAX_LINKS).optional(),
    metas: z.record(name, values).refine(isWithinLimit, `more than ${MAX_METAS} metas`).optional(),
    refuse: reason.optional(),
  }),
  deliver: z.array(z.union([z.literal(true), z.strictObject({ refused: reason })])).max(MAX_ORDERS),
};

/** Returns the valid value, or throws an Error that says what is wrong with it. */
export function validateResponse<H extends PluginHook>(hook: H, returnValue: unknown): PluginCalls[H]['answer'] {
  const result = SHAPES[hook].safeParse(returnValue ?? undefined);
  if (result.success) return result.data as PluginCalls[H]['answer'];
  const [issue] = result.error.issues;
  const location = issue!.path.length === 0 ? '' : `${issue!.path.join('.')}: `;
  throw new Error(`its return value is invalid: ${location}${issue!.message}`);
}
