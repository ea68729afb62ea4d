/**
 * Collects what a page's tags contain: links, base URL, metas, language. The number of each is limited; the first ones
 * are kept.
 */
import { isMachineReadableType } from '../../../domain/content/alternates.js';
import { type CutLinks, DistinctLinks } from '../../../domain/content/distinct-links.js';
import { parseRefresh } from '../../../domain/url/refresh-target.js';
import type { LinkKind, RawLink } from '../../../engine/ports/page-reader.js';
import { ATTRIBUTE, type Attributes } from './attributes.js';
import { removeInvisible } from './text-buffer.js';

const MAX_METAS = 500;
const MAX_META_LENGTH = 16_384;
const MAX_HREF_LENGTH = 65_536;

const LINK_RELATIONS = new Map<string, LinkKind>([
  ['next', 'next'],
  ['prev', 'prev'],
  ['previous', 'prev'],
  ['alternate', 'alternate'],
  ['canonical', 'canonical'],
]);
/** What a page embeds with these types is a picture, a sound or a program, not a document. */
const NOT_A_DOCUMENT = /^\s*(?:image|audio|video|font)\/|^\s*application\/(?:x-shockwave-flash|x-java-|x-silverlight)/i;
const NO_FOLLOW = /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i;

const DIRECTIVE =
  /^(?:all|none|(?:no)?(?:index|follow)|noarchive|nocache|nosnippet|noimageindex|notranslate|noodp|noydir|indexifembedded|max-(?:snippet|image-preview|video-preview):[\w-]+)$/i;
/** Spares nearly all values of other metas the full test. */
const FIRST_LETTERS = /^[ ,]*(?:all|no|index|follow|max-)/i;
const MAX_DIRECTIVES_LENGTH = 500;

export interface TagPlace {
  readonly foreign?: boolean;
  readonly unseen?: boolean;
  readonly inHead?: boolean;
}

export class PageFacts {
  readonly metas: { readonly name: string; readonly value: string }[] = [];
  /** Who may see the page, with line breaks and without limits: whoever is left out here would see it. */
  readonly accessMetas: { readonly name: string; readonly value: string }[] = [];
  /** Whether one of the page's scripts is JSON-LD. */
  hasLinkedData = false;
  readonly robotsMetas: { readonly agent: string; readonly directives: string }[] = [];
  base: string | undefined;
  /** The `lang` attribute of the html element, as written. */
  lang: string | undefined;
  /** Content of `<meta http-equiv=content-language>`. */
  contentLanguage: string | undefined;
  private readonly distinctLinks: DistinctLinks<RawLink>;

  /** `maxLinks`: maximum number of different URLs; `accessNames`: the metas that say who may see the page. */
  constructor(
    private readonly attributes: Attributes,
    maxLinks: number,
    private readonly accessNames: readonly string[] = [],
  ) {
    this.distinctLinks = new DistinctLinks(maxLinks);
  }

  /** In document order; without duplicates if there are many links. */
  get links(): readonly RawLink[] {
    return this.distinctLinks.links;
  }

  get cutLinks(): CutLinks<RawLink> | undefined {
    return this.distinctLinks.cutLinks;
  }

  /**
   * To be called after a start tag was read. `foreign`: the tag belongs to SVG or MathML; `unseen`: it belongs to
   * content that is not displayed; `inHead`: it belongs to the page's head.
   */
  readStartTag(name: string, { foreign = false, unseen = false, inHead = false }: TagPlace = {}): void {
    if (name === 'a') this.readAnchor(foreign);
    else if (name === 'area') this.readLink(name, ATTRIBUTE.href);
    else if (name === 'link') this.readLinkElement(inHead);
    else if (name === 'meta') this.readMeta(unseen);
    else if (name === 'embed') this.readEmbedded(ATTRIBUTE.src);
    else if (name === 'object') this.readEmbedded(ATTRIBUTE.data);
    else if (name === 'frame') this.readLink('frame', ATTRIBUTE.src);
    else if (name === 'iframe') this.readIframe();
    else if (name === 'base') this.readBase();
    else if (name === 'script')
      this.hasLinkedData ||= this.attributes.get(ATTRIBUTE.type)?.toLowerCase().includes('ld+json') === true;
    else if (name === 'html')
      this.lang ??= this.attributes.get(ATTRIBUTE.lang) ?? this.attributes.get(ATTRIBUTE['xml:lang']);
  }

  /** Drawing programs write links in the older form, `xlink:href`. */
  private readAnchor(foreign: boolean): void {
    const usesXlink = foreign && !this.attributes.has(ATTRIBUTE.href);
    this.readLink('a', usesXlink ? ATTRIBUTE['xlink:href'] : ATTRIBUTE.href);
  }

  private readLink(kind: LinkKind, attribute: number): void {
    if (!this.attributes.has(attribute)) return;
    if (this.attributes.getSize(attribute) <= MAX_HREF_LENGTH) this.addLink(kind, this.attributes.get(attribute)!);
  }

  private addLink(kind: LinkKind, href: string, delay?: number): void {
    const rel = this.attributes.get(ATTRIBUTE.rel);
    const link = { href: trimUrl(href), kind, nofollow: rel !== undefined && NO_FOLLOW.test(rel) };
    this.distinctLinks.add(delay === undefined ? link : { ...link, delay });
  }

  private readBase(): void {
    const href = this.attributes.get(ATTRIBUTE.href);
    if (href !== undefined) this.base ??= trimUrl(href);
  }

  private readIframe(): void {
    this.readLink('iframe', ATTRIBUTE.src);
    this.readLink('iframe', ATTRIBUTE.href);
  }

  /** Manuals and publications are often shown inside a page. */
  private readEmbedded(attribute: number): void {
    const type = this.attributes.get(ATTRIBUTE.type);
    const isDocument = type === undefined || !NOT_A_DOCUMENT.test(type);
    // An empty URL would resolve to the base.
    if (isDocument && this.attributes.get(attribute)?.trim()) this.readLink('embed', attribute);
  }

  /**
   * Adds one link for each relation that leads to documents; an alternate style sheet is not a document. Without a URL,
   * the element has no meaning (HTML standard); an empty URL would resolve to the base. Only the head states the page's
   * canonical URL: the same element in its body comes from a comment or a pasted article.
   */
  private readLinkElement(inHead: boolean): void {
    if (!this.attributes.get(ATTRIBUTE.href)?.trim()) return;
    const relations = new Set(this.attributes.get(ATTRIBUTE.rel)?.toLowerCase().split(/\s+/));
    if (relations.has('stylesheet')) return;
    const kinds = new Set([...relations].flatMap((relation) => LINK_RELATIONS.get(relation) ?? []));
    if (isMachineReadableType(this.attributes.get(ATTRIBUTE.type))) kinds.delete('alternate');
    if (!inHead) kinds.delete('canonical');
    for (const kind of kinds) this.readLink(kind, ATTRIBUTE.href);
  }

  private readMeta(unseen: boolean): void {
    const { attributes } = this;
    const name = collapseWhitespace(
      attributes.get(ATTRIBUTE.name) ?? attributes.get(ATTRIBUTE.property) ?? '',
    ).toLowerCase();
    if (this.accessNames.includes(name))
      this.accessMetas.push({ name, value: (attributes.get(ATTRIBUTE.content) ?? '').replace(/[\t\f ]+/g, ' ') });
    if (!attributes.has(ATTRIBUTE.content) || attributes.getSize(ATTRIBUTE.content) > MAX_META_LENGTH) return;
    const content = attributes.get(ATTRIBUTE.content)!;
    this.readHttpEquiv(attributes.get(ATTRIBUTE['http-equiv'])?.toLowerCase(), content, unseen);
    if (name !== '') this.addNamedMeta(name, collapseWhitespace(content));
  }

  private readHttpEquiv(header: string | undefined, content: string, unseen: boolean): void {
    if (header === 'content-language') this.contentLanguage ??= content;
    if (header !== 'refresh') return;
    const refresh = parseRefresh(content);
    if (refresh) this.addLink('meta-refresh', refresh.target, unseen ? undefined : refresh.delay);
  }

  private addNamedMeta(name: string, value: string): void {
    const isForRobots = name === 'robots' || isRobotsDirectives(value);
    if (isForRobots && this.robotsMetas.length < MAX_METAS) this.robotsMetas.push({ agent: name, directives: value });
    if (this.metas.length < MAX_METAS) this.metas.push({ name, value });
  }
}

/** A meta that contains only robots directives is treated as a robots meta, whichever agent it names. */
function isRobotsDirectives(value: string): boolean {
  if (value.length > MAX_DIRECTIVES_LENGTH || !FIRST_LETTERS.test(value)) return false;
  const words = value.replace(/ ?: ?/g, ':').split(/[ ,]+/);
  return words.every((word) => word === '' || DIRECTIVE.test(word));
}

/** Removes what the URL standard removes: C0 controls and spaces at both ends. */
function trimUrl(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && value.charCodeAt(start) <= 0x20) start++;
  while (end > start && value.charCodeAt(end - 1) <= 0x20) end--;
  return end - start === value.length ? value : value.slice(start, end);
}

/** Most values need no change. */
const NEEDS_COLLAPSING = /[\u00ad\u200e-\u206f]|[^\S ]|^ | {2}| $/;

/** Replaces each run of white space with one space, trims the ends, and removes invisible characters. */
export function collapseWhitespace(value: string): string {
  if (!NEEDS_COLLAPSING.test(value)) return value;
  return removeInvisible(value).replace(/\s+/g, ' ').trim();
}
