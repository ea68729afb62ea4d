/** Reads the attributes of sinks and logins that only some types have, according to the table of the type. */
import type { Place } from '../../../domain/crawl/place.js';
import type { OptionsByType, OptionTable } from '../../../domain/options.js';
import type { Secret } from '../../../domain/secret.js';
import type { Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import type { ReadContext } from './context.js';

export type OptionValue = string | number | Secret;

interface TypedNode {
  readonly element: Node['element'];
  readonly values: { readonly type: string } & { readonly [option: string]: unknown };
  readonly place: Place;
}

/** Reports required options that are missing, and options of other types. Returns whether all required ones are set. */
export function checkOptions(
  what: 'sink' | 'login',
  { element, values, place }: TypedNode,
  types: OptionsByType,
  problems: Problems,
): boolean {
  const options = types[values.type]?.options ?? {};
  const missingOptions = Object.keys(options).filter((name) => options[name]?.required && values[name] === undefined);
  for (const name of missingOptions)
    problems.add('missing-attribute', `a ${what} of type ${values.type} requires the attribute ${name}`, place);
  for (const { local } of element.attributes) {
    if (local in options || !Object.values(types).some((other) => local in other.options)) continue;
    const names = Object.keys(options).join(', ') || 'no such attributes';
    const message = `a ${what} of type ${values.type} does not use the attribute ${local}; it uses ${names}`;
    problems.add('ignored-attribute', message, place);
  }
  return missingOptions.length === 0;
}

/** Returns the options that are set. The elements of secret attributes already contain their values as Secret. */
export function readOptions(
  options: OptionTable,
  values: TypedNode['values'],
  place: Place,
  context: ReadContext,
): Record<string, OptionValue> {
  const entries = Object.entries(options).map(([name, { value: kind }]): [string, OptionValue | undefined] => {
    const value = values[name] as OptionValue | undefined;
    return [name, kind === 'jsonFile' && typeof value === 'string' ? readJsonFile(value, place, context) : value];
  });
  return Object.fromEntries(entries.filter((entry): entry is [string, OptionValue] => entry[1] !== undefined));
}

function readJsonFile(file: string, place: Place, { readFile, problems }: ReadContext): string | undefined {
  const text = readFile(file, place);
  if (text === undefined) return undefined;
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return text;
  } catch {
    // reported below
  }
  const message = `the file ${file} is not a JSON object: write an object with settings, mappings or aliases`;
  problems.add('bad-value', message, place);
  return undefined;
}
