/** Creates the view of what was read from a page; its size is limited because it is sent to a browser. */
import type { PushDocument } from '../../domain/push/order.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageReading, ReadPart } from '../ports/page-task.js';

export const MAX_TEXT = 200_000;
const MAX_LIST = 500;
/** Maximum length of the text of all parts together. */
const MAX_PART_TEXT = 200_000;

export const toReadingView = (content: PageContent, { metas, text, parts }: PushDocument): PageReading => ({
  text: (text || content.text).slice(0, MAX_TEXT).toWellFormed(),
  textLength: content.text.length,
  ...(content.language === undefined ? {} : { language: content.language }),
  metas: metas.slice(0, MAX_LIST),
  cut: (content.cut ?? []).filter((passage) => passage !== '').slice(0, MAX_LIST),
  ...(content.look ? { look: content.look } : {}),
  ...(content.headings ? { headings: content.headings.slice(0, MAX_LIST) } : {}),
  ...(content.markdown === undefined ? {} : { markdown: content.markdown.slice(0, MAX_TEXT).toWellFormed() }),
  ...(content.chunks ? { chunks: content.chunks.slice(0, MAX_LIST) } : {}),
  ...(parts ? { parts: toPartsView(parts) } : {}),
});

function toPartsView(parts: readonly PushDocument[]): ReadPart[] {
  let remaining = MAX_PART_TEXT;
  return parts.slice(0, MAX_LIST).map(({ uri, metas, text }) => {
    const shownText = text.slice(0, remaining).toWellFormed();
    remaining -= shownText.length;
    return { uri, metas: metas.slice(0, MAX_LIST), text: shownText };
  });
}
