/** A piece of the configuration that is edited separately: `before + text + after` is the whole. */
export interface Part {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

export const joinPart = ({ before, after }: Part, text: string): string => before + text + after;

/** Converts a place in the whole text to one in the part; undefined if it is elsewhere. */
export function toPartPosition(
  { before }: Part,
  text: string,
  { line, column }: { line: number; column: number },
): { line: number; column: number } | undefined {
  const first = before.split('\n').length;
  const inside = line - first + 1;
  if (inside < 1 || inside > text.split('\n').length) return undefined;
  const shift = inside === 1 ? before.length - before.lastIndexOf('\n') - 1 : 0;
  return { line: inside, column: Math.max(1, column - shift) };
}
