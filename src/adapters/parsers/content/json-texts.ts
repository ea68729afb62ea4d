import { MAX_NESTING, measureNesting } from './nesting.js';

/** Strings and numbers of a JSON text in their order, and its title; undefined if it is not JSON. */
export function collectJsonTexts(
  text: string,
): { readonly texts: readonly string[]; readonly title?: string } | undefined {
  if (measureNesting(text) > MAX_NESTING) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const texts: string[] = [];
  collectTexts(json, texts);
  const title = ['title', 'name', 'headline'].map((name) => (json as Record<string, unknown> | null)?.[name]);
  const named = title.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return named === undefined ? { texts } : { texts, title: named.trim() };
}

function collectTexts(json: unknown, texts: string[]): void {
  if (typeof json === 'string' || typeof json === 'number') texts.push(String(json));
  else if (Array.isArray(json)) for (const each of json) collectTexts(each, texts);
  else if (typeof json === 'object' && json !== null) for (const each of Object.values(json)) collectTexts(each, texts);
}
