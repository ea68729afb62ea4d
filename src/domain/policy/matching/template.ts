/** A text with gaps: undefined stands for any one character. */
export type Template = readonly (string | undefined)[];

export function matchesAt(template: Template, text: string, position: number): boolean {
  for (let i = 0; i < template.length; i++) {
    const char = template[i];
    if (char !== undefined && text[position + i] !== char) return false;
  }
  return position >= 0 && position + template.length <= text.length;
}

/** First position at or after `from` where the template matches; -1 if there is none. */
export function findTemplate(template: Template, text: string, from = 0): number {
  for (let position = from; position + template.length <= text.length; position++)
    if (matchesAt(template, text, position)) return position;
  return -1;
}
