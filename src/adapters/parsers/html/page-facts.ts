/** What the tags of a page say: links, base address, metas, language. Bounded; first come, first kept. */
import type { LinkKind, RawLink } from '../../../engine/ports/page-reader.js';
import type { AttributeName, Attributes } from './attributes.js';
import { refreshTarget } from './meta-refresh.js';

const MAX_METAS = 500;
const MAX_META_LENGTH = 16_384;
const MAX_HREF_LENGTH = 65_536;

const LINK_RELATIONS: Record<string, LinkKind> = {
  next: 'next',
  prev: 'prev',
  previous: 'prev',
  alternate: 'alternate',
  canonical: 'canonical',
};
const NO_FOLLOW = /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i;

/** Only directives that robots know: such a meta is one for robots, whatever agent it is named after. */
const DIRECTIVES =
  /^(?:\s|,|all|none|index|follow|noindex|nofollow|noarchive|nocache|nosnippet|noimageindex|notranslate|noodp|noydir|(?:max-snippet|max-image-preview|max-video-preview)\s*:\s*[\w-]+)+$/i;

export class PageFacts {
  readonly links: RawLink[] = [];
  readonly metas: { readonly name: string; readonly value: string }[] = [];
  readonly robotsMetas: { readonly agent: string; readonly directives: string }[] = [];
  base: string | undefined;
  /** `lang` of the html element, as written. */
  lang: string | undefined;
  /** Content of `<meta http-equiv=content-language>`. */
  contentLanguage: string | undefined;
  truncated = false;

  constructor(
    private readonly attributes: Attributes,
    private readonly maxLinks: number,
  ) {}

  /** A start tag of the document was read. */
  tag(name: string): void {
    if (name === 'a' || name === 'area') this.#link(name, 'href');
    else if (name === 'link') this.#relation();
    else if (name === 'meta') this.#meta();
    else if (name === 'frame') this.#link('frame', 'src');
    else if (name === 'iframe') this.#iframe();
    else if (name === 'base') this.base ??= trim(this.attributes.get('href'));
    else if (name === 'html') this.lang ??= this.attributes.get('lang') ?? this.attributes.get('xml:lang');
  }

  #link(kind: LinkKind, attribute: AttributeName): void {
    if (!this.attributes.has(attribute)) return;
    if (this.attributes.sizeOf(attribute) > MAX_HREF_LENGTH) {
      this.truncated = true;
      return;
    }
    this.#add(kind, this.attributes.get(attribute)!);
  }

  #add(kind: LinkKind, href: string): void {
    if (this.links.length >= this.maxLinks) {
      this.truncated = true;
      return;
    }
    const rel = this.attributes.get('rel');
    this.links.push({ href: trim(href), kind, nofollow: rel !== undefined && NO_FOLLOW.test(rel) });
  }

  #iframe(): void {
    this.#link('iframe', 'src');
    this.#link('iframe', 'href');
  }

  /** One link for each relation that leads to documents; a style sheet's alternate is no document. */
  #relation(): void {
    const relations = new Set(this.attributes.get('rel')?.toLowerCase().split(/\s+/));
    if (relations.has('stylesheet')) return;
    const kinds = new Set([...relations].flatMap((relation) => LINK_RELATIONS[relation] ?? []));
    for (const kind of kinds) this.#link(kind, 'href');
  }

  #meta(): void {
    const { attributes } = this;
    if (!attributes.has('content')) return;
    if (attributes.sizeOf('content') > MAX_META_LENGTH) {
      this.truncated = true;
      return;
    }
    const content = attributes.get('content')!;
    this.#httpEquivalent(attributes.get('http-equiv')?.toLowerCase(), content);
    const name = fold(attributes.get('name') ?? attributes.get('property') ?? '').toLowerCase();
    if (name !== '') this.#named(name, fold(content));
  }

  #httpEquivalent(header: string | undefined, content: string): void {
    if (header === 'content-language') this.contentLanguage ??= content;
    if (header !== 'refresh') return;
    const target = refreshTarget(content);
    if (target !== undefined) this.#add('meta-refresh', target);
  }

  #named(name: string, value: string): void {
    if (this.metas.length >= MAX_METAS) {
      this.truncated = true;
      return;
    }
    this.metas.push({ name, value });
    if (name === 'robots' || DIRECTIVES.test(value)) this.robotsMetas.push({ agent: name, directives: value });
  }
}

/** Takes off what the URL standard takes off: C0 controls and spaces at both ends. */
function trim<T extends string | undefined>(value: T): T {
  if (value === undefined || value === '') return value;
  let start = 0;
  let end = value.length;
  while (start < end && value.charCodeAt(start) <= 0x20) start++;
  while (end > start && value.charCodeAt(end - 1) <= 0x20) end--;
  return value.slice(start, end) as T;
}

/** One space for each run of white space, none at the ends. */
export function fold(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}
