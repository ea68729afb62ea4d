/** The headings of a document: each begins at one of the pieces that its text is made of. */
import { type Heading, MAX_HEADING_LENGTH, MAX_HEADINGS } from '../../../domain/content/content-definition.js';
import { removeInvisible } from '../html/text-buffer.js';

/** The deepest level; deeper ones count as this one, as pages have no others. */
const MAX_LEVEL = 6;

export class DocumentHeadings {
  private readonly headings: Heading[] = [];

  /** @param start the number of a piece */
  add(level: number, start: number, text: string): void {
    const endsAgain = text === '' && this.headings.at(-1)?.text === '';
    if (endsAgain || this.headings.length >= MAX_HEADINGS) return;
    const shortText = text.slice(0, MAX_HEADING_LENGTH).trim().toWellFormed();
    this.headings.push({ level: Math.min(Math.max(level, 1), MAX_LEVEL), text: shortText, start });
  }

  /** The headings with their positions in the text that the pieces became, which may be cut; undefined if there are none. */
  locate(pieces: readonly string[], text: string): Heading[] | undefined {
    if (this.headings.every((heading) => heading.text === '')) return undefined;
    let offset = 0;
    let piece = 0;
    const inOrder = this.headings.toSorted((a, b) => a.start - b.start);
    const located = inOrder.map((heading) => {
      offset += foldBlanks(pieces.slice(piece, heading.start).join('')).trim().length;
      if (text[offset] === ' ' || text[offset] === '\n') offset++;
      piece = heading.start;
      return { ...heading, start: offset };
    });
    return located.filter(({ start }) => start < text.length);
  }
}

/** Runs of blanks are one: a line break if a block ends there. */
export const foldBlanks = (text: string): string =>
  removeInvisible(text)
    .replace(/[^\S\u2029]+/g, ' ')
    .replace(/ ?\u2029[ \u2029]*/g, '\n');

/** What collects the text of a document. */
interface SlideContent {
  readonly position: number | undefined;
  readSince(position: number): string;
  addHeading(level: number, start: number | undefined, text: string): void;
}

/** The title of a slide is a heading above all of its text, wherever it stands on the slide. */
export class SlideTitle {
  text = '';
  private readonly slideStart: number | undefined;
  private start: number | undefined;

  constructor(private readonly content: SlideContent) {
    this.slideStart = content.position;
    content.addHeading(1, this.slideStart, '');
  }

  begin(): void {
    this.start = this.text === '' ? this.content.position : undefined;
  }

  end(): void {
    if (this.start === undefined) return;
    this.text = this.content.readSince(this.start);
    if (this.text !== '') this.content.addHeading(1, this.slideStart, this.text);
    this.start = undefined;
  }
}
