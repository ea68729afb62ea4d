/** Checks that what a plug-in returned has the form described in docs/PLUGINS.md and is within the limits. */
import { z } from 'zod';
import type { PluginCalls, PluginHook } from '../../engine/ports/plugins.js';

const MOST_METAS = 500;
const MOST_VALUES = 1_000;
const LONGEST_VALUE = 16_384;
const LONGEST_TEXT = 4_000_000;
const MOST_LINKS = 100_000;
const LONGEST_URL = 8_192;
const LONGEST_REASON = 1_000;
const MOST_ORDERS = 100_000;

const reason = z.string().transform((text) => text.slice(0, LONGEST_REASON));
const name = z.string().min(1).max(200);
const value = z.string().max(LONGEST_VALUE);
const values = z.union([value, z.array(value).max(MOST_VALUES)]);
const isWithinLimit = <T extends Readonly<Record<string, unknown>>>(record: T): boolean =>
  Object.keys(record).length <= MOST_METAS;
const metas = z.record(name, values.nullable()).refine(isWithinLimit, `no more than ${MOST_METAS} metas`);
const text = z.string().max(LONGEST_TEXT);
const bytes = z.instanceof(Uint8Array);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerValue = z
  .string()
  .max(LONGEST_VALUE)
  .regex(/^[^\0-\x08\x0a-\x1f\x7f]*$/, 'no line breaks');
const mediaType = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, 'a media type');

/** Undefined, or an object with only these members: otherwise a misspelled one would be ignored silently. */
const responseShape = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).optional();

const SHAPES: { readonly [H in PluginHook]: z.ZodType<PluginCalls[H]['answer']> } = {
  onUrl: responseShape({
    exclude: reason.optional(),
    headers: z.record(z.string().regex(HEADER_NAME, 'a header name'), headerValue).optional(),
  }),
  onResponse: responseShape({
    exclude: reason.optional(),
    body: z.union([bytes, z.string()]).optional(),
    mediaType: mediaType.optional(),
  }),
  onDocument: responseShape({ exclude: reason.optional(), metas: metas.optional(), text: text.optional() }),
  onOrder: responseShape({
    refuse: reason.optional(),
    metas: metas.optional(),
    text: text.optional(),
    bytes: z.literal(false).optional(),
  }),
  extract: z.strictObject({
    title: z.string().max(LONGEST_VALUE).optional(),
    text: text.optional(),
    language: z.string().max(100).optional(),
    links: z.array(z.string().max(LONGEST_URL)).max(MOST_LINKS).optional(),
    metas: z.record(name, values).refine(isWithinLimit, `no more than ${MOST_METAS} metas`).optional(),
    refuse: reason.optional(),
  }),
  deliver: z.array(z.union([z.literal(true), z.strictObject({ refused: reason })])).max(MOST_ORDERS),
};

/** Throws an Error that says what is wrong with the value. */
export function validateResponse<H extends PluginHook>(hook: H, given: unknown): PluginCalls[H]['answer'] {
  const read = SHAPES[hook].safeParse(given ?? undefined);
  if (read.success) return read.data as PluginCalls[H]['answer'];
  const [issue] = read.error.issues;
  const where = issue!.path.length === 0 ? 'the answer' : issue!.path.join('.');
  throw new Error(`its return value is invalid: ${where}: ${issue!.message}`);
}
