/** What was read from a page or document. */
import type { Chunk, Heading } from '../../domain/content/content-definition.js';
import type { CutLinks } from '../../domain/content/distinct-links.js';
import type { Shortfall } from '../../domain/content/shortfall.js';

export type LinkKind =
  | 'a'
  | 'area'
  | 'frame'
  | 'iframe'
  | 'embed'
  | 'next'
  | 'prev'
  | 'alternate'
  | 'canonical'
  | 'meta-refresh'
  | 'header';

export interface RawLink {
  /** The link as written, with entities decoded and white space trimmed. */
  readonly href: string;
  readonly kind: LinkKind;
  /** True if the element has rel=nofollow, ugc or sponsored. */
  readonly nofollow: boolean;
  /**
   * Delay in seconds of a `meta-refresh` that applies to readers; absent for one meant only for browsers without
   * scripts.
   */
  readonly delay?: number;
}

export interface PageContent {
  /** The WHATWG name of the encoding that the text was decoded with; undefined for binary content. */
  readonly encoding?: string;
  readonly title: string;
  /** The first `<h1>` with text; only present if the page has no title. */
  readonly firstHeading?: string;
  /** The text with white space collapsed; empty for binary content. */
  readonly text: string;
  /** A BCP 47 tag, declared by the document or detected from the text. */
  readonly language?: string;
  /** The value of `<base href>` as written. */
  readonly base?: string;
  readonly links: readonly RawLink[];
  /** The links beyond `maxLinks`. */
  readonly cutLinks?: CutLinks<RawLink>;
  /**
   * `<meta name content>` and `<meta property content>` in document order, limited in number; names in lower case,
   * white space in values collapsed.
   */
  readonly metas: readonly { readonly name: string; readonly value: string }[];
  /** The metas that say who may see the page, with line breaks and without a limit; absent if `metas` has them. */
  readonly accessMetas?: PageContent['metas'];
  /**
   * The contents of `<meta name=robots>` and of every meta that contains only directives, whichever agent it
   * names.
   */
  readonly robotsMetas: readonly { readonly agent: string; readonly directives: string }[];
  /** Further metas of the document, under the names that sinks receive. */
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
  /** Set if the page has no content without its scripts; a human-readable description of the evidence. */
  readonly needsRendering?: string;
  /** The page's JSON-LD, flattened: `jsonld.headline`, `jsonld.author.name`. */
  readonly structured?: readonly { readonly name: string; readonly value: string }[];
  /** Names of the site that the page's JSON-LD states. */
  readonly siteNames?: readonly string[];
  /** Values that the selectors and JSON-LD paths of configured fields found, by field number. */
  readonly found?: ReadonlyMap<number, readonly string[]>;
  /** The text of the page's own document, if parts were split off the page. */
  readonly ownText?: string;
  /** Parts that become separate documents; absent if none are wanted. */
  readonly parts?: readonly PagePart[];
  /** True if there may be parts that were not found this time: those known before stay. */
  readonly partsAreIncomplete?: boolean;
  /** True if text was left out because the configuration or the page itself excludes it. */
  readonly isCut?: boolean;
  /** Share of the page's text outside links that its main content has; absent if that is not looked for. */
  readonly mainShare?: number;
  /** Hashes of the blocks of text, if blocks that stand on most pages are left out; those are included. */
  readonly blocks?: Int32Array;
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  /** Passages that the configuration excludes; present only if requested. */
  readonly cut?: readonly string[];
  /** What is shown to someone trying out selectors. */
  readonly look?: ContentLook;
  /** Set if the document is known to show text that was not read. */
  readonly shortfall?: Shortfall;
  /** Number of pages that were read by OCR. */
  readonly ocrPages?: number;
  /** True if text was left out because the document is damaged or exceeds a limit. */
  readonly truncated: boolean;
}

export interface ContentLook {
  /** The whole text of the page, in order; `cut` marks passages that are left out. */
  readonly marked: readonly { readonly text: string; readonly cut: boolean }[];
  /** Number of elements that each selector of `Include` and `Exclude` finds. */
  readonly matches: { readonly include: readonly number[]; readonly exclude: readonly number[] };
}

/** A part of a page that becomes a separate document. */
export interface PagePart extends Pick<PageContent, 'text' | 'title' | 'headings' | 'markdown' | 'chunks'> {
  /** The fragment of its URL. */
  readonly id: string;
  /** The values of the fields found in the part. */
  readonly found?: ReadonlyMap<number, readonly string[]>;
  /** Set if the part is a file within the document, like an attachment, which has metas of its own. */
  readonly file?: FileFacts;
}

export interface FileFacts extends Pick<PageContent, 'language' | 'metas' | 'fields'> {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly mediaType: string;
}

export interface ReadLimits {
  /** Maximum number of different URLs in a page's links, not counting fragments. */
  readonly maxLinks: number;
  /**
   * Maximum length of the text in UTF-16 code units; 0 if the text is not needed, in which case it is not even
   * converted to a string.
   */
  readonly maxTextLength: number;
}
