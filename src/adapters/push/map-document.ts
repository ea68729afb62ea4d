/** Applies a sink's `cw:Map` elements. */
import { createHash } from 'node:crypto';
import { ACL_ALLOW, ACL_DENY } from '../../domain/content/acl.js';
import type { MapStep } from '../../domain/push/map-steps.js';
import type { Meta, OrderAnswer, PushDocument, PushOrder } from '../../domain/push/order.js';
import { formatIsoTime } from '../../domain/time/http-date.js';
import { parseDateOrYear } from '../../domain/time/written-date.js';
import { type Sink, WrappedSink } from '../../engine/ports/sink.js';

/** Thrown if a value cannot be changed as configured. */
class UnmappableValue extends Error {
  override readonly name = 'UnmappableValue';
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const TEXT = 'text';

/** @throws UnmappableValue naming the field and the value */
export function mapDocument(document: PushDocument, steps: readonly MapStep[]): PushDocument {
  return steps.reduce((mapped, step) => mapField(mapped, step), document);
}

function mapField(document: PushDocument, step: MapStep): PushDocument {
  if (step.field === TEXT) return mapText(document, step);
  const names = new Set(document.metas.map(({ name }) => name).filter((name) => matchesPattern(step.field, name)));
  if (names.size === 0 && step.default !== undefined && !step.field.endsWith('*')) names.add(step.field);
  let { metas } = document;
  for (const name of names) metas = mapMeta(metas, name, step);
  return { ...document, metas };
}

const matchesPattern = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Puts the new values in the position of the first old one. */
function mapMeta(metas: readonly Meta[], name: string, step: MapStep): Meta[] {
  const currentMetas = metas.filter((meta) => meta.name === name);
  const currentValues = currentMetas.length === 0 ? [step.default ?? ''] : currentMetas.map(({ value }) => value);
  const values = convertValues(name, currentValues, step).map((value) => toTypedValue(value, currentMetas, step));
  const newName = step.rename === undefined ? name : renameField(name, step.field, step.rename);
  const replacement = [
    ...(step.drop ? [] : values.map((value) => ({ ...value, name: newName }))),
    ...(step.copyTo === undefined ? [] : values.map((value) => ({ ...value, name: step.copyTo! }))),
  ];
  const firstIndex = metas.findIndex((meta) => meta.name === name);
  const insertAt = firstIndex < 0 ? metas.length : firstIndex;
  const omitMeta = (list: readonly Meta[]): Meta[] => list.filter((meta) => meta.name !== name);
  return [...omitMeta(metas.slice(0, insertAt)), ...replacement, ...omitMeta(metas.slice(insertAt))];
}

/** A value that a step leaves as it is keeps its type. */
function toTypedValue(
  value: string,
  metas: readonly Meta[],
  { type, dateFormat, lowerCase, hash }: MapStep,
): Pick<Meta, 'value' | 'type'> {
  if (hash !== undefined || type === 'text' || type === 'boolean') return { value };
  if (type === 'integer' || type === 'number') return { value, type: 'number' };
  if (type === 'date' || dateFormat !== undefined) return lowerCase ? { value } : { value, type: 'date' };
  const unchanged = metas.find((meta) => meta.value === value);
  return unchanged?.type === undefined ? { value } : { value, type: unchanged.type };
}

/** By a pattern, no meta of a page becomes one that says who may see it: pages choose the names of theirs. */
function renameField(name: string, pattern: string, target: string): string {
  if (!pattern.endsWith('*') || !target.endsWith('*')) return target;
  const newName = target.slice(0, -1) + name.slice(pattern.length - 1);
  return newName === ACL_ALLOW || newName === ACL_DENY ? name : newName;
}

function mapText(document: PushDocument, step: MapStep): PushDocument {
  const [text = ''] = convertValues(TEXT, [document.text || (step.default ?? '')], { ...step, split: undefined });
  const targets = [step.copyTo, step.rename].filter((name) => name !== undefined);
  const metas = [...document.metas, ...targets.map((name) => ({ name, value: text }))];
  return { ...document, metas, text: step.drop || step.rename !== undefined ? '' : text };
}

function convertValues(field: string, originalValues: readonly string[], step: MapStep): string[] {
  let values = [...originalValues];
  const { split, join, dateFormat, type } = step;
  if (split) values = values.flatMap((value) => value.split(split).map((part) => part.trim())).filter(Boolean);
  if (join !== undefined && values.length > 1) values = [values.join(join)];
  if (dateFormat !== undefined) values = values.map((value) => parseDate(field, value, dateFormat));
  if (type !== undefined) values = values.map((value) => convertType(field, value, type));
  if (step.lowerCase) values = values.map((value) => value.toLowerCase());
  return step.hash === undefined ? values : values.map(sha256);
}

const MAX_QUOTE_LENGTH = 100;

function createUnmappableValue(field: string, value: string, expected: string): UnmappableValue {
  return new UnmappableValue(`field ${field}: ${JSON.stringify(value.slice(0, MAX_QUOTE_LENGTH))} is not ${expected}`);
}

/** Converts the value to a form that search engines accept for that type. */
function convertType(field: string, value: string, type: NonNullable<MapStep['type']>): string {
  const text = value.trim();
  switch (type) {
    case 'text':
      return value;
    case 'integer':
      if (/^[+-]?\d{1,18}$/.test(text)) return String(BigInt(text.replace(/^\+/, '')));
      throw createUnmappableValue(field, value, 'an integer');
    case 'number': {
      const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
      if (Number.isFinite(number)) return String(number);
      throw createUnmappableValue(field, value, 'a number');
    }
    case 'boolean':
      if (/^(?:true|yes|1|on)$/i.test(text)) return 'true';
      if (/^(?:false|no|0|off)$/i.test(text)) return 'false';
      throw createUnmappableValue(field, value, 'true or false');
    case 'date': {
      const time = parseDateOrYear(text);
      if (time !== undefined) return formatIsoTime(time);
      throw createUnmappableValue(field, value, 'a date');
    }
  }
}

const DATE_PARTS: Readonly<Record<string, string>> = {
  yyyy: '(?<yyyy>\\d{4})',
  MM: '(?<MM>\\d{1,2})',
  dd: '(?<dd>\\d{1,2})',
  HH: '(?<HH>\\d{1,2})',
  mm: '(?<mm>\\d{1,2})',
  ss: '(?<ss>\\d{1,2})',
};

const expressions = new Map<string, RegExp>();

function compilePattern(pattern: string): RegExp {
  const cached = expressions.get(pattern);
  if (cached) return cached;
  const usedParts = new Set<string>();
  const source = pattern.replace(/yyyy|MM|dd|HH|mm|ss|[^\w\s]|\s+/g, (part) => {
    if (DATE_PARTS[part] === undefined) return /^\s/.test(part) ? '\\s+' : `\\${part}`;
    if (usedParts.has(part)) return '\\d+';
    usedParts.add(part);
    return DATE_PARTS[part];
  });
  // Repeated parts side by side would be tried in every way to share the digits of a value.
  const expression = new RegExp(`^${source.replace(/(?:\\d\+){2,}/g, '\\d+')}$`);
  expressions.set(pattern, expression);
  return expression;
}

/** No date is longer, and pages choose the values of their metas. */
const MAX_DATE_LENGTH = 100;

function parseDate(field: string, value: string, pattern: string): string {
  const text = value.trim().slice(0, MAX_DATE_LENGTH + 1);
  const { yyyy, MM = '1', dd = '1', HH = '0', mm = '0', ss = '0' } = compilePattern(pattern).exec(text)?.groups ?? {};
  if (yyyy !== undefined && text.length <= MAX_DATE_LENGTH) {
    const [year, month, day, hour, minute, second] = [yyyy, MM, dd, HH, mm, ss].map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
    // Otherwise, February 31 would become March 3.
    if (date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60)
      return date.toISOString();
  }
  throw createUnmappableValue(field, value, `a date like ${pattern}`);
}

/**
 * Passes mapped documents to the sink. A document that cannot be mapped is refused; the others in its batch are
 * delivered. There is no `readDocuments`, because the sink holds mapped documents instead of the original ones.
 */
export class MappedSink extends WrappedSink {
  override readonly readDocuments = undefined;

  constructor(
    sink: Sink,
    private readonly steps: readonly MapStep[],
  ) {
    super(sink);
  }

  override async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const results = batch.map((order) => this.mapOrder(order));
    const orders = results.filter((order) => 'id' in order);
    const answers = orders.length === 0 ? [] : await this.sink.deliver(orders, signal);
    let nextIndex = 0;
    return results.map((order) => ('id' in order ? answers[nextIndex++]! : order));
  }

  private mapOrder(order: PushOrder): PushOrder | OrderAnswer {
    if (order.kind === 'delete') return order;
    try {
      return { ...order, document: mapDocument(order.document, this.steps) };
    } catch (error) {
      if (!(error instanceof UnmappableValue)) throw error;
      return { state: 'refused', message: `Map cannot be applied to ${order.uri}: ${error.message}` };
    }
  }
}
