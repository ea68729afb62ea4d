/** A text with gaps: undefined stands for any one character. */
export type Template = readonly (string | undefined)[];

export function matchesAt(template: Template, text: string, at: number): boolean {
  for (let i = 0; i < template.length; i++) {
    const char = template[i];
    if (char !== undefined && text[at + i] !== char) return false;
  }
  return at >= 0 && at + template.length <= text.length;
}

/** First position at or after `from` where the template matches; -1 if there is none. */
export function findTemplate(template: Template, text: string, from = 0): number {
  for (let at = from; at + template.length <= text.length; at++) if (matchesAt(template, text, at)) return at;
  return -1;
}
