// Builds the documentation site from docs/ in dist/help/: plain pages with relative links and a full-text search, which
// any file server (or the server itself, at /help) can serve. All link targets must exist; see test/docs/site.spec.ts.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The menu. A test checks that it contains every page. */
export const SECTIONS = [
  ['Begin', ['index.md', 'tutorial.md', 'concepts.md', 'moving-in.md', 'comparison.md']],
  ['How-tos', ['how-to.md', 'how-to-sinks.md', 'how-to-every-day.md', 'how-to-production.md']],
  ['Operation', ['command-line.md', 'operations.md', 'reasons.md', 'scaling.md']],
  [
    'What is crawled',
    ['content.md', 'documents.md', 'rendering.md', 'logins.md', 'acl.md', 'schedules.md', 'freshness.md', 'signals.md'],
  ],
  ['Where documents go', ['sinks.md', 'document-shape.md', 'postgresql-sink.md', 'json-sink.md', 'webhooks.md']],
  ['Reference', ['reference.md', 'glossary.md']],
  ['Your own programs', ['client.md', 'plugins.md', 'assistants.md']],
  [
    'How it is made',
    ['architecture.md', 'decisions.md', 'decisions-delivery.md', 'decisions-operation.md', 'faults.md'],
  ],
];

const escapeHtml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const ENTITIES = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const toPlainText = (html) =>
  html
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ENTITIES[name])
    .replace(/\s+/g, ' ')
    .trim();
const toSlug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const toPageName = (file) => `${basename(file, '.md').toLowerCase()}.html`;

/** Turns `X.md#part` in the same folder into a link to its page. Files outside docs/ are named without a link. */
function resolveHref(href) {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [, file, anchor = ''] = /^(?:\.\/)?([\w.-]+\.md)(#.*)?$/.exec(href) ?? [];
  if (file !== undefined) return toPageName(file) + anchor;
  return /^(?:\.\/)?(?:screenshots\/[\w.-]+|[\w-]+\.(?:json|yaml))$/.test(href) ? href.replace('./', '') : undefined;
}

/** @param titles titles of the pages by file name */
function renderMarkdown(source, titles) {
  const headings = [];
  const images = [];
  const used = new Map();
  const renderer = {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      const text = html.replace(/<[^>]*>/g, '');
      const base = toSlug(text);
      const times = used.get(base) ?? 0;
      used.set(base, times + 1);
      const id = times === 0 ? base : `${base}-${times}`;
      headings.push({ depth, text, id });
      return `<h${depth} id="${id}">${html}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const [{ type, raw } = {}] = tokens;
      // If the link text is a file name, the page's title tells readers more.
      const title = type === 'text' && /^(?:docs\/)?[\w.-]+\.md$/.test(raw) ? titles.get(basename(raw)) : undefined;
      const html = title === undefined ? this.parser.parseInline(tokens) : escapeHtml(title);
      const to = resolveHref(href);
      return to === undefined ? html : `<a href="${escapeHtml(to)}">${html}</a>`;
    },
    image({ href, text }) {
      const to = resolveHref(href);
      if (to === undefined) return '';
      images.push(to);
      return `<img src="${escapeHtml(to)}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    /** HTML in the pages is shown as text, and never run. */
    html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
  };
  return { html: new Marked({ renderer }).parse(source), headings, images };
}

const STYLE = `:root{color-scheme:light dark;--line:#8884;--link:#0b62c4;--shade:#8881}@media(prefers-color-scheme:dark){:root{--link:#7db8ff}}
*{box-sizing:border-box}body{margin:0;font:16px/1.6 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem}
nav{padding:1.2rem;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow:auto;font-size:.93rem}
nav ul{list-style:none;padding:0;margin:.2rem 0 1rem}nav h2{font-size:.8rem;margin:.6rem 0 0;text-transform:uppercase;opacity:.7}
nav a{text-decoration:none}nav a:hover,nav a:focus{text-decoration:underline}nav a[aria-current]{font-weight:700}
.menu>summary{display:none}#found li{margin:0 0 .7rem;line-height:1.4}#found small{overflow-wrap:anywhere}
main{padding:1.5rem 2.5rem 5rem;max-width:62rem;min-width:0}a{color:var(--link)}main h2{margin-top:2.2rem}
.parts{border:1px solid var(--line);border-radius:6px;padding:.7rem 1rem;margin:1rem 0 1.5rem;background:var(--shade);font-size:.93rem}
.parts ul{columns:14rem;margin:.3rem 0 0;padding-left:1.1rem}.around{display:flex;justify-content:space-between;gap:1rem;margin-top:3rem;border-top:1px solid var(--line);padding-top:1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
pre{padding:.9rem;border:1px solid var(--line);border-radius:6px;overflow:auto;background:var(--shade)}code{font-size:.9em}img{max-width:100%;border:1px solid var(--line)}
input{width:100%;padding:.45rem;font:inherit}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line);padding:1rem}main{padding:1rem}
.menu>summary{display:list-item;cursor:pointer;padding:.5rem 0}}
`;

/** Words of a question that say nothing about its subject. */
const STOP_WORDS = [
  'a',
  'an',
  'and',
  'are',
  'can',
  'do',
  'does',
  'for',
  'from',
  'how',
  'i',
  'in',
  'is',
  'it',
  'my',
  'of',
  'on',
  'or',
  'the',
  'to',
  'what',
  'why',
  'with',
];

/**
 * Finds sections with all words of a query, those with all of them in the heading first; if there are only a few, also
 * sections with most of the words. This function runs in the reader's browser.
 */
export function searchSections(query, sections, stopWords = STOP_WORDS) {
  const all = query
    .toLowerCase()
    .split(/[\s?!,"']+/)
    .filter(Boolean);
  const telling = all.filter((word) => !stopWords.includes(word));
  const words = telling.length > 0 ? telling : all;
  if (words.length === 0) return [];
  const getSearchText = ({ heading, text }) => `${heading} ${text}`.toLowerCase();
  // A word that occurs in few sections has more weight than one that occurs in many.
  const weights = words.map((word) => 1 / (1 + sections.filter((one) => getSearchText(one).includes(word)).length));
  const scoreText = (text) => words.reduce((sum, word, i) => sum + (text.includes(word) ? weights[i] : 0), 0);
  const weighed = sections.map((section) => ({
    section,
    inHeading: scoreText(section.heading.toLowerCase()),
    inAll: scoreText(getSearchText(section)),
    number: words.filter((word) => getSearchText(section).includes(word)).length,
  }));
  const whole = weighed.filter(({ number }) => number === words.length);
  const enough = whole.length >= 5 ? words.length : Math.ceil(words.length / 2);
  const hits = weighed
    .filter(({ number }) => number >= enough)
    .sort((a, b) => b.inAll - a.inAll || b.inHeading - a.inHeading);
  return hits.slice(0, 20).map(({ section: { href, heading, text } }) => {
    const at = Math.max(0, text.toLowerCase().indexOf(words.find((word) => text.toLowerCase().includes(word)) ?? ''));
    const begin = at < 40 ? 0 : text.indexOf(' ', at - 40) + 1;
    return { href, heading, excerpt: `${begin > 0 ? '… ' : ''}${text.slice(begin, begin + 120)}` };
  });
}

const SCRIPT = `const STOP_WORDS = ${JSON.stringify(STOP_WORDS)};
${searchSections}
const box = document.querySelector('#search');
const found = document.querySelector('#found');
let sections;
box.addEventListener('input', async () => {
  sections ??= fetch('search.json').then((answer) => answer.json());
  const hits = searchSections(box.value, await sections);
  const none = document.createElement('li');
  none.textContent = 'No page contains these words.';
  found.replaceChildren(...(hits.length === 0 && box.value.trim() !== '' ? [none] : hits.map(({ href, heading, excerpt }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const words = document.createElement('small');
    link.href = href;
    link.textContent = heading;
    words.textContent = excerpt;
    item.append(link, document.createElement('br'), words);
    return item;
  })));
});
// On narrow screens, the menu is closed at first.
if (matchMedia('(max-width:50rem)').matches) document.querySelector('.menu').open = false;
`;

const MANY_PARTS = 50;
/** Pages that begin with a list of their own. */
const PAGES_WITH_LIST = new Set(['index.md', 'how-to.md', 'decisions.md']);

/** Adds a list of the page's parts below the title if there are at least three. */
function wrapParts({ html, headings, file }) {
  const all = headings.filter(({ depth }) => depth === 2 || depth === 3);
  // A reference consists of many small parts; on other pages, the large parts are enough to find things.
  const parts = all.filter(({ depth }) => depth === 2 || all.length > MANY_PARTS);
  if (parts.length < 3 || PAGES_WITH_LIST.has(file)) return html;
  const list = parts.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`).join('');
  const box = `<div class="parts"><strong>On this page</strong><ul>${list}</ul></div>\n`;
  return html.replace('</h1>\n', (end) => end + box);
}

const renderLink = (page, rel, text) =>
  page ? `<a rel="${rel}" href="${toPageName(page.file)}">${text(escapeHtml(page.title))}</a>` : '<span></span>';

const renderPage = (one, menu, { before, after }) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(one.title)} · Crawlway</title>
<link rel="icon" type="image/svg+xml" href="mark.svg"><link rel="stylesheet" href="style.css"><a class="skip" href="#text">Skip to the text</a><nav aria-label="Documentation"><p><a href="index.html"><strong>Crawlway</strong></a></p>
<label for="search">Search</label><input id="search" type="search"><ul id="found" aria-live="polite"></ul>
<details class="menu" open><summary>All pages</summary>
${menu.replace(`href="${toPageName(one.file)}"`, `href="${toPageName(one.file)}" aria-current="page"`)}</details></nav><main id="text">
${wrapParts(one)}<div class="around">${renderLink(before, 'prev', (title) => `← ${title}`)}${renderLink(after, 'next', (title) => `${title} →`)}</div></main><script src="search.js"></script></html>
`;

/** Sorts pages in the order of the menu, so that a search lists pages for beginners before the notes for developers. */
function sortPages(pages) {
  const listed = SECTIONS.flatMap(([, files]) => files);
  return pages.toSorted((a, b) => listed.indexOf(a.file) - listed.indexOf(b.file));
}

function renderMenu(pages) {
  const renderList = (files) =>
    files
      .flatMap((file) => pages.filter((one) => one.file === file))
      .map(({ file, title }) => `<li><a href="${toPageName(file)}">${escapeHtml(title)}</a></li>`)
      .join('');
  return SECTIONS.map(([name, files]) => `<h2>${name}</h2><ul>${renderList(files)}</ul>`).join('\n');
}

/** Lists each heading with the text that follows it, up to the next heading. */
function listSections({ file, title, html, headings }) {
  const parts = html.split(/<h[1-6] id="[^"]*">/).slice(1);
  return headings.map(({ id, text, depth }, i) => ({
    href: `${toPageName(file)}#${id}`,
    heading: toPlainText(depth === 1 ? text : `${title}: ${text}`),
    text: toPlainText((parts[i] ?? '').replace(/^.*<\/h[1-6]>/, '').replace(/<[^>]*>/g, ' ')),
  }));
}

export function buildSite(folder) {
  const docs = join(root, 'docs');
  const files = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const sources = new Map(files.map((file) => [file, readFileSync(join(docs, file), 'utf8')]));
  const titles = new Map([...sources].map(([file, text]) => [file, /^# (.*)$/m.exec(text)?.[1] ?? file]));
  // Links become relative to docs/, where all other pages are.
  const readme = readFileSync(join(root, 'README.md'), 'utf8').replace(/\]\((?!docs\/|https?:|#)/g, '](../');
  sources.set('index.md', readme.replaceAll('](docs/', ']('));
  titles.set('index.md', 'Overview');
  const pages = sortPages(
    [...sources].map(([file, text]) => ({ file, title: titles.get(file), ...renderMarkdown(text, titles) })),
  );
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'screenshots'), { recursive: true });
  const menu = renderMenu(pages);
  pages.forEach((one, i) => {
    writeFileSync(
      join(folder, toPageName(one.file)),
      renderPage(one, menu, { before: pages[i - 1], after: pages[i + 1] }),
    );
  });
  for (const image of new Set(pages.flatMap(({ images }) => images))) cpSync(join(docs, image), join(folder, image));
  for (const name of readdirSync(docs)) if (/\.(?:json|yaml)$/.test(name)) cpSync(join(docs, name), join(folder, name));
  writeFileSync(join(folder, 'search.json'), JSON.stringify([...pages.slice(1), pages[0]].flatMap(listSections)));
  writeFileSync(join(folder, 'search.js'), SCRIPT);
  writeFileSync(join(folder, 'style.css'), STYLE);
  cpSync(join(root, 'console', 'src', 'ui', 'mark.svg'), join(folder, 'mark.svg'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildSite(join(root, 'dist', 'help'));
