// Makes the documentation site from docs/: dist/help/, plain pages with relative links and a search of their words, which any file
// server (or the server itself, at /help) can serve. What it links to has to be there; see test/docs/site.spec.ts.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Pages that come first, in this order; all others follow by title. */
const SECTIONS = [
  ['Begin', ['tutorial.md', 'how-to.md', 'moving-in.md', 'comparison.md']],
  ['Every day', ['command-line.md', 'OPERATIONS.md', 'REASONS.md', 'SCALING.md']],
  ['Reference', ['REFERENCE.md', 'DOCUMENT-SHAPE.md', 'GLOSSARY.md']],
];

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const ENTITIES = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const plain = (html) =>
  html
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ENTITIES[name])
    .replace(/\s+/g, ' ')
    .trim();
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const pageOf = (file) => `${basename(file, '.md').toLowerCase()}.html`;

/** `X.md#part` of the same folder becomes its page; what stands outside of docs/ is named and not linked. */
function target(href) {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [, file, anchor = ''] = /^(?:\.\/)?([\w.-]+\.md)(#.*)?$/.exec(href) ?? [];
  if (file !== undefined) return pageOf(file) + anchor;
  return /^(?:\.\/)?(?:screenshots\/[\w.-]+|[\w-]+\.(?:json|yaml))$/.test(href) ? href.replace('./', '') : undefined;
}

function render(source) {
  const headings = [];
  const images = [];
  const used = new Map();
  const renderer = {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      const text = html.replace(/<[^>]*>/g, '');
      const base = slug(text);
      const times = used.get(base) ?? 0;
      used.set(base, times + 1);
      const id = times === 0 ? base : `${base}-${times}`;
      headings.push({ depth, text, id });
      return `<h${depth} id="${id}">${html}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const html = this.parser.parseInline(tokens);
      const to = target(href);
      return to === undefined ? html : `<a href="${escaped(to)}">${html}</a>`;
    },
    image({ href, text }) {
      const to = target(href);
      if (to === undefined) return '';
      images.push(to);
      return `<img src="${escaped(to)}" alt="${escaped(text)}" loading="lazy">`;
    },
    /** Text of the pages is our own; markup in it is shown, never run. */
    html: ({ text }) => (text.startsWith('<!--') ? '' : escaped(text)),
  };
  return { html: new Marked({ renderer }).parse(source), headings, images };
}

const STYLE = `:root{color-scheme:light dark;--line:#8884;--link:#0b62c4}@media(prefers-color-scheme:dark){:root{--link:#7db8ff}}
*{box-sizing:border-box}body{margin:0;font:16px/1.6 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{padding:1.2rem;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow:auto;font-size:.93rem}
nav ul{list-style:none;padding:0;margin:.2rem 0 1rem}nav h2{font-size:.8rem;margin:.6rem 0 0;text-transform:uppercase;opacity:.7}
nav a[aria-current]{font-weight:700}main{padding:1.5rem 2.5rem 5rem;max-width:62rem;min-width:0}a{color:var(--link)}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
pre{padding:.9rem;border:1px solid var(--line);border-radius:6px;overflow:auto}code{font-size:.9em}img{max-width:100%;border:1px solid var(--line)}
input{width:100%;padding:.45rem;font:inherit}@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}
`;

/** Sections with all words of a query, those with all of them in the heading first. It runs in the reader's browser. */
export function sectionsWith(query, sections) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hasAll = (text) => words.every((word) => text.toLowerCase().includes(word));
  const named = sections.filter(({ heading }) => hasAll(heading));
  const others = sections.filter(({ heading, text }) => !hasAll(heading) && hasAll(`${heading} ${text}`));
  return [...named, ...others].slice(0, 20).map(({ href, heading, text }) => {
    const at = Math.max(0, text.toLowerCase().indexOf(words.find((word) => text.toLowerCase().includes(word)) ?? ''));
    const begin = at < 40 ? 0 : text.indexOf(' ', at - 40) + 1;
    return { href, heading, excerpt: `${begin > 0 ? '… ' : ''}${text.slice(begin, begin + 120)}` };
  });
}

const SCRIPT = `${sectionsWith}
const box = document.querySelector('#search');
const found = document.querySelector('#found');
let sections;
box.addEventListener('input', async () => {
  sections ??= fetch('search.json').then((answer) => answer.json());
  const hits = sectionsWith(box.value, await sections);
  const none = document.createElement('li');
  none.textContent = 'Nothing has all of these words.';
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
`;

const page = ({ title, html, file }, menu) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)} · Crawlway</title>
<link rel="stylesheet" href="style.css"><nav aria-label="Documentation"><p><a href="index.html"><strong>Crawlway</strong></a></p>
<label for="search">Search</label><input id="search" type="search"><ul id="found" aria-live="polite"></ul>
${menu.replace(`href="${pageOf(file)}"`, `href="${pageOf(file)}" aria-current="page"`)}</nav><main>
${html}</main><script src="search.js"></script></html>
`;

/** In the order of the menu, so that a search names what is for beginners before the notes of developers. */
function pagesAsListed(pages) {
  const listed = SECTIONS.flatMap(([, files]) => files);
  const place = ({ file }) => (listed.includes(file) ? listed.indexOf(file) : listed.length);
  return pages.toSorted((a, b) => place(a) - place(b));
}

function menuOf(pages) {
  const listed = new Set(SECTIONS.flatMap(([, files]) => files));
  const others = pages.map(({ file }) => file).filter((file) => !listed.has(file) && file !== 'index.md');
  const list = (files) =>
    files
      .flatMap((file) => pages.filter((one) => one.file === file))
      .map(({ file, title }) => `<li><a href="${pageOf(file)}">${escaped(title)}</a></li>`)
      .join('');
  return [...SECTIONS, ['More', others]].map(([name, files]) => `<h2>${name}</h2><ul>${list(files)}</ul>`).join('\n');
}

/** Each heading with the words that follow it, up to the next heading. */
function sectionsOf({ file, title, html, headings }) {
  const parts = html.split(/<h[1-6] id="[^"]*">/).slice(1);
  return headings.map(({ id, text, depth }, i) => ({
    href: `${pageOf(file)}#${id}`,
    heading: plain(depth === 1 ? text : `${title}: ${text}`),
    text: plain((parts[i] ?? '').replace(/^.*<\/h[1-6]>/, '').replace(/<[^>]*>/g, ' ')),
  }));
}

export function buildSite(folder) {
  const docs = join(root, 'docs');
  const files = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const pages = files.map((file) => {
    const content = render(readFileSync(join(docs, file), 'utf8'));
    return { file, title: content.headings[0]?.text ?? file, ...content };
  });
  // Seen from docs/, where all other pages are.
  const source = readFileSync(join(root, 'README.md'), 'utf8').replace(/\]\((?!docs\/|https?:|#)/g, '](../');
  const readme = render(source.replaceAll('](docs/', ']('));
  pages.push({ file: 'index.md', title: 'Crawlway', ...readme });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'screenshots'), { recursive: true });
  const menu = menuOf(pages);
  for (const one of pages) writeFileSync(join(folder, pageOf(one.file)), page(one, menu));
  for (const image of new Set(pages.flatMap(({ images }) => images))) cpSync(join(docs, image), join(folder, image));
  for (const name of readdirSync(docs)) if (/\.(?:json|yaml)$/.test(name)) cpSync(join(docs, name), join(folder, name));
  writeFileSync(join(folder, 'search.json'), JSON.stringify(pagesAsListed(pages).flatMap(sectionsOf)));
  writeFileSync(join(folder, 'search.js'), SCRIPT);
  writeFileSync(join(folder, 'style.css'), STYLE);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildSite(join(root, 'dist', 'help'));
