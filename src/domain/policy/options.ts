/**
 * Per-URL options as text. Secrets are never shown, because explanations and the resolved view appear in logs, consoles
 * and the API.
 */
import type { UrlOptions } from '../crawl/policy-definition.js';

export type OptionName = keyof UrlOptions;

/** The last setting of an option wins; each request header counts as a separate option. */
export function mergeOptions(before: UrlOptions, after: UrlOptions): UrlOptions {
  if (!before.headers || !after.headers) return { ...before, ...after };
  return { ...before, ...after, headers: { ...before.headers, ...after.headers } };
}

const HIDDEN = '(hidden)';

/** One `maxHops=3` for each option that is set. */
export const formatOptions = (options: UrlOptions): string[] =>
  Object.entries(redactOptions(options)).map(([name, value]) => `${name}=${value}`);

/** Options as text, with credentials, header values and the user info of a proxy hidden. */
export function redactOptions(options: UrlOptions): Partial<Record<OptionName, string>> {
  const shown: Partial<Record<OptionName, string>> = {};
  for (const name of Object.keys(options) as OptionName[]) {
    if (options[name] !== undefined) shown[name] = redactOption(name, options);
  }
  return shown;
}

const DURATIONS: ReadonlySet<OptionName> = new Set<OptionName>([
  'throttle',
  'connectTimeout',
  'readTimeout',
  'totalTimeout',
  'refreshMinimumAge',
  'refreshMaximumAge',
  'errorExpiry',
]);

function redactOption(name: OptionName, options: UrlOptions): string {
  if (name === 'credentials') return HIDDEN;
  if (name === 'headers')
    return Object.keys(options.headers ?? {})
      .map((header) => `${header}: ${HIDDEN}`)
      .join(', ');
  if (name === 'proxy') return String(options.proxy ?? '').replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  const value = options[name];
  if (DURATIONS.has(name)) return `${Number(value) / 1000} s`;
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
