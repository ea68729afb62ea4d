/** A piece of the configuration that is edited separately: `before + text + after` is the whole. */
export interface Part {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

export const joinPart = ({ before, after }: Part, text: string): string => before + text + after;

/** Converts a position in the whole text to one in the part; undefined if it is outside the part. */
export function toPartPosition(
  { before }: Part,
  text: string,
  { line, column }: { line: number; column: number },
): { line: number; column: number } | undefined {
  const firstLine = before.split('\n').length;
  const lineInPart = line - firstLine + 1;
  if (lineInPart < 1 || lineInPart > text.split('\n').length) return undefined;
  const columnOffset = lineInPart === 1 ? before.length - before.lastIndexOf('\n') - 1 : 0;
  return { line: lineInPart, column: Math.max(1, column - columnOffset) };
}
