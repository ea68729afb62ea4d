import { Parser } from 'htmlparser2';
import type { PushedDocument, PushedPart } from '../papi/documents.js';

/** What of a document can be searched and shown. */
export interface Extract {
  readonly title: string;
  readonly text: string;
}

/** Characters of text that one document brings into the index. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_TITLE = 1_000;

const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'select']);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function extract(document: PushedDocument): Extract {
  const content = document.master ? contentOf(document.master) : { title: '', text: '' };
  const titleMeta = document.metas.find((meta) => meta.name.toLowerCase() === 'title')?.value;
  return {
    title: fold(titleMeta || content.title).slice(0, LONGEST_TITLE),
    text: fold(content.text).slice(0, LONGEST_TEXT),
  };
}

function contentOf(part: PushedPart): Extract {
  if (HTML_TYPES.has(part.mimeType)) return htmlContent(decode(part));
  if (part.mimeType.startsWith('text/')) return { title: '', text: decode(part) };
  return { title: '', text: '' };
}

function decode(part: PushedPart): string {
  try {
    return new TextDecoder(part.encoding || 'utf-8').decode(part.bytes);
  } catch {
    return new TextDecoder().decode(part.bytes); // a label that nobody knows: most of the web is UTF-8
  }
}

function htmlContent(html: string): Extract {
  let title = '';
  let titleDone = false;
  let silent = 0;
  let inTitle = false;
  const text: string[] = [];
  const parser = new Parser({
    onopentagname(name) {
      if (SILENT.has(name)) silent++;
      else if (name === 'title' && silent === 0) inTitle = !titleDone;
      else if (!INLINE.has(name)) text.push(' ');
    },
    ontext(data) {
      if (silent > 0) return;
      if (inTitle) title += data;
      else text.push(data);
    },
    onclosetag(name) {
      if (SILENT.has(name)) silent--;
      else if (name === 'title') {
        titleDone ||= inTitle;
        inTitle = false;
      } else if (!INLINE.has(name)) text.push(' ');
    },
  });
  parser.end(html);
  return { title, text: text.join('') };
}

/** One line, no control characters: the snippet marks are control characters and must come from the index alone. */
const fold = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f]+/gu, ' ').trim();
