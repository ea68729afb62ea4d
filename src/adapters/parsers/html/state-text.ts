/**
 * Extracts text that a page contains as data for its scripts: `__NEXT_DATA__` and other JSON blocks, JSON-LD,
 * `window.__STATE__ = {…}`. It is read only for pages that show almost nothing. Readable text is distinguished from
 * settings and URLs by its form.
 */
import { decodeHTML } from 'entities/decode';
import { collapseWhitespace } from './page-facts.js';

/** Minimum number of characters; with fewer, the data is not the page's content. */
const MIN_LENGTH = 250;
const MAX_BLOCK_LENGTH = 4_000_000;
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_VALUES = 200_000;

const BLOCK = /<script\b([^<>]{0,4000})>/gi;
const JSON_TYPE = /\btype\s*=\s*["']?application\/(?:ld\+)?json\b/i;
const ASSIGNED = /^\s*(?:window|self|globalThis)\s*(?:\.\s*\w{1,60}|\[\s*["'][\w-]{1,60}["']\s*\])\s*=\s*(?=[{[])/;

/** Names of properties that belong to the program, not to the page's content. */
const NOT_CONTENT =
  /^(?:messages?|translations?|locales?|i18n|lang(?:uages?)?|dictionary|strings|runtimeConfig|config(?:uration)?|settings|env|theme|flags|features|css|styles?|scripts?|query|className|buildId|assetPrefix|@type|@context|@id|url|href|src|srcSet|image|logo|icon|sameAs|sku|token|csrf\w*|nonce|hash)$/i;
/** Names of properties whose values are used even if they are short. */
const TITLE_NAMES = /^(?:title|headline|name|heading|label|summary|author|byline|question|caption|subtitle)$/i;
const PROSE = /\p{L}{2}[\s,;:.’'-]{1,10}\p{L}\S{0,100}\s{1,10}\S/u;
const LETTER = /\p{L}{2,}/u;
const URL_PATTERN = /^(?:https?:|\/|\.\/|data:|#)\S*$/;
const CODE = /[{};]$|=>|^[.#@][\w-]+\s?\{|function\s?\(/;
/** Marks a word as belonging to style sheets or programs: `md:items-center`, `px-4`. */
const NON_PROSE_WORD = /[-:_\d]/;
const MARKUP = /<[a-z!/][^<>]*>/gi;

/** Returns the text with white space folded; undefined if the page contains too little text in this form. */
export function extractStateText(html: Buffer): string | undefined {
  const source = html.toString('utf8');
  const collector = new StateTextCollector();
  BLOCK.lastIndex = 0;
  for (let tag = BLOCK.exec(source); tag; tag = BLOCK.exec(source)) {
    const start = BLOCK.lastIndex;
    const closeIndex = source.indexOf('</script', start);
    const end = closeIndex < 0 ? source.length : closeIndex;
    BLOCK.lastIndex = end;
    if (end - start <= MAX_BLOCK_LENGTH) collector.addBlock(tag[1]!, source.slice(start, end));
  }
  return collector.length >= MIN_LENGTH ? collector.text : undefined;
}

class StateTextCollector {
  length = 0;
  private readonly texts = new Set<string>();
  private valueCount = 0;

  get text(): string {
    return [...this.texts].join(' ');
  }

  addBlock(attributes: string, content: string): void {
    const json = JSON_TYPE.test(attributes) ? content : findAssignedValue(content);
    if (json === undefined) return;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      return; // anything that is not JSON is a program, and programs are not read
    }
    this.collectTexts(selectPagePart(value));
  }

  /** Not recursive, because data may be nested to any depth. */
  private collectTexts(root: unknown): void {
    const pending: { readonly name: string; readonly value: unknown }[] = [{ name: '', value: root }];
    for (
      let next = pending.pop();
      next && this.valueCount < MAX_VALUES && this.length < MAX_TEXT_LENGTH;
      next = pending.pop()
    ) {
      const { name, value } = next;
      this.valueCount++;
      if (typeof value === 'string') this.addText(name, value);
      else if (Array.isArray(value)) for (const item of value.toReversed()) pending.push({ name, value: item });
      else if (typeof value === 'object' && value !== null) {
        const entries = Object.entries(value).filter(([key]) => !NOT_CONTENT.test(key));
        for (const [key, child] of entries.toReversed()) pending.push({ name: key, value: child });
      }
    }
  }

  private addText(name: string, rawText: string): void {
    if (rawText.length < 2 || URL_PATTERN.test(rawText) || isCode(rawText.slice(0, 500).trim())) return;
    const text = collapseWhitespace(decodeHTML(rawText.replace(MARKUP, ' ')));
    const isReadable = TITLE_NAMES.test(name)
      ? LETTER.test(text)
      : text.length >= 20 && PROSE.test(text.slice(0, 1_000));
    if (!isReadable || this.texts.has(text)) return;
    this.texts.add(text);
    this.length += text.length;
  }
}

function isCode(text: string): boolean {
  if (CODE.test(text)) return true;
  const words = text.split(/\s+/);
  return words.filter((word) => NON_PROSE_WORD.test(word)).length > words.length / 2;
}

/** Returns the value that a script assigns to a window property, or undefined if the script does anything else. */
function findAssignedValue(script: string): string | undefined {
  const assignment = ASSIGNED.exec(script.slice(0, 300));
  return assignment ? script.slice(assignment[0].length).trimEnd().replace(/;$/, '') : undefined;
}

/** Selects only the page's own part of Next.js data: the rest belongs to the program. */
function selectPagePart(value: unknown): unknown {
  const props = (value as { props?: { pageProps?: unknown } } | null)?.props;
  return props?.pageProps ?? value;
}
