/** Extracts the content of a page as it was sent, for comparison with the page that results from its scripts. */
import type { SentPage } from '../../domain/render/report.js';
import type { PageContent } from '../ports/page-reader.js';
import type { JudgedUrl } from './judged-url.js';
import { resolveBase } from './page-reading.js';
import { MAX_TEXT } from './reading-view.js';

const MAX_LINKS = 5_000;

export function toSentPage({ context, url }: Pick<JudgedUrl, 'context' | 'url'>, content: PageContent): SentPage {
  const base = resolveBase(url.href, content);
  const links = new Set<string>();
  for (const { href, kind } of content.links.slice(0, MAX_LINKS)) {
    const target = kind === 'canonical' ? undefined : context.canonicalize(href, base);
    if (target) links.add(target.href);
  }
  return {
    title: content.title.slice(0, 300),
    text: content.text.slice(0, MAX_TEXT).toWellFormed(),
    textLength: content.text.length,
    links: [...links],
  };
}
