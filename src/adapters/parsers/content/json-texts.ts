import { MAX_NESTING, measureNesting } from './nesting.js';

/** Collects the strings and numbers of a JSON text in order, and its title; undefined if it is not JSON. */
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
  const titles = ['title', 'name', 'headline'].map((name) => (json as Record<string, unknown> | null)?.[name]);
  const title = titles.find(
    (candidate): candidate is string => typeof candidate === 'string' && candidate.trim() !== '',
  );
  return title === undefined ? { texts } : { texts, title: title.trim() };
}

function collectTexts(json: unknown, texts: string[]): void {
  if (typeof json === 'string' || typeof json === 'number') texts.push(String(json));
  else if (Array.isArray(json)) for (const entry of json) collectTexts(entry, texts);
  else if (typeof json === 'object' && json !== null)
    for (const entry of Object.values(json)) collectTexts(entry, texts);
}
