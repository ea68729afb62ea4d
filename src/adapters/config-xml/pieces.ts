/**
 * Splits the text of a configuration: runs of elements in a long list are parsed by themselves, so that others need not
 * wait for all of it. Also finds the place of an offset.
 */
import type { Place } from '../../domain/crawl/place.js';
import type { Steps } from '../../domain/steps.js';

/** Range of complete sibling elements, without the tags around them. */
export interface ElementRun {
  readonly start: number;
  readonly end: number;
}

/** An element that is still open, with the run of its latest children. */
interface OpenElement {
  readonly start: number;
  run: (ElementRun & { readonly count: number }) | undefined;
  hasRuns: boolean;
}

/** Follows the nesting of tags, whose names may be wrong. */
export class RunFinder {
  readonly found: ElementRun[] = [];
  private readonly openElements: OpenElement[] = [];

  constructor(
    private readonly xml: string,
    private readonly elementsPerRun: number,
  ) {}

  /** Returns the depth of the new element. */
  open(start: number): number {
    return this.openElements.push({ start, run: undefined, hasRuns: false });
  }

  close(end: number): void {
    const element = this.openElements.pop();
    if (!element) return;
    if (element.hasRuns) {
      const parent = this.openElements.at(-1);
      for (const scope of parent ? [element, parent] : [element]) this.endRun(scope);
    } else this.add(element.start, end, (element.run?.count ?? 0) + 1);
  }

  /** Adds an element that has no runs in it. */
  add(start: number, end: number, count: number): void {
    const parent = this.openElements.at(-1);
    if (!parent) return;
    parent.run = { start: parent.run?.start ?? start, end, count: (parent.run?.count ?? 0) + count };
    if (parent.run.count >= this.elementsPerRun) this.endRun(parent);
  }

  private endRun(element: OpenElement): void {
    element.hasRuns = true;
    const { run } = element;
    element.run = undefined;
    // A comment can take its place, without a change of the lines.
    const ends = run && this.xml.slice(run.start, run.start + 4) + this.xml.slice(run.end - 3, run.end);
    if (run && !ends?.includes('\n')) this.found.push(run);
  }
}

/** Part of the text that is parsed by itself. */
export interface Piece {
  readonly text: string;
  /** Offset and place in the whole text of its first character. */
  readonly offset: number;
  readonly place: Place;
}

/** Element around a run, since a document has only one root. */
const RUN_TAG = '<r>';

/** The frame of the text, in which comments take the place of the runs, and then each run. */
export function* splitText(
  text: string,
  runs: readonly ElementRun[],
  findPlace: (offset: number) => Place,
): Steps<[Piece, ...Piece[]]> {
  const frame = { text: yield* hideRuns(text, runs), offset: 0, place: findPlace(0) };
  const pieces = runs.map(({ start, end }): Piece => {
    const place = findPlace(start);
    return {
      text: `${RUN_TAG}${text.slice(start, end)}</r>`,
      offset: start - RUN_TAG.length,
      place: { ...place, column: place.column - RUN_TAG.length },
    };
  });
  return [frame, ...pieces];
}

function* hideRuns(text: string, runs: readonly ElementRun[]): Steps<string> {
  let result = '';
  let position = 0;
  for (const { start, end } of runs) {
    yield;
    const lineBreaks = text.slice(start + 4, end - 3).replace(/[^\n]+/g, (line) => ' '.repeat(line.length));
    result += `${text.slice(position, start)}<!--${lineBreaks}-->`;
    position = end;
  }
  return result + text.slice(position);
}

/** Returns a function that converts an offset to a place. The table of line starts is built only once. */
export function createPlaceFinder(text: string, file: string): (offset: number) => Place {
  const lineStarts = [0];
  for (let lineBreak = text.indexOf('\n'); lineBreak >= 0; lineBreak = text.indexOf('\n', lineBreak + 1))
    lineStarts.push(lineBreak + 1);
  const bomLength = text.startsWith('\uFEFF') ? 1 : 0;
  return (offset) => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lineStarts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    const column = offset - (lineStarts[low] as number) + 1 - (low === 0 ? bomLength : 0);
    return { file, line: low + 1, column: Math.max(1, column) };
  };
}
