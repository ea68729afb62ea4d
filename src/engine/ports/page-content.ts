/** What was read of a page or document. */
import type { Chunk, Heading } from '../../domain/content/content-definition.js';
import type { CutLinks } from '../../domain/content/distinct-links.js';

export type LinkKind =
  | 'a'
  | 'area'
  | 'frame'
  | 'iframe'
  | 'next'
  | 'prev'
  | 'alternate'
  | 'canonical'
  | 'meta-refresh'
  | 'header';

export interface RawLink {
  /** As written, entities decoded, white space trimmed. */
  readonly href: string;
  readonly kind: LinkKind;
  /** rel=nofollow, ugc or sponsored on the element. */
  readonly nofollow: boolean;
  /** For a `meta-refresh` that applies to readers: seconds. One for browsers without scripts has none. */
  readonly delay?: number;
}

export interface PageContent {
  /** WHATWG encoding name that the text was decoded with; undefined for binary content. */
  readonly encoding?: string;
  readonly title: string;
  /** White space folded; empty for binary content. */
  readonly text: string;
  /** BCP 47: declared by the document, or detected from the text. */
  readonly language?: string;
  /** `<base href>`, as written. */
  readonly base?: string;
  readonly links: readonly RawLink[];
  /** Links beyond `maxLinks`. */
  readonly cutLinks?: CutLinks<RawLink>;
  /** `<meta name content>` and `<meta property content>`, names in lower case, values folded; in document order; bounded. */
  readonly metas: readonly { readonly name: string; readonly value: string }[];
  /** Contents of `<meta name=robots>` and of every meta that holds only directives, whatever agent it is named after. */
  readonly robotsMetas: readonly { readonly agent: string; readonly directives: string }[];
  /** Further metas of the document, under the names that sinks receive. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
  /** The page has no content without its scripts; the evidence, for a person. */
  readonly needsRendering?: string;
  /** JSON-LD of the page, flattened: `jsonld.headline`, `jsonld.author.name`. */
  readonly structured?: readonly { readonly name: string; readonly value: string }[];
  /** What selectors and JSON-LD paths of configured fields found, by the number of the field. */
  readonly found?: ReadonlyMap<number, readonly string[]>;
  /** For the page's own document, if parts were split off it. */
  readonly ownText?: string;
  /** Parts that become documents of their own; absent where none are wanted. */
  readonly parts?: readonly PagePart[];
  /** Text of the page was left out because the configuration or the page itself excludes it. */
  readonly isCut?: boolean;
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  /** Texts that the configuration excludes, if a person asked for them. */
  readonly cut?: readonly string[];
  /** What a person who tries selectors wants to see. */
  readonly look?: ContentLook;
  /** Something on the page was left out because a limit was exceeded (links, text). */
  readonly truncated: boolean;
}

export interface ContentLook {
  /** The whole text of the page, in order; what does not count is told from what does. */
  readonly marked: readonly { readonly text: string; readonly cut: boolean }[];
  /** Elements that each selector of `Include` and `Exclude` finds. */
  readonly matches: { readonly include: readonly number[]; readonly exclude: readonly number[] };
}

/** A part of a page that becomes a document of its own. */
export interface PagePart extends Pick<PageContent, 'text' | 'title' | 'headings' | 'markdown' | 'chunks'> {
  /** Fragment of its URL. */
  readonly id: string;
  /** Values of the fields found in it. */
  readonly found: ReadonlyMap<number, readonly string[]>;
}

export interface ReadLimits {
  /** Different URLs that the links of a page may name, not counting fragments. */
  readonly maxLinks: number;
  /** In UTF-16 units; 0 if nobody needs the text, which is then not even converted to a string. */
  readonly maxTextLength: number;
}
