import { escapeMarkup } from './markup.js';
import type { Hit, SearchResult } from './search.js';

export const STYLE_PATH = '/search.css';

/** Renders the search page: plain HTML without scripts. All text from documents and users is escaped. */
export function renderSearchPage(result: SearchResult): string {
  const heading = result.query === '' ? 'Search' : `${escapeMarkup(result.query)} · Search`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<header>
<form role="search" action="/" method="get">
<label for="q">Search</label>
<input id="q" name="q" type="search" value="${escapeMarkup(result.query)}" placeholder="Search the indexed documents" autocomplete="off" autofocus>
<button type="submit">Search</button>
</form>
</header>
<main>
<p class="summary">${renderSummary(result)}</p>
<ol class="hits" start="${result.start + 1}">
${result.hits.map(renderHit).join('\n')}
</ol>
${renderPager(result)}
</main>
</body>
</html>
`;
}

function renderSummary({ query, start, total, hits }: SearchResult): string {
  const documents = total === 1 ? '1 document' : `${total.toLocaleString('en')} documents`;
  if (query === '') return total === 0 ? 'No documents are indexed yet.' : `${documents} indexed. The newest:`;
  if (total === 0) return `No documents found for <strong>${escapeMarkup(query)}</strong>.`;
  const range = hits.length === 0 ? '' : `, ${start + 1} to ${start + hits.length}`;
  return `${documents} found${range}`;
}

function renderHit(hit: Hit): string {
  const title = escapeMarkup(hit.title || hit.uri);
  const snippet = hit.snippet
    .map(({ text, match }) => (match ? `<mark>${escapeMarkup(text)}</mark>` : escapeMarkup(text)))
    .join('');
  // Only web addresses become links: a pushed `javascript:` URI must not be clickable.
  const heading = /^https?:\/\//i.test(hit.uri)
    ? `<a href="${escapeMarkup(hit.uri)}" rel="noopener noreferrer">${title}</a>`
    : title;
  return `<li><h2>${heading}</h2><p class="uri">${escapeMarkup(hit.uri)}</p><p class="snippet">${snippet}</p></li>`;
}

function renderPager({ query, start, count, total }: SearchResult): string {
  const renderPageLink = (to: number, label: string) =>
    `<a href="/?${escapeMarkup(new URLSearchParams({ q: query, start: String(to), count: String(count) }).toString())}">${label}</a>`;
  const links = [
    start > 0 ? renderPageLink(Math.max(0, start - count), '← Previous') : '',
    start + count < total ? renderPageLink(start + count, 'Next →') : '',
  ].filter((text) => text !== '');
  return links.length === 0 ? '' : `<nav aria-label="Pages of results">${links.join(' ')}</nav>`;
}

export const STYLE = `
:root {
  --paper: #fcfcfa; --ink: #1d2327; --faint: #5c6670; --line: #dcdfe1; --link: #0b57a4; --mark: #fff1a8; --accent: #0b57a4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --ink: #e4e6e8; --faint: #9aa4ad; --line: #32383d; --link: #8fbff0; --mark: #5b4d0a; --accent: #2f6fb3;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header { border-bottom: 1px solid var(--line); padding: 1.25rem 1.5rem; }
form, main { margin: 0 auto; }
form { max-width: 43rem; }
main { max-width: 46rem; }
form { display: flex; gap: .5rem; }
label { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
input {
  flex: 1; min-width: 0; padding: .55rem .8rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--faint); border-radius: .4rem;
}
button { padding: .55rem 1.1rem; font: inherit; color: #fff; background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main { padding: 1rem 1.5rem 3rem; }
.summary { color: var(--faint); font-size: .9rem; }
.hits { list-style: none; padding: 0; margin: 0; }
.hits li { padding: .7rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; font-weight: 600; line-height: 1.3; margin: 0; }
a { color: var(--link); text-underline-offset: .15em; }
.hits a { text-decoration: none; }
.hits a:hover { text-decoration: underline; }
.uri { color: var(--faint); font-size: .82rem; margin: .1rem 0; }
.snippet { margin: .15rem 0 0; }
mark { background: var(--mark); color: inherit; border-radius: .15rem; padding: 0 .1em; }
nav { display: flex; gap: 1.5rem; margin-top: 1rem; }
`;
