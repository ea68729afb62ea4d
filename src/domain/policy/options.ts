/**
 * Formats per-URL options as text. Secrets are never shown, because explanations and the resolved view appear in logs,
 * consoles and the API.
 */
import type { UrlOptions } from '../crawl/policy-definition.js';

export type OptionName = keyof UrlOptions;

/** The last setting of an option wins; each request header is a separate option. */
export function mergeOptions(base: UrlOptions, overrides: UrlOptions): UrlOptions {
  if (!base.headers || !overrides.headers) return { ...base, ...overrides };
  return { ...base, ...overrides, headers: { ...base.headers, ...overrides.headers } };
}

const HIDDEN = '(hidden)';

/** Returns a text such as `maxHops=3` for each option that is set. */
export const formatOptions = (options: UrlOptions): string[] =>
  Object.entries(formatOptionValues(options)).map(([name, value]) => `${name}=${value}`);

/** Options as text, with credentials, header values and the user info of a proxy hidden. */
export function formatOptionValues(options: UrlOptions): Partial<Record<OptionName, string>> {
  const values: Partial<Record<OptionName, string>> = {};
  for (const name of Object.keys(options) as OptionName[]) {
    if (options[name] !== undefined) values[name] = formatOption(name, options);
  }
  return values;
}

const DURATION_OPTIONS: ReadonlySet<OptionName> = new Set<OptionName>([
  'throttle',
  'connectTimeout',
  'readTimeout',
  'totalTimeout',
  'refreshMinimumAge',
  'refreshMaximumAge',
  'errorExpiry',
]);

function formatOption(name: OptionName, options: UrlOptions): string {
  if (name === 'credentials') return HIDDEN;
  if (name === 'headers')
    return Object.keys(options.headers ?? {})
      .map((header) => `${header}: ${HIDDEN}`)
      .join(', ');
  if (name === 'proxy') return String(options.proxy ?? '').replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  const value = options[name];
  if (DURATION_OPTIONS.has(name)) return `${Number(value) / 1000} s`;
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
